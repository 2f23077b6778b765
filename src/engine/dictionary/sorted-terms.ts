/** Terms of a dictionary before it is written, in ascending byte order. */

/** Term `t` is `bytes[starts[t], starts[t + 1])`. */
export interface SortedTerms {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly count: number;
}

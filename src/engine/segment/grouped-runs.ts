/**
 * Runs of bytes of varying lengths, found by number. Each run begins with its length as a varint; a
 * table holds the offset of the first run of each group of `2 ** shift` runs, and the end of all as
 * its last entry.
 */
import { ByteBuffer } from '../bytes/byte-buffer.ts';
import { VarintCursor } from '../bytes/varint.ts';

export class GroupedRunsWriter {
  readonly #groupMask: number;
  readonly #runs: ByteBuffer;
  readonly #offsets: number[] = [];
  #count = 0;

  constructor(shift: number, capacity: number) {
    this.#groupMask = (1 << shift) - 1;
    this.#runs = new ByteBuffer(capacity);
  }

  get memoryBytes(): number {
    return this.#runs.bytes.length + this.#offsets.length * 8;
  }

  /** True when no run has a byte. */
  get areEmpty(): boolean {
    return this.#runs.length === this.#count;
  }

  append(run: Uint8Array, length = run.length): void {
    if ((this.#count++ & this.#groupMask) === 0) this.#offsets.push(this.#runs.length);
    this.#runs.pushVarint(length);
    this.#runs.pushRange(run, 0, length);
  }

  finish(): { readonly runs: Uint8Array; readonly offsets: Uint32Array } {
    const { bytes, length } = this.#runs;
    return {
      runs: bytes.subarray(0, length),
      offsets: Uint32Array.from([...this.#offsets, length]),
    };
  }
}

export class GroupedRuns {
  readonly #runs: Uint8Array;
  readonly #offsets: Uint32Array;
  readonly #shift: number;
  readonly #cursor: VarintCursor;

  constructor(runs: Uint8Array, offsets: Uint32Array, shift: number) {
    this.#runs = runs;
    this.#offsets = offsets;
    this.#shift = shift;
    this.#cursor = new VarintCursor(runs);
  }

  /** The run with this number, as a view. */
  at(number: number): Uint8Array {
    const cursor = this.#cursor;
    cursor.position = this.#offsets[number >>> this.#shift]!;
    let length = cursor.next();
    for (let before = number & ((1 << this.#shift) - 1); before > 0; before--) {
      cursor.position += length;
      length = cursor.next();
    }
    return this.#runs.subarray(cursor.position, cursor.position + length);
  }
}

/** Whoever waits for an answer. */

export interface Caller {
  /** Gone before the answer: work for them that has not begun can be left. */
  readonly isAborted: boolean;
}

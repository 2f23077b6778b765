/** Whoever waits for an answer. */

export interface Caller {
  /** Gone before the answer: work for them that has not begun can be left. */
  readonly isAborted: boolean;
}

/** A caller as the log names it. */
export interface Requester extends Caller {
  /** Of this request, in the answer's headers and in every line about it. */
  readonly requestUid: string;
  /** Of the API key; null for the master key, and where there is none. */
  readonly keyUid: string | null;
  /**
   * By the monotonic clock of the front: the time limit of all work for the request counts from
   * then. Absent = from when the work is asked for.
   */
  readonly receivedAtMs?: number;
  /** Hears that a search of the request ended at its time limit. */
  searchWasCut?(): void;
}

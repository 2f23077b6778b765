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
  /** Hears that a search of the request ended at its time limit. */
  searchWasCut?(): void;
}

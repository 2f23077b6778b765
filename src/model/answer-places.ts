/** What differs between the answers to two searches that ask for the same of the same generation. */
export interface AnswerFacts {
  readonly requestUid: string;
  /** Whole milliseconds since the request arrived. */
  readonly processingTimeMs: number;
}

/** Where that stands in the bytes of an answer; ends are exclusive. */
export interface AnswerPlaces {
  readonly timeStart: number;
  readonly timeEnd: number;
  readonly uidStart: number;
  readonly uidEnd: number;
}

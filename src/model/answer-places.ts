/** The parts that differ between answers to equal searches of the same generation. */
export interface AnswerFacts {
  readonly requestUid: string;
  /** Whole milliseconds since the request arrived. */
  readonly processingTimeMs: number;
}

/** Positions of these parts in the bytes of an answer; ends are exclusive. */
export interface AnswerPlaces {
  readonly timeStart: number;
  readonly timeEnd: number;
  readonly uidStart: number;
  readonly uidEnd: number;
}

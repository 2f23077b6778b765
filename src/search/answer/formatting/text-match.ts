/** A match of the query in a text (relevance.md 6.3). */

/** Query positions that a match covers, both inclusive. */
export interface QueryPlace {
  readonly start: number;
  readonly end: number;
}

export interface TextMatch {
  /** Half-open range of highlighted bytes. */
  readonly start: number;
  readonly end: number;
  /**
   * Inclusive ranges of token and word numbers. A word is a token that is not a separator, or
   * several tokens that are characters of one word.
   */
  readonly firstToken: number;
  readonly lastToken: number;
  readonly firstWord: number;
  readonly lastWord: number;
  readonly place: QueryPlace;
}

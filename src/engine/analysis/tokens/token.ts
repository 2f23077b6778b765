/**
 * Results of analysis: tokens of a text with their offsets, and words with positions for indexing.
 */

export const TokenKind = { word: 0, stopWord: 1, softSeparator: 2, hardSeparator: 3 } as const;
export type TokenKind = (typeof TokenKind)[keyof typeof TokenKind];

export interface Token {
  /** Normalised text; may be empty. */
  readonly lemma: string;
  readonly kind: TokenKind;
  /** Half-open range of UTF-16 units in the analysed text. */
  readonly start: number;
  readonly end: number;
}

/** A normalised text and where its characters come from. */
export interface TracedLemma {
  readonly lemma: string;
  /** For each character of the lemma, the UTF-16 offset in the text after its origin. */
  readonly ends: readonly number[];
}

/** Receives the indexed words of a value, in text order. */
export interface WordSink {
  /**
   * @param bytes scratch buffer holding the lemma's UTF-8 in `[0, length)`; valid during the call
   * only
   * @param hash 32-bit hash of those bytes (`hashBytes` of engine/bytes), for interning
   * @param position of the word in its field, 0 … 65 535
   */
  word(bytes: Uint8Array, length: number, hash: number, position: number): void;
}

/** The settings that decide how text becomes words, the same for documents and queries. */
export interface AnalyzerSettings {
  readonly stopWords: readonly string[];
  readonly separatorTokens: readonly string[];
  readonly nonSeparatorTokens: readonly string[];
  readonly dictionary: readonly string[];
}

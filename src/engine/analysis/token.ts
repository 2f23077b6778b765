/** What analysis yields: tokens of a text with their place in it, and words with positions for indexing. */

export const TokenKind = { word: 0, stopWord: 1, softSeparator: 2, hardSeparator: 3 } as const;
export type TokenKind = (typeof TokenKind)[keyof typeof TokenKind];

export interface Token {
  /** Normalised text; may be empty. */
  readonly lemma: string;
  readonly kind: TokenKind;
  /** Half-open range of UTF-16 units in the analysed text. */
  readonly start: number;
  readonly end: number;
  /**
   * For each code point of `lemma`, the UTF-16 offset in the analysed text just after the original character it came from
   * (so that the first `c` lemma characters map to `[start, lemmaEnds[c-1])`); null when lemma and text agree unit by unit.
   */
  readonly lemmaEnds: readonly number[] | null;
}

/** Receives the indexed words of a value, in text order. */
export interface WordSink {
  /**
   * @param bytes scratch buffer holding the lemma's UTF-8 in `[0, length)`; valid during the call only
   * @param hash 32-bit hash of those bytes (`hashBytes` of engine/bytes), for interning
   * @param position of the word in its field, 0 … 65 535
   */
  word(bytes: Uint8Array, length: number, hash: number, position: number): void;
}

/** The settings that decide how text becomes words. Same lists for documents and queries. */
export interface AnalyzerSettings {
  readonly stopWords: readonly string[];
  readonly separatorTokens: readonly string[];
  readonly nonSeparatorTokens: readonly string[];
  readonly dictionary: readonly string[];
}

/** The only door to analysis. Instances are immutable after construction and keep scratch space, so one per thread. */
export interface Analyzer {
  /** All tokens of a text, separators included (relevance.md 1.1, 1.2). `locales` are ISO 639-3 codes, null = none given. */
  tokenize(text: string, locales: readonly string[] | null): Token[];
  /** Same tokenisation, but stop words come as plain words: what the formatter matches against. */
  tokenizeForDisplay(text: string, locales: readonly string[] | null): Token[];
  /**
   * Feeds the indexed words of one value to `sink` with the positions of relevance.md 1.3 and 1.5.
   * ASCII text takes a path that makes no string.
   * @param utf8 holds the value's text (JSON escapes already resolved) in `[start, end)`
   * @param base base offset of the value (1.4)
   * @returns position of the last word handed to `sink`, or -1 when there was none
   */
  indexWords(
    utf8: Uint8Array,
    start: number,
    end: number,
    base: number,
    locales: readonly string[] | null,
    sink: WordSink,
  ): number;
  /** Facet and synonym style normalisation of one string as a whole, without cutting it (5.8). */
  normalizeWhole(text: string, locales: readonly string[] | null): string;
}

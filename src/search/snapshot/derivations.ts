/** What a query's words lead to in a snapshot: words that exist there, alone or in phrases. */

/** A word of the index and its ordinal in each segment (−1 where the segment lacks it). */
export interface Word {
  readonly text: string;
  readonly ordinals: Int32Array;
}

/**
 * Words sharing a prefix: a half-open range of ordinals for each segment, `[lo0, hi0, lo1, hi1,
 * …]`.
 */
export interface WordRanges {
  readonly bounds: Int32Array;
  /** The last word, where there would be more of them; null when all are in the ranges. */
  readonly last: string | null;
}

/**
 * Words in order; null slots are gaps. A phrase that needs a word the index lacks is never built.
 */
export interface Phrase {
  readonly slots: readonly (Word | null)[];
}

/** What may stand for a node in a document, by the number of typos. */
export interface Derivations {
  /** None: the word itself, completions of a prefix, synonyms; or the query's phrase alone. */
  readonly exact: Word | null;
  readonly completions: WordRanges | null;
  readonly synonyms: readonly Phrase[];
  /** Inflections of the word, which are among the synonyms too, at their end. */
  readonly relatives: readonly Word[];
  readonly phrase: Phrase | null;
  /** One. */
  readonly oneTypo: readonly Word[];
  readonly split: Phrase | null;
  /** Two. */
  readonly twoTypos: readonly Word[];
}

/** What the words of a node lead to; the same for all searches of a generation. */
export interface NodeContent {
  /**
   * Names what the node stands for without typos, whatever segments there are: derivations of one
   * name hold the same words. null when they are not kept.
   */
  readonly key: string | null;
  /** The same with typos. */
  readonly typoKey: string | null;
  /** Typos allowed. */
  readonly budget: 0 | 1 | 2;
  /** Completions are those of a frequent prefix: no reversed neighbours. */
  readonly isFrequentPrefix: boolean;
  readonly derivations: Derivations;
}

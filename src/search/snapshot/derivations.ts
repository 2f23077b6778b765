/** Words of a snapshot that match a query's words, alone or in phrases. */

/**
 * A word of the index and its ordinal in each segment (−1 where the segment lacks it). An array of
 * few numbers takes a third of the memory of a typed array.
 */
export interface Word {
  readonly text: string;
  readonly ordinals: readonly number[];
}

/**
 * Words with a common prefix: a half-open range of ordinals for each segment, `[lo0, hi0, lo1, hi1,
 * …]`.
 */
export interface WordRanges {
  readonly bounds: readonly number[];
  /** The last word when the number of words was capped; null when the ranges hold all words. */
  readonly last: string | null;
}

/**
 * Words in order; null slots are gaps. A phrase with a word that the index lacks is never built.
 */
export interface Phrase {
  readonly slots: readonly (Word | null)[];
}

/** The chunks that contain a part of one, as ordinals of each segment, ascending. */
export interface Chunks {
  readonly ordinals: readonly Uint32Array[];
  /** The last chunk when their number was capped; null when they are all. */
  readonly last: string | null;
}

/** Alternatives of a query node, by number of typos. */
export interface Derivations {
  /** No typos: the word itself, completions of a prefix, synonyms; or the query's phrase alone. */
  readonly exact: Word | null;
  readonly completions: WordRanges | null;
  readonly synonyms: readonly Phrase[];
  /** Synonyms with a word that the index lacks: a text that is not searched may hold them. */
  readonly unknownSynonyms: readonly (readonly string[])[];
  /** Inflections of the word. They are the last entries of the synonyms, too. */
  readonly relatives: readonly Word[];
  readonly phrase: Phrase | null;
  /** One. */
  readonly oneTypo: readonly Word[];
  readonly split: Phrase | null;
  /** Two. */
  readonly twoTypos: readonly Word[];
  /** The alternatives of a part of a chunk, which is no word: they count like words with two typos. */
  readonly chunks: Chunks | null;
}

/** Words that match a query node; the same for all searches of a generation. */
export interface NodeContent {
  /**
   * Names the alternatives without typos, independent of segments: derivations with the same name
   * have the same words. null when they are not cached.
   */
  readonly key: string | null;
  /** The name of the alternatives with typos. */
  readonly typoKey: string | null;
  /** Typos allowed. */
  readonly budget: 0 | 1 | 2;
  /** The completions are those of a frequent prefix: no reversed neighbours. */
  readonly isFrequentPrefix: boolean;
  readonly derivations: Derivations;
}

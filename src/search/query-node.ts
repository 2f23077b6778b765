/** What a query is made of once its words have been looked up: nodes and the derivations that may stand for them. */
import type { Word, WordRanges } from './vocabulary.ts';

/** Words in order; null slots are gaps. A phrase that needs a word the index lacks is never built. */
export interface Phrase {
  readonly slots: readonly (Word | null)[];
}

/** What may stand for a node in a document, by typo level. */
export interface Derivations {
  /** Level 0: the word itself, completions of a prefix, synonyms; or the query's phrase alone. */
  readonly exact: Word | null;
  readonly completions: WordRanges | null;
  readonly synonyms: readonly Phrase[];
  readonly phrase: Phrase | null;
  /** Level 1. */
  readonly oneTypo: readonly Word[];
  readonly split: Phrase | null;
  /** Level 2. */
  readonly twoTypos: readonly Word[];
}

export interface QueryNode {
  readonly kind: 'word' | 'phrase' | 'ngram';
  /** Index in `QueryGraph.nodes`; successors are tried in this order. */
  readonly number: number;
  readonly firstId: number;
  readonly lastId: number;
  /** Number of term ids covered: 1, 2 or 3. */
  readonly length: number;
  /** First and last query position. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Names what the node stands for, the same in every search of a generation; null when its derivations are not kept. */
  readonly key: string | null;
  readonly budget: 0 | 1 | 2;
  /** Completions are those of a frequent prefix: no reversed neighbours. */
  readonly isFrequentPrefix: boolean;
  /** Whether the node may be found in exact fields too (words may, ngrams may not). */
  readonly reachesExactFields: boolean;
  readonly derivations: Derivations;
}

export interface QueryGraph {
  readonly nodes: readonly QueryNode[];
  readonly termCount: number;
  /** Non-gap words in all phrases. */
  readonly phraseWordCount: number;
}

/** Typo levels at which the node has any derivation, a mask. */
export function derivedLevels({ derivations }: QueryNode): number {
  const { exact, completions, synonyms, phrase, oneTypo, split, twoTypos } = derivations;
  return (
    (exact || completions || phrase || synonyms.length > 0 ? 1 : 0) |
    (oneTypo.length > 0 || split ? 2 : 0) |
    (twoTypos.length > 0 ? 4 : 0)
  );
}

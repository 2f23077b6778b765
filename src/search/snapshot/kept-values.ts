/** The shapes of what searches keep for later ones. */

import type { DocSet } from '../sets/doc-set.ts';
import type { NodeContent } from './derivations.ts';

/** Occurrences of a node by row: records of row `i` are `[offsets[i], offsets[i + 1])`. */
export interface NodePositions {
  /** A row is a slot of a table, or a DocId when the records of all living documents are there. */
  readonly rows: 'slots' | 'docs';
  readonly offsets: Uint32Array;
  /** An occurrence key each. */
  readonly keys: Uint32Array;
  readonly classes: Uint8Array;
}

/** Documents that a rule gives one cost. */
export interface CostSet {
  readonly cost: number;
  readonly docs: DocSet;
}

/** The two better match types of exactness; all other documents are of the third. */
export type ExactnessMatches = Readonly<Record<'exactMatch' | 'matchesStart', DocSet>>;

/** The values of a field as one list over all its parts. */
export interface MergedValues {
  /** Distinct values of all parts. */
  readonly count: number;
  /** For each part, the place of each of its values among all. */
  readonly places: readonly Uint32Array[];
}

/** Groups of the members of the level below; the lowest level's members are the values. */
export interface TreeLevel {
  /** The place of the first value of each group, ascending. */
  readonly starts: Uint32Array;
  /** For each place the group that it is in. */
  readonly groupOf: Uint32Array;
}

/** The groups that the values of a field lie in. */
export interface ValueTree {
  readonly valueCount: number;
  /** From the lowest on; may be none. */
  readonly levels: readonly TreeLevel[];
}

/**
 * The distinct strings of a column in fully normalised form, ascending by bytes; the values of
 * several ordinals may have the same form, and each has its own place.
 */
export interface FacetVocabulary {
  readonly count: number;
  readonly text: Uint8Array;
  /** The form at place `i` is `text` from `starts[i]` to `starts[i + 1]`. */
  readonly starts: Uint32Array;
  /** Bytes that the form has in common with the one before. */
  readonly shared: Uint16Array;
  readonly ordinals: Uint32Array;
}

/** Terms of a segment that are similar to a text, in byte order. */
export interface SimilarTerms {
  /** Each term's ordinal, and in the lowest two bits how it is similar. */
  readonly listed: Uint32Array;
  /** Bit `k`: there may be more that are similar in way `k`. */
  readonly cut: number;
}

export type KeptValue =
  | DocSet
  | Uint32Array
  | NodeContent
  | NodePositions
  | readonly CostSet[]
  | ExactnessMatches
  | MergedValues
  | ValueTree
  | FacetVocabulary
  | SimilarTerms;

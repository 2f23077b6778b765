/** Types of cached results. */

import type { DocSet } from '../sets/doc-set.ts';
import type { NodeContent } from './derivations.ts';

/** Documents with the same cost in a ranking rule. */
export interface CostSet {
  readonly cost: number;
  readonly docs: DocSet;
}

/** The two better match types of exactness; all other documents have the third. */
export type ExactnessMatches = Readonly<Record<'exactMatch' | 'matchesStart', DocSet>>;

/** The values of a field as one list over all its parts. */
export interface MergedValues {
  /** Distinct values of all parts. */
  readonly count: number;
  /** For each part, the place of each of its values in the merged list. */
  readonly places: readonly Uint32Array[];
}

/** Groups of the members of the level below; the lowest level's members are the values. */
export interface TreeLevel {
  /** The place of the first value of each group, ascending. */
  readonly starts: Uint32Array;
  /** For each place its group. */
  readonly groupOf: Uint32Array;
}

/** Hierarchical groups of the values of a field. */
export interface ValueTree {
  readonly valueCount: number;
  /** Lowest level first; may be empty. */
  readonly levels: readonly TreeLevel[];
}

/**
 * The distinct strings of a column in fully normalised form, ascending by bytes. Values with the
 * same form have separate places.
 */
export interface FacetVocabulary {
  readonly count: number;
  readonly text: Uint8Array;
  /** The form at place `i` is `text` from `starts[i]` to `starts[i + 1]`. */
  readonly starts: Uint32Array;
  /** Length in bytes of the prefix shared with the previous form. */
  readonly shared: Uint16Array;
  readonly ordinals: Uint32Array;
}

/** Terms of a segment that are similar to a text, in byte order. */
export interface SimilarTerms {
  /** Each term's ordinal; the lowest two bits are the kind of similarity. */
  readonly listed: readonly number[];
  /** Bit `k`: the list of kind `k` was capped. */
  readonly cut: number;
}

/** Costs that scans for the same terms found in documents of a segment. */
export interface ScannedCosts {
  /** Ascending. */
  readonly ranks: Uint32Array;
  /** By document, in the order of the ranks. */
  readonly costs: Int32Array;
}

/** Times of consecutive strings of a column. */
export interface DateTimes {
  /**
   * Milliseconds since 1970 by ordinal, from that of the first string on; NaN for texts that are no
   * dates.
   */
  readonly times: Float64Array;
  /** True if all are dates and the times ascend. */
  readonly doAscend: boolean;
}

export type CachedValue =
  | DocSet
  | Uint32Array
  | ScannedCosts
  | DateTimes
  | NodeContent
  | readonly CostSet[]
  | ExactnessMatches
  | MergedValues
  | ValueTree
  | FacetVocabulary
  | SimilarTerms;

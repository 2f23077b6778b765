/**
 * What a ranking rule is: it deals a universe into buckets, best first, and hands each bucket the
 * readings its documents use.
 */
import type { Deadline } from '../../../core/deadline.ts';
import type { GeoPoint } from '../../../engine/columns/columns.ts';
import type { SortDirection } from '../../../model/sort-criterion.ts';
import type { FieldNeighbours } from '../../matching/field-neighbours.ts';
import type { MatchSets } from '../../matching/match-sets.ts';
import { PositionTable } from '../../matching/position-table.ts';
import type { ReadingGraph } from '../../matching/readings.ts';
import type { QueryGraph } from '../../query/query-node.ts';
import type { DocSet } from '../../sets/doc-set.ts';
import type { IndexSnapshot } from '../../snapshot/index-snapshot.ts';
import type { ReadingCosts } from './priced-buckets.ts';

/** What a sort level shows of its buckets; it contributes nothing to the ranking score. */
export type SortDetail =
  | {
      readonly rule: 'fieldSort';
      readonly key: string;
      readonly direction: SortDirection;
      readonly value: number | string | null;
      readonly isHidden: boolean;
    }
  | {
      readonly rule: 'geoSort';
      readonly key: string;
      readonly direction: SortDirection;
      readonly value: GeoPoint | null;
      readonly distance: number | null;
    };

/** What a bucket of the vector rule shows; null without a vector, which counts as 0. */
export interface SimilarityDetail {
  readonly rule: 'vectorSort';
  readonly similarity: number | null;
}

/** Stands by itself: a document that has its place by a search rule, whatever its words. */
export interface PinDetail {
  readonly rule: 'pin';
  /** The place that is asked for, from 0. */
  readonly position: number;
  /** Of the search rule. */
  readonly precedence: number;
}

export type RankDetail = ScoreDetail | SortDetail | SimilarityDetail | PinDetail;

/** What a level contributes to the ranking score: `rank` of `max`, 1 ≤ rank ≤ max. */
export type ScoreDetail =
  | { readonly rule: 'words'; readonly rank: number; readonly max: number }
  | { readonly rule: 'typo'; readonly rank: number; readonly max: number }
  | { readonly rule: 'relevance'; readonly rank: number; readonly max: number }
  | {
      readonly rule: 'proximity' | 'attributeRank' | 'wordPosition';
      readonly rank: number;
      readonly max: number;
    }
  | {
      readonly rule: 'attributeExactness';
      readonly rank: number;
      readonly max: number;
      readonly matchType: MatchType;
    }
  | { readonly rule: 'wordExactness'; readonly rank: number; readonly max: number }
  | { readonly rule: 'skipped'; readonly rank: 0; readonly max: 1 };

export type MatchType = 'exactMatch' | 'matchesStart' | 'noExactMatch';

export interface Bucket {
  readonly docs: DocSet;
  readonly graph: ReadingGraph;
  readonly detail: RankDetail;
  /** Positions of a universe that includes the bucket, when some rule has loaded them. */
  readonly positions: PositionTable | null;
}

/**
 * Buckets of one universe, best first; each call is given what is left of the universe, and null
 * means there is no more.
 */
export interface BucketSource {
  next(universe: DocSet): Bucket | null;
  /** There is no more because the deadline has come. */
  readonly isCutShort?: boolean;
}

export interface RankingContext {
  readonly snapshot: IndexSnapshot;
  readonly sets: MatchSets;
  readonly fieldNeighbours: FieldNeighbours;
  readonly query: QueryGraph;
  /** A document need not hold more than one word of the query. */
  readonly takesAnyWord: boolean;
  readonly deadline: Deadline;
  /** Removal group of each node by number, 0 when the node is never removed (relevance.md 3.2). */
  readonly removalGroups: Int32Array;
  /** Global fields in which words count for this request: 1 or 0. */
  readonly presentFields: Uint8Array;
}

export interface RuleInput {
  readonly universe: DocSet;
  readonly graph: ReadingGraph;
  readonly positions: PositionTable | null;
  /** Rules that sort the buckets of this one, in order. */
  readonly following: readonly RankingRule[];
}

export interface RankingRule {
  /**
   * Buckets of the input. Those that no following rule tells apart may come in several parts, if all
   * documents of a part are better by the following rules than those of the next.
   * @param wanted documents that are asked for, from the best on; no more than a hint
   */
  start(context: RankingContext, input: RuleInput, wanted: number): BucketSource;
  /** Of a rule whose buckets depend on one reading each; else absent. */
  costsOf?(context: RankingContext, graph: ReadingGraph): ReadingCosts;
}

export const positionsOf = (
  { snapshot, sets }: RankingContext,
  { universe, positions }: RuleInput,
): PositionTable => positions ?? new PositionTable(snapshot, sets, universe);

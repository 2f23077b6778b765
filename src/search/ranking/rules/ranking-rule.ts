/**
 * The interface of a ranking rule: groups a universe into buckets, best first, and passes each
 * bucket with the readings of its documents.
 */
import type { Deadline } from '../../../core/deadline.ts';
import type { GeoPoint } from '../../../engine/columns/haversine.ts';
import type { SortDirection } from '../../../model/sort-criterion.ts';
import type { FieldNeighbours } from '../../matching/field-neighbours.ts';
import type { MatchSets } from '../../matching/match-sets.ts';
import { PositionTable } from '../../matching/position-table.ts';
import type { ReadingScan } from '../../matching/reading-scan.ts';
import type { ReadingGraph } from '../../matching/readings.ts';
import type { QueryGraph } from '../../query/query-node.ts';
import type { DocSet } from '../../sets/doc-set.ts';
import type { IndexSnapshot } from '../../snapshot/index-snapshot.ts';
import type { ReadingCosts } from './priced-buckets.ts';

/** Score details of a sort level; it contributes nothing to the ranking score. */
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

/** Score details of the vector rule; null without a vector, which counts as 0. */
export interface SimilarityDetail {
  readonly rule: 'vectorSort';
  readonly similarity: number | null;
}

/** Replaces other details: a document pinned by a search rule, independent of its words. */
export interface PinDetail {
  readonly rule: 'pin';
  /** The requested position, from 0. */
  readonly position: number;
  /** Precedence of the search rule. */
  readonly precedence: number;
}

export type RankDetail = ScoreDetail | SortDetail | SimilarityDetail | PinDetail;

/** Rules whose buckets are numbered by cost. */
export type CostRule =
  | 'words'
  | 'typo'
  | 'proximity'
  | 'attributeRank'
  | 'wordPosition'
  | 'wordExactness';

/** Contribution of a level to the ranking score: `rank` of `max`, 1 ≤ rank ≤ max. */
export type ScoreDetail =
  | { readonly rule: CostRule | 'relevance'; readonly rank: number; readonly max: number }
  | {
      readonly rule: 'attributeExactness';
      readonly rank: number;
      readonly max: number;
      readonly matchType: MatchType;
    }
  | { readonly rule: 'skipped'; readonly rank: 0; readonly max: 1 };

/** A rule with the costs of a search. */
export interface PricedRule {
  readonly rule: CostRule;
  readonly costs: ReadingCosts;
  /** No document costs more. */
  readonly largest: number;
}

/** Of a bucket with this cost. */
export const costDetail = (
  { rule, largest }: Omit<PricedRule, 'costs'>,
  cost: number,
): ScoreDetail => ({ rule, rank: largest + 1 - cost, max: largest + 1 });

export type MatchType = 'exactMatch' | 'matchesStart' | 'noExactMatch';

export interface Bucket {
  readonly docs: DocSet;
  readonly graph: ReadingGraph;
  readonly detail: RankDetail;
  /** Positions of a universe that includes the bucket, if a rule has loaded them. */
  readonly positions: PositionTable | null;
}

/**
 * Buckets of one universe, best first. Each call receives the remaining universe; null means the
 * end.
 */
export interface BucketSource {
  next(universe: DocSet): Bucket | null;
  /** True if the deadline ended the buckets. */
  readonly isCutShort?: boolean;
}

export interface RankingContext {
  readonly snapshot: IndexSnapshot;
  readonly sets: MatchSets;
  readonly fieldNeighbours: FieldNeighbours;
  readonly readingScan: ReadingScan;
  readonly query: QueryGraph;
  /** A document needs only one word of the query. */
  readonly takesAnyWord: boolean;
  readonly deadline: Deadline;
  /** Removal group of each node by number, 0 if it is never removed (relevance.md 3.2). */
  readonly removalGroups: Int32Array;
  /** 1 for global fields in which words count for this request, else 0. */
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
   * Buckets of the input. Documents that no following rule distinguishes may come in several parts,
   * if all documents of a part rank before those of the next part by the following rules. @param
   * wanted number of documents requested, from the best; a hint
   */
  start(context: RankingContext, input: RuleInput, wanted: number): BucketSource;
  /** Present for a rule whose buckets depend on one reading each. */
  costsOf?(context: RankingContext): ReadingCosts;
}

export const positionsOf = (
  { snapshot, sets }: RankingContext,
  { universe, positions }: RuleInput,
): PositionTable => positions ?? new PositionTable(snapshot, sets, universe);

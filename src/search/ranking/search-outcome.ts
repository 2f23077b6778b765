/** What a search has found: ranked documents of its window, and all that match. */
import type { QueryGraph } from '../query/query-node.ts';
import type { DocSet } from '../sets/doc-set.ts';
import type { RankedDocument } from './bucket-sort.ts';

export interface SearchOutcome {
  readonly documents: readonly RankedDocument[];
  /** Documents that match, whatever the window, without those dropped by the score threshold and the duplicates met. */
  readonly candidates: DocSet;
  readonly isDegraded: boolean;
  /** What hits are marked with; null for a placeholder search. */
  readonly query: QueryGraph | null;
  /** What documents have been found by meaning with; null when only words were asked. */
  readonly queryVector: Float32Array | null;
  /** Documents of the window that were found by meaning; null for a search by words alone. */
  readonly semanticHitCount: number | null;
}

/** What a search for similar documents has found. */
export interface SimilarOutcome {
  readonly documents: readonly RankedDocument[];
  readonly totalCount: number;
}

/** Result of a search: the ranked documents of its window and all matching documents. */

import type { QueryGraph } from '../query/query-node.ts';
import type { DocSet } from '../sets/doc-set.ts';
import type { DocumentGroup } from '../values/grouped-documents.ts';
import type { FacetGroups } from '../values/segment-counts.ts';
import type { RankedDocument } from './bucket-sort.ts';
import type { PinDetail } from './rules/ranking-rule.ts';

export interface SearchOutcome {
  readonly documents: readonly RankedDocument[];
  /**
   * All matching documents, without those below the score threshold and without duplicates found.
   */
  readonly candidates: DocSet;
  readonly isDegraded: boolean;
  /** Used to highlight hits; null for a placeholder search. */
  readonly query: QueryGraph | null;
  /** The vector of the query; null for a keyword search. */
  readonly queryVector: Float32Array | null;
  /** Documents of the window found by vector search; null for a keyword search. */
  readonly semanticHitCount: number | null;
  /** null without `groupBy`; with it, the candidates are one document of each group. */
  readonly grouping: Grouping | null;
}

/** The rule that pins a document; null for a ranked document. */
export function pinOf({ levels }: RankedDocument): PinDetail | null {
  const detail = levels[0]?.detail;
  return detail?.rule === 'pin' ? detail : null;
}

export const isSemantic = ({ levels }: RankedDocument): boolean =>
  levels.some(({ detail }) => detail.rule === 'vectorSort');

/** The outcome with other documents of the window. */
export const withDocuments = (
  outcome: SearchOutcome,
  documents: readonly RankedDocument[],
): SearchOutcome => ({
  ...outcome,
  documents,
  semanticHitCount: outcome.semanticHitCount === null ? null : documents.filter(isSemantic).length,
});

export interface Grouping {
  readonly groups: ReadonlyMap<RankedDocument, DocumentGroup<RankedDocument>>;
  /** The documents in all groups. */
  readonly documents: DocSet;
  /** null if the request has no facets. */
  readonly facetGroups: FacetGroups | null;
}

/** Result of a search for similar documents. */
export interface SimilarOutcome {
  readonly documents: readonly RankedDocument[];
  readonly totalCount: number;
}

/**
 * What a search case yields in a snapshot: each document with the rank of every level, in order.
 */
import { Deadline } from '../../src/core/deadline.ts';
import { DEFAULT_SEARCH_REQUEST } from '../../src/model/search.ts';
import { executeSearch } from '../../src/search/execute-search.ts';
import type { IndexSnapshot } from '../../src/search/snapshot/index-snapshot.ts';
import { queryText } from './oracle-query.ts';
import type { SearchCase } from './search-cases.ts';

export interface RankedDocuments {
  readonly totalCount: number;
  /** `<DocId>, <rule> <rank>/<max>, …` */
  readonly lines: readonly string[];
}

export function rankedDocuments(
  snapshot: IndexSnapshot,
  { query, strategy, searchOn }: SearchCase,
): RankedDocuments {
  const request = {
    ...DEFAULT_SEARCH_REQUEST,
    q: queryText(query),
    matchingStrategy: strategy,
    attributesToSearchOn: searchOn,
    showRankingScore: true,
    limit: 1000,
  };
  const { documents, candidates } = executeSearch(snapshot, request, Deadline.never());
  const lines = documents.map(({ doc, levels }) =>
    [
      doc,
      ...levels.map(({ detail }) =>
        'rank' in detail ? `${detail.rule} ${detail.rank}/${detail.max}` : detail.rule,
      ),
    ].join(', '),
  );
  return { totalCount: candidates.count, lines };
}

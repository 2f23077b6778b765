/** The number of hits of a recorded search: of the answer's own member of that name. */
import { expect, it } from 'vitest';
import { recordSearch } from '../../../../src/api/searches/recorded-search.ts';
import { createFakeApiContext } from '../../../support/fake-api-context.ts';
import { NO_HEADERS } from '../../../support/route-request.ts';

const hits = [{ estimatedTotalHits: 7, totalHits: 7, processingTimeMs: 7 }];
const counts = { processingTimeMs: 5, limit: 5, estimatedTotalHits: 5, totalHits: 5 };
const facetDistribution = { processingTimeMs: counts, totalHits: counts };
const facetStats = { totalHits: { min: 1, max: 2 } };

it.each([
  [{ limit: 20, offset: 0, estimatedTotalHits: 42 }, 42],
  [{ hitsPerPage: 20, page: 1, totalPages: 3, totalHits: 42 }, 42],
  [{}, 0],
])('is the one of the answer, not that of a facet: %j', (totals, expected) => {
  const context = createFakeApiContext();
  const answer = { hits, query: '', processingTimeMs: 1, ...totals, facetDistribution, facetStats };
  recordSearch(context, NO_HEADERS, {
    index: 'films',
    q: 'a',
    filter: null,
    bytes: Buffer.from(JSON.stringify(answer)),
    queryUid: undefined,
    sinceMs: 0,
  });
  expect(context.recorded).toMatchObject([{ index: 'films', query: 'a', hits: expected }]);
});

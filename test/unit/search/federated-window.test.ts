/** Which hits of a federated search are written as JSON. */
import { expect, it } from 'vitest';
import { Deadline } from '../../../src/core/deadline.ts';
import { DEFAULT_SEARCH_REQUEST } from '../../../src/model/search.ts';
import { executeFederatedSearch } from '../../../src/search/execute-federated-search.ts';
import { buildSnapshot } from '../../support/build-snapshot.ts';

const documents = Array.from({ length: 12 }, (_, id) => ({ id, brand: `b${id >> 1}` }));
const snapshot = buildSnapshot({ documents, settings: { filterableAttributes: ['brand'] } });
const REQUEST = { ...DEFAULT_SEARCH_REQUEST, offset: 0, limit: 20 };

function writtenPlaces(distinct: string | null, isShared: boolean): number[] {
  const search = {
    queries: [{ request: { ...REQUEST, distinct }, position: 0, weight: 1 }],
    window: { offset: 2, limit: 2 },
    ...{ distinct, grouping: null, facets: null, mergesFacets: false },
    ...{ isShared, remote: null, isForPeer: false },
  };
  const deadline = Deadline.never();
  const index = { snapshot, search, deadline, foreign: new Map(), textOf: null };
  const hits = executeFederatedSearch([index]).parts[0]?.hits ?? [];
  return hits.flatMap(({ start, end }, place) => (end > start ? [place] : []));
}

it('writes the hits of the page alone, also with a distinct field', () => {
  expect(writtenPlaces(null, false)).toEqual([2, 3]);
  expect(writtenPlaces('brand', false)).toEqual([2, 3]);
});

it('writes all hits if hits of other instances can exclude some of them', () => {
  expect(writtenPlaces('brand', true)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(writtenPlaces(null, true)).toEqual([2, 3]);
});

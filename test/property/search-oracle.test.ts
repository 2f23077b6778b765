/**
 * Goal: search ranks as relevance.md defines. Method: random small indexes against an evaluator
 * that spells the definitions out.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildSnapshot } from '../support/build-snapshot.ts';
import { rankedDocuments } from '../support/ranked-documents.ts';
import { amount } from '../support/run-length.ts';
import { searchCases } from '../support/search-cases.ts';
import { oracleSearch } from '../support/search-oracle.ts';

const CASES = amount(100, 2000);

describe('search against the definitions', () => {
  it('ranks the same documents, in the same order, with the same ranks of every level', () => {
    let hits = 0;
    fc.assert(
      fc.property(searchCases, fc.integer({ min: 1, max: 3 }), (one, segmentCount) => {
        const expected = oracleSearch(one).map(({ doc, levels }) => [doc, ...levels].join(', '));
        const snapshot = buildSnapshot({ ...one, segmentCount });
        const found = rankedDocuments(snapshot, one);
        expect(found.lines).toEqual(expected);
        rankedDocuments(snapshot, {
          ...one,
          strategy: 'all',
          searchOn: one.searchOn ? null : ['title'],
        });
        expect(rankedDocuments(snapshot, one), 'the same after another search').toEqual(found);
        expect(found.totalCount).toBe(expected.length);
        hits += expected.length;
      }),
      { numRuns: CASES },
    );
    expect(hits).toBeGreaterThan(CASES);
  });
});

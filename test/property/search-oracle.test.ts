/**
 * Goal: search ranks as relevance.md defines. Method: random small indexes against an evaluator
 * that implements the definitions directly.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../../src/model/settings.ts';
import { buildSnapshot } from '../support/build-snapshot.ts';
import { rankedDocuments } from '../support/ranked-documents.ts';
import { amount } from '../support/run-length.ts';
import { type SearchCase, searchCases } from '../support/search-cases.ts';
import { oracleSearch } from '../support/search-oracle.ts';

const CASES = amount(25, 2000);
const DOCUMENTS = 160;
/** Number of documents from which costs may be computed in parts. */
const PARTED = 64;

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

  it('ranks the same in indexes so large that costs are computed part by part', () => {
    let parted = 0;
    fc.assert(
      fc.property(searchCases, fc.integer({ min: 1, max: 3 }), (one, segmentCount) => {
        const documents = Array.from({ length: DOCUMENTS }, (_, i) => ({
          ...one.documents[(i * i) % one.documents.length],
          id: i,
        }));
        const large = { ...one, documents };
        const expected = oracleSearch(large).map(({ doc, levels }) => [doc, ...levels].join(', '));
        const found = rankedDocuments(buildSnapshot({ ...large, segmentCount }), large);
        expect(found.lines).toEqual(expected);
        if (expected.length >= PARTED) parted++;
      }),
      { numRuns: amount(12, 300) },
    );
    expect(parted).toBeGreaterThan(2);
  });

  const synonymCase: SearchCase = {
    documents: [{ id: 'i0', title: 'day sun', body: 'flower', note: 'sun sunflower' }],
    settings: {
      ...DEFAULT_SETTINGS,
      searchableAttributes: ['title', 'body', 'note'],
      synonyms: { sunflower: ['day'] },
    },
    query: { items: [{ kind: 'word', text: 'sunflower' }], trailingSpace: true },
    strategy: 'all',
    searchOn: null,
  };
  it.each([
    ['attributeRank', 'attributeRank 3/3'],
    ['wordPosition', 'wordPosition 11/11'],
  ])('keeps the synonyms of a word narrowed to its exact form: %s', (rule, level) => {
    const settings = { ...synonymCase.settings, rankingRules: ['exactness', rule] };
    const exactness = 'attributeExactness 1/3, wordExactness 2/2';
    const lines = [`0, ${exactness}, ${level}`];
    const expected = oracleSearch({ ...synonymCase, settings });
    expect(expected.map(({ doc, levels }) => [doc, ...levels].join(', '))).toEqual(lines);
    expect(rankedDocuments(buildSnapshot({ ...synonymCase, settings }), synonymCase).lines).toEqual(
      lines,
    );
  });
});

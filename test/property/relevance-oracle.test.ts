/**
 * Goal: relevance gives documents the rank that relevance.md 3.15 defines, and the same documents
 * for every limit and every layout of segments. Method: random small indexes against an evaluator
 * that implements the definitions directly; larger ones against themselves.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Deadline } from '../../src/core/deadline.ts';
import { DEFAULT_SEARCH_REQUEST, type SearchRequest } from '../../src/model/search.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../src/model/settings.ts';
import { executeSearch } from '../../src/search/execute-search.ts';
import type { IndexSnapshot } from '../../src/search/snapshot/index-snapshot.ts';
import { buildPlacedSnapshot, buildSnapshot } from '../support/build-snapshot.ts';
import { queryText } from '../support/oracle-query.ts';
import { oracleRelevance } from '../support/relevance-oracle.ts';
import { amount } from '../support/run-length.ts';
import { searchCases } from '../support/search-cases.ts';
import { type Asked, searchRequest } from '../support/search-request.ts';

interface Ranked {
  readonly doc: number;
  readonly rank: number;
}

function ranked(
  snapshot: IndexSnapshot,
  q: string,
  searchOn: readonly string[] | null,
  [offset, limit]: readonly [number, number] = [0, 1000],
): Ranked[] {
  return rankedBy(snapshot, {
    ...DEFAULT_SEARCH_REQUEST,
    q,
    offset,
    limit,
    matchingStrategy: 'any',
    attributesToSearchOn: searchOn,
    showRankingScore: true,
  });
}

const rankedBy = (snapshot: IndexSnapshot, request: SearchRequest): Ranked[] =>
  executeSearch(snapshot, request, Deadline.never()).documents.map(({ doc, levels }) => {
    const detail = levels[0]?.detail;
    return { doc, rank: detail?.rule === 'relevance' ? detail.rank : 0 };
  });

/** Texts of words by Zipf's law: some words have no weight and most are rare. */
const zipfText = (lengthMax: number): fc.Arbitrary<string> =>
  fc
    .array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: lengthMax })
    .map((draws) => draws.map((draw) => `w${Math.floor(60 ** draw)}`).join(' '));

const CASES = amount(20, 1500);

describe('relevance', () => {
  it('gives each document the rank of the definition', () => {
    let hits = 0;
    fc.assert(
      fc.property(searchCases, fc.integer({ min: 1, max: 3 }), (one, segmentCount) => {
        // Parts of chunks find documents to which the rule gives no score.
        const parts = { substringAttributes: [] };
        const settings = { ...one.settings, ...parts, rankingRules: ['relevance'] };
        const expected = oracleRelevance({ ...one, settings });
        const text = queryText(one.query);
        fc.pre(one.query.items.some(({ kind }) => kind === 'word' || kind === 'phrase'));
        const found = ranked(buildSnapshot({ ...one, settings, segmentCount }), text, one.searchOn);
        fc.pre(found.every(({ rank }) => rank > 0));
        expect(found.map(({ doc }) => doc).sort((a, b) => a - b)).toEqual(
          [...expected.keys()].sort((a, b) => a - b),
        );
        // 32-bit rounding may move a score to the next step.
        for (const { doc, rank } of found)
          expect(Math.abs(rank - expected.get(doc)!), `rank of ${doc}`).toBeLessThanOrEqual(
            rank > 15_000 ? 1 : 3,
          );
        hits += found.length;
      }),
      { numRuns: CASES },
    );
    expect(hits).toBeGreaterThan(CASES);
  });

  it('weighs a word without regard to synonyms that no document can have', () => {
    const rankWith = (synonyms: Settings['synonyms']): unknown[] => {
      const settings = { ...DEFAULT_SETTINGS, rankingRules: ['relevance'], synonyms };
      const documents = [{ id: 'i0', title: 'flowers sun' }];
      const items = ['flower', 'sunflwoer'].map((text) => ({ kind: 'word', text }) as const);
      const query = { items, trailingSpace: false };
      const one = { documents, settings, query, strategy: 'last', searchOn: null } as const;
      const found = ranked(buildSnapshot(one), queryText(query), null);
      return [oracleRelevance(one).get(0), found.map(({ rank }) => rank)];
    };
    const [expected, found] = rankWith({});
    expect(found).toEqual([expected]);
    expect(rankWith({ flower: ['low sun'] })).toEqual([expected, found]);
  });

  it('returns the same best documents for every limit', () => {
    const cases = fc.record({
      texts: fc.array(fc.tuple(zipfText(3), zipfText(12)), { minLength: 270, maxLength: 400 }),
      stem: fc.constantFrom('w', 'word'),
      q: zipfText(9),
      offset: fc.integer({ min: 0, max: 8 }),
      limit: fc.integer({ min: 1, max: 6 }),
      segmentCount: fc.integer({ min: 1, max: 3 }),
    });
    fc.assert(
      fc.property(cases, ({ texts, stem, q: words, offset, limit, segmentCount }) => {
        // Words of five letters allow typos.
        const [q = '', ...rows] = [words, ...texts.flat()].map((text) =>
          text.replaceAll('w', stem),
        );
        const snapshot = buildSnapshot({
          documents: texts.map((_, id) => ({ id, title: rows[2 * id], text: rows[2 * id + 1] })),
          settings: { rankingRules: ['relevance'], searchableAttributes: ['title', 'text'] },
          segmentCount,
        });
        const all = ranked(snapshot, `${q} `, null);
        expect(ranked(snapshot, `${q} `, null, [offset, limit])).toEqual(
          all.slice(offset, offset + limit),
        );
      }),
      { numRuns: amount(6, 250) },
    );
  });

  it('gives the same ranks and pages with filters, duplicates, sorts and deleted documents', () => {
    const cases = fc.record({
      texts: fc.array(fc.tuple(zipfText(10), fc.boolean()), { minLength: 300, maxLength: 450 }),
      q: zipfText(9),
      filter: fc.constantFrom(null, 'kind != 0'),
      distinct: fc.constantFrom(null, 'group'),
      sort: fc.constantFrom([], ['group:desc']),
      offset: fc.integer({ min: 0, max: 30 }),
      limit: fc.integer({ min: 1, max: 10 }),
    });
    fc.assert(
      fc.property(cases, ({ texts, q, offset, limit, ...asked }) => {
        const copies = texts.map(([text], id) => ({
          docId: id,
          document: { id, text, kind: id % 5, group: id % 60 },
          isDead: false,
        }));
        const older = copies.map((copy) =>
          texts[copy.docId]![1]
            ? { ...copy, document: { ...copy.document, text: `${q} ${q}` }, isDead: true }
            : copy,
        );
        const third = Math.ceil(texts.length / 3);
        const snapshot = buildPlacedSnapshot({
          segments: [
            older.slice(0, third),
            older.slice(third),
            copies.filter(({ docId }) => texts[docId]![1]),
          ].filter((segment) => segment.length > 0),
          settings: {
            rankingRules: ['relevance', 'sort'],
            searchableAttributes: ['text'],
            filterableAttributes: ['kind', 'group'],
            sortableAttributes: ['group'],
          },
        });
        const found = (page: Asked): Ranked[] =>
          rankedBy(snapshot, searchRequest({ ...page, q: `${q} `, matchingStrategy: 'any' }));
        const all = found({ ...asked, limit: 1000 });
        expect(found({ ...asked, offset, limit })).toEqual(all.slice(offset, offset + limit));
        const rankOf = new Map(found({ limit: 1000 }).map(({ doc, rank }) => [doc, rank]));
        expect(all.map(({ doc }) => rankOf.get(doc))).toEqual(all.map(({ rank }) => rank));
      }),
      { numRuns: amount(5, 200) },
    );
  });

  it('is the same for every layout of segments and every deleted copy', () => {
    const cases = fc.record({
      texts: fc.array(fc.tuple(zipfText(40), fc.boolean()), { minLength: 4, maxLength: 40 }),
      q: zipfText(5),
    });
    fc.assert(
      fc.property(cases, ({ texts, q }) => {
        const settings = { rankingRules: ['relevance'], searchableAttributes: ['text'] };
        const copies = texts.map(([text], docId) => ({
          docId,
          document: { id: docId, text },
          isDead: false,
        }));
        const replaced = copies.filter(({ docId }) => texts[docId]![1]);
        const older = copies.map((copy) =>
          replaced.includes(copy)
            ? { ...copy, document: { id: copy.docId, text: 'w1 w2 w3 w4' }, isDead: true }
            : copy,
        );
        const whole = buildPlacedSnapshot({ segments: [copies], settings });
        const parted = buildPlacedSnapshot({
          segments: replaced.length > 0 ? [older, replaced] : [older],
          settings,
        });
        expect(ranked(parted, `${q} `, null)).toEqual(ranked(whole, `${q} `, null));
      }),
      { numRuns: amount(12, 500) },
    );
  });
});

/**
 * Goal: score bounds are never too low: the most relevant documents are the same as with every
 * document weighed. Method: random indexes in which candidates are cut as in indexes of a million
 * documents, random queries, steps compared.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Deadline } from '../../src/core/deadline.ts';
import { documentsWithAny } from '../../src/search/matching/any-word.ts';
import type { MatchSets } from '../../src/search/matching/match-sets.ts';
import { buildQueryGraph } from '../../src/search/matching/query-graph.ts';
import { prepareSearch } from '../../src/search/prepared-search.ts';
import { leastOfStep } from '../../src/search/relevance/bm25f.ts';
import { HeldWords } from '../../src/search/relevance/held-words.ts';
import { HoldingDocuments } from '../../src/search/relevance/holding-documents.ts';
import { type WeighedQuery, weighQuery } from '../../src/search/relevance/query-units.ts';
import {
  relevantDocuments,
  type WeighingLimits,
} from '../../src/search/relevance/relevant-documents.ts';
import type { DocSet } from '../../src/search/sets/doc-set.ts';
import { NO_FOREIGN_INDEXES } from '../../src/search/snapshot/foreign-indexes.ts';
import type { IndexSnapshot } from '../../src/search/snapshot/index-snapshot.ts';
import { buildPlacedSnapshot } from '../support/build-snapshot.ts';
import { amount } from '../support/run-length.ts';
import { searchRequest } from '../support/search-request.ts';

/** Candidates are cut when there are more than the requested number. */
const SOON: WeighingLimits = { few: 0, firstMore: 0, firstMin: 0, firstGrowth: 2 };
const NEVER: WeighingLimits = { ...SOON, few: Number.POSITIVE_INFINITY };

const DOCUMENTS = 400;
const QUERIES = 150;
/** The bounds of one in 10 queries are checked for each document and place in the order. */
const LOOK_EVERY = 10;
/** For such a query, the number of best steps to check. */
const BEST_STEPS = 2;

interface Prepared {
  readonly snapshot: IndexSnapshot;
  readonly sets: MatchSets;
  readonly universe: DocSet;
  readonly weighed: WeighedQuery;
}

function prepared(snapshot: IndexSnapshot, q: string): Prepared {
  const request = searchRequest({ q, matchingStrategy: 'any' });
  const deadline = Deadline.never();
  const search = prepareSearch(snapshot, request, {
    deadline,
    times: null,
    foreign: NO_FOREIGN_INDEXES,
  });
  const { sets, vocabulary, parsed, allowed } = search;
  const { synonyms, protectedWords } = snapshot.wordLists;
  const { inflections } = snapshot.manifest.settings;
  const known = { snapshot, vocabulary, sets, synonyms, protectedWords, inflections, deadline };
  const query = buildQueryGraph(parsed, known);
  const universe = documentsWithAny(query, allowed, sets, deadline);
  return { snapshot, sets, universe, weighed: weighQuery(query, sets) };
}

/** Steps with their documents, up to the step of the last requested document. */
function steps(
  { snapshot, sets, universe, weighed: query }: Prepared,
  wanted: number,
  limits: WeighingLimits,
): (readonly [step: number, docs: readonly number[]])[] {
  const deadline = Deadline.never();
  const search = { snapshot, sets, query, universe, wanted, deadline };
  const found = relevantDocuments(search, limits)!;
  const dealt: (readonly [number, readonly number[]])[] = [];
  let count = 0;
  for (const { step, docs } of found.steps) {
    if (count >= wanted) break;
    count += docs.count;
    dealt.push([step, [...docs.toList()]]);
  }
  return dealt;
}

/** Bounds below the score of their document, at every place of the order. */
function boundsTooLow(query: Prepared): string[] {
  const { snapshot, universe, weighed } = query;
  const words = new HeldWords(weighed.parts, snapshot, Deadline.never());
  const low: string[] = [];
  const documents = steps(query, universe.count, NEVER).flatMap(([step, docs]) =>
    docs.map((doc) => ({
      doc,
      least: leastOfStep(step, weighed.most) * (1 - 1e-5),
      bits: 0,
      known: 0,
    })),
  );
  for (let place = 0; place <= words.order.length; place++) {
    const set = words.order[place];
    words.openFrom(place);
    for (const document of documents) {
      const { doc, least, bits, known } = document;
      const ofOthers = bits === 0 && set ? words.mostFrom[place]! : Number.POSITIVE_INFINITY;
      if (Math.min(ofOthers, known + words.moreOf(bits)) < least)
        low.push(`document ${doc} at ${place}`);
      if (!set?.docs.has(doc)) continue;
      if ((bits & set.unitBits) === 0) document.known += set.most;
      document.bits |= set.bit;
    }
  }
  return low;
}

/**
 * The best documents that were dropped although they reach the minimum score, for each number of
 * sets added before the minimum is known.
 */
function documentsLost(query: Prepared): string[] {
  const { snapshot, universe, weighed } = query;
  const words = new HeldWords(weighed.parts, snapshot, Deadline.never());
  const lost: string[] = [];
  for (const [step, docs] of steps(query, universe.count, NEVER).slice(0, BEST_STEPS)) {
    const least = leastOfStep(step, weighed.most) * (1 - 1e-5);
    words.order.forEach((_, place) => {
      const holding = new HoldingDocuments(words, universe.toBits());
      for (let taken = 0; taken <= place; taken++) holding.addNext(0, 0);
      const kept = new Set(holding.above(least).docs);
      holding.clear();
      const isTakenIn = (doc: number): boolean =>
        words.order.slice(0, place + 1).some((set) => set.docs.has(doc));
      for (const doc of docs)
        if (isTakenIn(doc) && !kept.has(doc)) lost.push(`document ${doc} at ${place}`);
    });
  }
  return lost;
}

/** Words by Zipf's law; words of five letters allow typos, some words are inflections of others. */
const word = fc.double({ min: 0, max: 1, noNaN: true }).map((draw) => {
  const rank = Math.floor(500 ** draw);
  const stem = ['w', 'word', 'walk'][rank % 3]! + rank.toString(26).replaceAll(/[0-9]/g, 'x');
  return rank % 4 === 0 ? `${stem}s` : stem;
});
/** Adds one typo if the word may have one. */
const misspelt = (own: string): string =>
  own.length < 5 ? own : `${own.slice(0, 2)}z${own.slice(3)}`;

const text = (lengthMax: number): fc.Arbitrary<string> =>
  fc.array(word, { minLength: 1, maxLength: lengthMax }).map((words) => words.join(' '));

/** A part of a document, so that some documents hold many words of a query, close together. */
const piece = fc.record({
  doc: fc.nat({ max: DOCUMENTS - 1 }),
  from: fc.nat({ max: 8 }),
  length: fc.integer({ min: 1, max: 4 }),
});

const cases = fc.record({
  documents: fc.array(fc.record({ title: text(4), text: text(16), isOld: fc.boolean() }), {
    minLength: DOCUMENTS,
    maxLength: DOCUMENTS,
  }),
  queries: fc.array(
    fc.record({
      pieces: fc.array(piece, { minLength: 1, maxLength: 4 }),
      isOpen: fc.boolean(),
      isMisspelt: fc.boolean(),
      wanted: fc.integer({ min: 1, max: 12 }),
    }),
    { minLength: QUERIES, maxLength: QUERIES },
  ),
  settings: fc.constantFrom(
    {},
    { inflections: ['eng'] },
    { synonyms: { wb: ['wordc', 'wd we'] } },
    { searchableAttributes: ['text'] },
  ),
});

describe('bounds of relevance', () => {
  it('never exclude a document that is among the most relevant', () => {
    let compared = 0;
    fc.assert(
      fc.property(cases, ({ documents, queries, settings }) => {
        const placed = documents.map((document, docId) => ({
          docId,
          document: { id: docId, title: document.title, text: document.text },
          isDead: false,
        }));
        const half = placed.length / 2;
        const snapshot = buildPlacedSnapshot({
          segments: [
            placed
              .slice(0, half)
              .map((copy, i) => ({ ...copy, isDead: documents[i]!.isOld && i % 4 === 0 })),
            placed.slice(half),
          ],
          settings: { searchableAttributes: ['title', 'text'], ...settings },
        });
        const words = documents.map((document) => document.text.split(' '));
        for (const { pieces, isOpen, isMisspelt, wanted } of queries) {
          const q = pieces
            .flatMap(({ doc, from, length }) => words[doc]!.slice(from, from + length))
            .map((own, i) => (isMisspelt && i % 3 === 0 ? misspelt(own) : own));
          if (q.length === 0) continue;
          const typed = `${q.join(' ')}${isOpen ? '' : ' '}`;
          const query = prepared(snapshot, typed);
          expect(steps(query, wanted, SOON), typed).toEqual(steps(query, wanted, NEVER));
          if (compared % LOOK_EVERY === 0) {
            expect(boundsTooLow(query), typed).toEqual([]);
            expect(documentsLost(query), typed).toEqual([]);
          }
          compared++;
        }
      }),
      { numRuns: amount(2, 40), endOnFailure: true },
    );
    expect(compared).toBeGreaterThan(amount(100, 3000));
  });

  it('include the proximity score of a document that is in no set added so far', () => {
    const texts = [
      'aa bb',
      'aa bb',
      ...new Array<string>(9).fill('aa x'),
      ...new Array<string>(9).fill('x bb'),
    ];
    const others = new Array<string>(30).fill('y z');
    const snapshot = buildPlacedSnapshot({
      segments: [
        [...texts, ...others].map((text, docId) => ({
          docId,
          document: { id: docId, text },
          isDead: false,
        })),
      ],
      settings: { searchableAttributes: ['text'] },
    });
    const query = prepared(snapshot, 'aa bb ');
    expect(boundsTooLow(query)).toEqual([]);
    expect(documentsLost(query)).toEqual([]);
  });

  it('hold for a word with one match kind of its own bit and another with the shared bit', () => {
    const rare = Array.from({ length: 30 }, (_, i) => `r${i.toString(26)}`);
    const many = (count: number, text: string): string[] => new Array<string>(count).fill(text);
    const texts = [
      `${'straddle '.repeat(5)}${'zz '.repeat(5)}`,
      ...rare,
      ...many(26, 'straddle'),
      'straddla',
      ...many(27, 'zz'),
      ...many(115, 'y '.repeat(40)),
    ];
    const placed = texts.map((text, docId) => ({
      docId,
      document: { id: docId, text },
      isDead: false,
    }));
    const settings = { searchableAttributes: ['text'] };
    const snapshot = buildPlacedSnapshot({ segments: [placed], settings });
    const query = prepared(snapshot, [...rare, 'straddle', 'zz '].join(' '));
    expect(boundsTooLow(query)).toEqual([]);
    expect(documentsLost(query)).toEqual([]);
  });
});

/**
 * Goal: what bounds documents before they are weighed is never too low: the most relevant documents
 * are those that weighing every document finds. Method: random indexes in which candidates are cut
 * as in those of a million documents, random queries, steps compared.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Deadline } from '../../src/core/deadline.ts';
import { documentsWithAny } from '../../src/search/matching/any-word.ts';
import { buildQueryGraph } from '../../src/search/matching/query-graph.ts';
import { prepareSearch } from '../../src/search/prepared-search.ts';
import { weighQuery } from '../../src/search/relevance/query-units.ts';
import {
  relevantDocuments,
  type WeighingLimits,
} from '../../src/search/relevance/relevant-documents.ts';
import type { IndexSnapshot } from '../../src/search/snapshot/index-snapshot.ts';
import { buildPlacedSnapshot } from '../support/build-snapshot.ts';
import { searchRequest } from '../support/search-request.ts';

/** Documents are cut as soon as there are more than are wanted. */
const SOON: WeighingLimits = { few: 0, firstMore: 0, firstMin: 0, firstGrowth: 2 };
const NEVER: WeighingLimits = { ...SOON, few: Number.POSITIVE_INFINITY };

const DOCUMENTS = 400;
const QUERIES = 150;

/** Steps with their documents, as far as all of the wanted ones are in them. */
function steps(
  snapshot: IndexSnapshot,
  q: string,
  wanted: number,
  limits: WeighingLimits,
): (readonly [step: number, docs: readonly number[]])[] {
  const deadline = Deadline.never();
  const request = searchRequest({ q, matchingStrategy: 'any' });
  const { sets, vocabulary, parsed, allowed } = prepareSearch(snapshot, request, deadline, null);
  const { synonyms, protectedWords } = snapshot.wordLists;
  const { inflections } = snapshot.manifest.settings;
  const known = { snapshot, vocabulary, sets, synonyms, protectedWords, inflections };
  const query = buildQueryGraph(parsed.terms, known);
  const universe = documentsWithAny(query, allowed, sets);
  const weighed = weighQuery(query, sets);
  const found = relevantDocuments(snapshot, sets, weighed, universe, wanted, deadline, limits)!;
  const dealt: (readonly [number, readonly number[]])[] = [];
  let count = 0;
  for (const { step, docs } of found.steps) {
    if (count >= wanted) break;
    count += docs.count;
    dealt.push([step, [...docs.toList()]]);
  }
  return dealt;
}

/** Words by Zipf's law; those of five letters are met with typos, some are inflections of others. */
const word = fc.double({ min: 0, max: 1, noNaN: true }).map((draw) => {
  const rank = Math.floor(500 ** draw);
  const stem = ['w', 'word', 'walk'][rank % 3]! + rank.toString(26).replaceAll(/[0-9]/g, 'x');
  return rank % 4 === 0 ? `${stem}s` : stem;
});
const text = (lengthMax: number): fc.Arbitrary<string> =>
  fc.array(word, { minLength: 1, maxLength: lengthMax }).map((words) => words.join(' '));

/** A piece of a document, so that some documents hold many words of a query, near each other. */
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
  it('never cut a document that is among the most relevant', () => {
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
        for (const { pieces, isOpen, wanted } of queries) {
          const q = pieces.flatMap(({ doc, from, length }) =>
            words[doc]!.slice(from, from + length),
          );
          if (q.length === 0) continue;
          const typed = `${q.join(' ')}${isOpen ? '' : ' '}`;
          const expected = steps(snapshot, typed, wanted, NEVER);
          expect(steps(snapshot, typed, wanted, SOON), typed).toEqual(expected);
          compared++;
        }
      }),
      { numRuns: 14, endOnFailure: true },
    );
    expect(compared).toBeGreaterThan(1500);
  });
});

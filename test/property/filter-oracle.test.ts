/**
 * Filters against a slow evaluator of their definitions, and invariants between filters, on 100,000
 * random ones.
 */

import { describe, expect, it } from 'vitest';
import { randomOf } from '../../load-tests/bench/random.ts';
import { Deadline } from '../../src/core/deadline.ts';
import { filterDocuments, parsedFilter } from '../../src/search/filter/filter-evaluator.ts';
import type { IndexSnapshot } from '../../src/search/snapshot/index-snapshot.ts';
import { buildPlacedSnapshot, type PlacedDocument } from '../support/build-snapshot.ts';
import {
  type Flat,
  flatten,
  type Random,
  type RandomFilter,
  randomCondition,
  randomDocument,
  randomFilter,
} from '../support/filter-oracle.ts';
import { amount } from '../support/run-length.ts';
import { searchFilter } from '../support/search-request.ts';

const CORPORA = amount(8, 1000);
const FILTERS_PER_CORPUS = 500;
const FIELDS = ['x', 'y', 'o', 'seldom', 'never'];

interface Corpus {
  readonly snapshot: IndexSnapshot;
  readonly documents: ReadonlyMap<number, Flat>;
  isSeen(path: string): boolean;
}

/** Documents in one to three segments; some have a deleted older copy in an earlier segment. */
function corpusOf(random: Random): Corpus {
  const count = 1 + Math.floor(random() * 40);
  const segments: PlacedDocument[][] = Array.from(
    { length: 1 + Math.floor(random() * 3) },
    () => [],
  );
  const documents = new Map<number, Flat>();
  const seen = new Set<string>();
  const place = (segment: number, docId: number, isDead: boolean): Flat => {
    const document = randomDocument(random, docId);
    segments[segment]?.push({ docId, document, isDead });
    const flat = flatten(document);
    for (const path of flat.keys()) seen.add(path);
    return flat;
  };
  for (let docId = 0; docId < count; docId++) {
    const segment = Math.floor(random() * segments.length);
    if (segment > 0 && random() < 0.2) place(segment - 1, docId, true);
    documents.set(docId, place(segment, docId, false));
  }
  const snapshot = buildPlacedSnapshot({
    segments: segments.filter((copies) => copies.length > 0),
    settings: { filterableAttributes: FIELDS },
  });
  return { snapshot, documents, isSeen: (path) => seen.has(path) };
}

const OPTIONS = {
  code: 'invalid_search_filter',
  deadline: Deadline.never(),
} as const;

/** Evaluated twice: the second time from the query cache. */
const evaluate = ({ snapshot }: Corpus, filter: unknown): number[] => {
  const select = () => [
    ...(
      filterDocuments(snapshot, parsedFilter(searchFilter(filter), OPTIONS)) ?? snapshot.live
    ).toList(),
  ];
  const found = select();
  expect(select()).toEqual(found);
  return found;
};

const naively = ({ documents }: Corpus, { matches }: RandomFilter): number[] =>
  [...documents].filter(([, flat]) => matches(flat)).map(([docId]) => docId);

describe('filters', () => {
  it('select the documents that their definitions select', () => {
    for (let seed = 1; seed <= CORPORA; seed++) {
      const random = randomOf(seed);
      const corpus = corpusOf(random);
      for (let i = 0; i < FILTERS_PER_CORPUS; i++) {
        const filter = randomFilter(random, corpus.isSeen, i % 3);
        const found = evaluate(corpus, filter.text);
        const wanted = naively(corpus, filter);
        if (found.join() !== wanted.join())
          expect({ seed, filter: filter.text, found }).toEqual({ found: wanted });
      }
    }
  });

  it('narrow by AND, widen by OR, and split the documents by NOT', () => {
    for (let seed = 1; seed <= amount(5, 400); seed++) {
      const random = randomOf(seed * 7919);
      const corpus = corpusOf(random);
      const all = [...corpus.documents.keys()];
      for (let i = 0; i < 100; i++) {
        const [a, b] = [
          randomFilter(random, corpus.isSeen, 2).text,
          randomCondition(random, corpus.isSeen).text,
        ];
        const [inA, inB] = [evaluate(corpus, a), new Set(evaluate(corpus, b))];
        expect(evaluate(corpus, `(${a}) AND (${b})`)).toEqual(inA.filter((doc) => inB.has(doc)));
        expect(evaluate(corpus, [a, b])).toEqual(inA.filter((doc) => inB.has(doc)));
        expect(evaluate(corpus, [[a, b]])).toEqual(
          all.filter((doc) => inA.includes(doc) || inB.has(doc)),
        );
        expect(evaluate(corpus, `NOT (${a})`)).toEqual(all.filter((doc) => !inA.includes(doc)));
      }
    }
  });
});

/**
 * Goal: the query cache changes no answer. Method: one cache over batches and merges against a new
 * cache for each search.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeManifest } from '../../src/model/index-manifest.ts';
import { CACHE_KINDS } from '../../src/search/snapshot/cache-kinds.ts';
import type { IndexSnapshot } from '../../src/search/snapshot/index-snapshot.ts';
import { SharedCache } from '../../src/search/snapshot/shared-cache.ts';
import { SnapshotCache } from '../../src/search/snapshot/snapshot-cache.ts';
import { rankedDocuments } from '../support/ranked-documents.ts';
import { amount } from '../support/run-length.ts';
import { search, searchDetails } from '../support/search.ts';
import { documentLists, type SearchCase, searchCases } from '../support/search-cases.ts';
import { TestIndex } from '../unit/indexing/support.ts';

const CACHE_BYTES = 8 << 20;

type Step =
  | { readonly kind: 'add'; readonly count: number }
  | { readonly kind: 'delete' }
  | { readonly kind: 'merge' };
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.integer({ min: 1, max: 8 }).map((count): Step => ({ kind: 'add', count })),
    },
    { weight: 1, arbitrary: fc.constant<Step>({ kind: 'delete' }) },
    { weight: 3, arbitrary: fc.constant<Step>({ kind: 'merge' }) },
  ),
  { minLength: 3, maxLength: 8 },
);

const histories = fc.record({ one: searchCases, others: documentLists(20), steps });

function snapshotOf(index: TestIndex, cache: SnapshotCache): IndexSnapshot {
  const bytes = encodeManifest(index.manifest);
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  return cache.get(`1:${index.manifest.generation}`, shared, index.location);
}

/** Changes the index by one step after the other. */
function stepsOf(
  index: TestIndex,
  { documents }: SearchCase,
  others: SearchCase['documents'],
): (step: Step) => Promise<void> {
  let next = 0;
  return async (step) => {
    if (step.kind === 'merge') await index.mergeAll();
    else if (step.kind === 'delete')
      await index.apply(index.deleteIds(String(documents[0]?.['id'] ?? 0)));
    else if (others.length > 0) {
      const batch = Array.from({ length: step.count }, () => others[next++ % others.length]!);
      await index.apply(index.upsert(batch));
    }
  };
}

/** The query of the case, and a filter with a facet. */
const answersOf = (snapshot: IndexSnapshot, one: SearchCase): unknown => [
  rankedDocuments(snapshot, one),
  search(snapshot, { filter: 'id > 3 OR NOT body EXISTS', facets: ['id'], limit: 100 }),
];

describe('cached results', () => {
  it('are those of the current documents, after batches and merges', async () => {
    const property = fc.asyncProperty(histories, async ({ one, others, steps: path }) => {
      const index = new TestIndex({
        settings: { ...one.settings, filterableAttributes: ['id', 'body'] },
      });
      const kept = new SnapshotCache(() => index.directory, CACHE_BYTES);
      await index.apply(index.upsert(one.documents.length > 0 ? one.documents : [{ id: 0 }]));
      const take = stepsOf(index, one, others);
      for (const step of [{ kind: 'merge' } as Step, ...path]) {
        await take(step);
        const expected = answersOf(
          snapshotOf(index, new SnapshotCache(() => index.directory, 0)),
          one,
        );
        expect(answersOf(snapshotOf(index, kept), one)).toEqual(expected);
        expect(answersOf(snapshotOf(index, kept), one)).toEqual(expected);
      }
    });
    await fc.assert(property, { numRuns: amount(3, 300) });
  });

  it('are shared by threads with different generations', async () => {
    const lags = fc.array(fc.boolean(), { minLength: 9, maxLength: 9 });
    const property = fc.asyncProperty(histories, lags, async (history, lag) => {
      const { one, others, steps: path } = history;
      const index = new TestIndex({
        settings: { ...one.settings, filterableAttributes: ['id', 'body'] },
      });
      const shared = SharedCache.memory(CACHE_BYTES);
      const cacheOf = () =>
        new SnapshotCache(() => index.directory, { ownBytes: CACHE_BYTES, shared, threads: 2 });
      const [ahead, behind] = [cacheOf(), cacheOf()];
      await index.apply(index.upsert(one.documents.length > 0 ? one.documents : [{ id: 0 }]));
      let old = snapshotOf(index, behind);
      let oldAnswers = answersOf(old, one);
      const take = stepsOf(index, one, others);
      for (const [i, step] of path.entries()) {
        await take(step);
        const expected = answersOf(
          snapshotOf(index, new SnapshotCache(() => index.directory, 0)),
          one,
        );
        expect(answersOf(snapshotOf(index, ahead), one)).toEqual(expected);
        expect(answersOf(old, one)).toEqual(oldAnswers);
        expect(answersOf(snapshotOf(index, ahead), one)).toEqual(expected);
        if (lag[i] !== true) {
          old = snapshotOf(index, behind);
          oldAnswers = expected;
        }
        expect(answersOf(old, one)).toEqual(oldAnswers);
      }
    });
    await fc.assert(property, { numRuns: amount(4, 300) });
  });

  it('of several words are correct after batches and merges', async () => {
    const words = ['sun', 'moon', 'star', 'sand', 'son'];
    const textOf = (seed: number): string =>
      Array.from(
        { length: 4 + (seed % 5) },
        (_, i) => words[(seed * 7 + i * (seed % 3) + i) % 5],
      ).join(' ');
    const documents = Array.from({ length: 200 }, (_, id) => ({ id, body: textOf(id) }));
    const index = new TestIndex();
    const kept = new SnapshotCache(() => index.directory, CACHE_BYTES);
    const ranked = (cache: SnapshotCache) =>
      ['sun moon', 'moon s', 'star sun moon', 'sun so'].map((q) => [
        ...searchDetails(snapshotOf(index, cache), { q, limit: 300 }),
      ]);
    const steps = [
      () => index.apply(index.upsert(documents)),
      () =>
        index.apply(
          index.upsert([3, 50, 51, 199, 230].map((id) => ({ id, body: textOf(id + 1) }))),
        ),
      () => index.apply(index.deleteIds('7')),
      () => index.apply(index.upsert([{ id: 8, body: 'sand' }])),
      () => index.mergeAll(),
    ];
    for (const step of steps) {
      await step();
      const expected = ranked(new SnapshotCache(() => index.directory, 0));
      expect(ranked(kept)).toEqual(expected);
      expect(ranked(kept)).toEqual(expected);
    }
  });

  it('by value are correct after batches and merges', async () => {
    const bodyOf = (seed: number) => [`v${seed % 3}`, seed % 2, null][seed % 5 > 2 ? 1 : seed % 2];
    const documentOf = (id: number, seed: number) => ({ id, body: bodyOf(seed) });
    const index = new TestIndex({ settings: { sortableAttributes: ['body'] } });
    const kept = new SnapshotCache(() => index.directory, CACHE_BYTES);
    const sorted = (cache: SnapshotCache) =>
      ['body:asc', 'body:desc'].map((by) =>
        search(snapshotOf(index, cache), {
          sort: [by],
          limit: 300,
        }),
      );
    const steps = [
      () => index.apply(index.upsert(Array.from({ length: 250 }, (_, id) => documentOf(id, id)))),
      () => index.apply(index.upsert([3, 50, 51, 199, 260].map((id) => documentOf(id, id + 1)))),
      () => index.apply(index.deleteIds('7')),
      () => index.mergeAll(),
    ];
    for (const step of steps) {
      await step();
      const expected = sorted(new SnapshotCache(() => index.directory, 0));
      expect(sorted(kept)).toEqual(expected);
      expect(sorted(kept)).toEqual(expected);
    }
  });

  it('are removed with their generation, except results about documents', async () => {
    const index = new TestIndex();
    const cache = new SnapshotCache(() => index.directory, CACHE_BYTES);
    await index.apply(index.upsert([{ id: 1, body: 'sun' }]));
    await index.apply(index.upsert([{ id: 2, body: 'moon' }]));
    const first = snapshotOf(index, cache);
    const values = { kind: 'numbers', path: 'year' } as const;
    const length = { wordCount: 1, field: 0 };
    const found = new Uint32Array(1);
    const heldBy = ({ queryCache }: IndexSnapshot) => [
      queryCache.get(CACHE_KINDS.mergedValues, values, () => ({ count: 0, places: [] })) !==
        undefined,
      queryCache.get(CACHE_KINDS.documentsOfLength, length, () => found) !== undefined,
    ];
    first.queryCache.make(CACHE_KINDS.mergedValues, values, () => ({ count: 0, places: [] }));
    first.queryCache.make(CACHE_KINDS.documentsOfLength, length, () => found);
    expect(heldBy(first)).toEqual([true, true]);
    await index.mergeAll();
    expect(heldBy(snapshotOf(index, cache))).toEqual([false, true]);
    await index.applySettings({ stopWords: ['sun'] });
    expect(heldBy(snapshotOf(index, cache))).toEqual([false, false]);
  });

  it('stay valid after merges and batches that change few documents, but not after a change of settings', async () => {
    const index = new TestIndex();
    const cache = new SnapshotCache(() => index.directory, CACHE_BYTES);
    const content = () => snapshotOf(index, cache).queryCache.subject('content');
    const documents = Array.from({ length: 40 }, (_, id) => ({ id, body: `sun ${id}` }));
    await index.apply(index.upsert(documents));
    const found: number[] = [];
    const lookFor = (word: string) => {
      const snapshot = snapshotOf(index, cache);
      snapshot.queryCache.getOrMake(CACHE_KINDS.wordDocuments, word, ({ segments, live }) => {
        found.push(segments.reduce((sum, { documentCount }) => sum + documentCount, 0));
        return live;
      });
      return snapshot.queryCache.subject('content');
    };
    const before = lookFor('sun');
    await index.mergeAll();
    expect(lookFor('sun')).toBe(before);
    await index.apply(index.upsert([{ id: 2, body: 'star' }]));
    expect(lookFor('sun')).toBe(before);
    await index.apply(index.deleteIds('3'));
    expect(lookFor('sun')).toBe(before);
    expect(found).toEqual([40, 0, 1, 0]);
    await index.apply(index.upsert(documents));
    expect(lookFor('sun')).toBe(before);
    expect(found).toEqual([40, 0, 1, 0, 40]);
    await index.applySettings({ stopWords: ['sun'] });
    expect(content()).not.toBe(before);
  });
});

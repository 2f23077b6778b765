/**
 * Goal: costs that scans and posting lists have shown are read again by later searches, and change no order. Method:
 * long documents of few words, one cache over batches and merges against a new cache for each search.
 */
import { describe, expect, it, vi } from 'vitest';
import { sumOf } from '../../../src/core/sum.ts';
import { PostingLists } from '../../../src/engine/postings/posting-lists.ts';
import { ForwardScan } from '../../../src/engine/segment/forward-scan.ts';
import { encodeManifest } from '../../../src/model/index-manifest.ts';
import type { Settings } from '../../../src/model/settings.ts';
import type { IndexSnapshot } from '../../../src/search/snapshot/index-snapshot.ts';
import { SnapshotCache } from '../../../src/search/snapshot/snapshot-cache.ts';
import { amount } from '../../support/run-length.ts';
import { searchDetails, searchIds, typoTolerance } from '../../support/search.ts';
import { TestIndex } from '../../unit/indexing/support.ts';

const CACHE_BYTES = 16 << 20;
const DOCUMENTS = 520;
const WORDS = ['sun', 'moon', 'star', 'sand', 'son', 'sea', 'stone', 'tree'];

/** 120 words in an order that depends on the number. */
function textOf(number: number): string {
  let state = number * 2654435761;
  const words: string[] = [];
  for (let i = 0; i < 120; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    words.push(state % 7 === 0 ? `w${state % 997}` : WORDS[(state >>> 9) % WORDS.length]!);
  }
  return words.join(' ');
}

const documentOf = (id: number, seed = id) => ({ id, title: `t${id % 50}`, body: textOf(seed) });

const QUERIES = ['moon st', '"sun moon star" sea', 'sun moon star', 'sand son sea stone'];

function snapshotOf(index: TestIndex, cache: SnapshotCache): IndexSnapshot {
  const bytes = encodeManifest(index.manifest);
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  return cache.get(`1:${index.manifest.generation}`, shared, index.location);
}

async function indexed(settings: Partial<Settings> = {}): Promise<TestIndex> {
  const index = new TestIndex({
    settings: {
      searchableAttributes: ['title', 'body'],
      filterableAttributes: ['id'],
      ...settings,
    },
  });
  await index.apply(index.upsert(Array.from({ length: DOCUMENTS }, (_, id) => documentOf(id))));
  return index;
}

/** An index that no test changes, by settings. */
const unchanged = new Map<string, Promise<TestIndex>>();
function unchangedIndex(settings: Partial<Settings> = {}): Promise<TestIndex> {
  const key = JSON.stringify(settings);
  const index = unchanged.get(key) ?? indexed(settings);
  unchanged.set(key, index);
  return index;
}

const cacheOf = (index: TestIndex, bytes: number): SnapshotCache =>
  new SnapshotCache(() => index.directory, bytes);

/** Numbers of documents in the scans, and of those whose pairs are read from lists, while `run` runs. */
function scansOf(run: () => unknown): number[] {
  const spies = [
    vi.spyOn(ForwardScan.prototype, 'pairCosts'),
    vi.spyOn(ForwardScan.prototype, 'placeCosts'),
    vi.spyOn(ForwardScan.prototype, 'exactFields'),
    vi.spyOn(PostingLists.prototype, 'pairCosts'),
  ];
  run();
  const lengths = spies.flatMap(({ mock }) => mock.calls.map(([ranks]) => ranks.length));
  for (const spy of spies) spy.mockRestore();
  return lengths;
}

const scannedBy = (run: () => unknown): number => sumOf(scansOf(run));

describe('costs of scanned documents', () => {
  it('are read by a search for the next page', async () => {
    const index = await unchangedIndex();
    const cache = cacheOf(index, CACHE_BYTES);
    const page = (from: SnapshotCache, offset: number) =>
      searchDetails(snapshotOf(index, from), { q: 'sun moon star', offset, limit: 260 });
    const first = scannedBy(() => page(cache, 0));
    expect(first).toBeGreaterThan(260);
    expect(scannedBy(() => page(cache, 260))).toBeLessThan(first);
    expect(page(cache, 260)).toEqual(page(cacheOf(index, 0), 260));
  });

  it('of a segment stay after a batch that adds documents', async () => {
    const index = await indexed();
    const cache = cacheOf(index, CACHE_BYTES);
    const run = () =>
      searchDetails(snapshotOf(index, cache), { q: 'sun moon star', limit: DOCUMENTS });
    const first = scannedBy(run);
    await index.apply(index.upsert([documentOf(DOCUMENTS + 1)]));
    expect(scannedBy(run)).toBeLessThan(first);
  });

  it('give the order of a search without a cache after batches, deletions and merges', async () => {
    const index = await indexed();
    const kept = cacheOf(index, CACHE_BYTES);
    const ranked = (cache: SnapshotCache) =>
      QUERIES.slice(0, amount(2, QUERIES.length)).flatMap((q) =>
        [{}, { filter: 'id < 430' }, { limit: DOCUMENTS }].map((more) => [
          ...searchDetails(snapshotOf(index, cache), { q, ...more }),
        ]),
      );
    const steps = [
      () => index.apply(index.upsert([3, 50, 700].map((id) => documentOf(id, id + 9)))),
      () => index.apply(index.deleteIds('7')),
      () => index.mergeAll(),
      () => index.apply(index.upsert([documentOf(8, 9)])),
    ];
    for (const step of [async () => {}, ...steps]) {
      await step();
      const expected = ranked(cacheOf(index, 0));
      expect(ranked(kept)).toEqual(expected);
      expect(ranked(kept)).toEqual(expected);
    }
  });

  it('of a segment stay after a batch that replaces a document', async () => {
    const index = await indexed();
    const cache = cacheOf(index, CACHE_BYTES);
    const run = () => searchDetails(snapshotOf(index, cache), { q: '"sun moon star" sea' });
    const large = () => scansOf(run).filter((documents) => documents > 100);
    expect(large()).not.toEqual([]);
    await index.apply(index.upsert([documentOf(7, 1000)]));
    expect(large()).toEqual([]);
    const uncached = snapshotOf(index, cacheOf(index, 0));
    expect(run()).toEqual(searchDetails(uncached, { q: '"sun moon star" sea' }));
  });
});

describe('fields that do not count, or not with typos', () => {
  it.each(QUERIES)('leave %s to scans', async (q) => {
    const index = await unchangedIndex();
    const asked = { q, limit: DOCUMENTS, attributesToSearchOn: ['body'] };
    const snapshot = snapshotOf(index, cacheOf(index, 0));
    expect(scannedBy(() => searchDetails(snapshot, asked))).toBeGreaterThan(0);
    const ofBody = await unchangedIndex({ searchableAttributes: ['body'] });
    const ids = searchIds(snapshotOf(ofBody, cacheOf(ofBody, 0)), { q, limit: DOCUMENTS });
    expect(searchIds(snapshot, asked)).toEqual(ids);
  });

  it.each(QUERIES)('change no rank of %s that no typo reaches there', async (q) => {
    const index = await unchangedIndex();
    const disableOnAttributes = ['title'];
    const exact = await unchangedIndex(typoTolerance({ disableOnAttributes }));
    const details = (of: TestIndex) =>
      searchDetails(snapshotOf(of, cacheOf(of, 0)), { q, limit: DOCUMENTS });
    expect(scannedBy(() => details(exact))).toBeGreaterThan(0);
    expect(details(exact)).toEqual(details(index));
  });
});

describe('scans and positions', () => {
  const synonyms = { moon: ['sand', 'sun star'], tree: ['sea stone'] };
  it.each<[string, Partial<Settings>]>([
    ['of words', {}],
    ['with synonyms', { synonyms }],
    ['with inflections', { inflections: ['eng'] }],
    ['with typos last', { rankingRules: ['words', 'proximity', 'attributeRank', 'typo'] }],
    ['with exact words early', { synonyms, rankingRules: ['words', 'exactness', 'proximity'] }],
    ['with an exact field', { synonyms, ...typoTolerance({ disableOnAttributes: ['title'] }) }],
  ])('give the same ranks %s', async (_, settings) => {
    const index = await unchangedIndex(settings);
    const details = () =>
      [...QUERIES, 'moon stars tree', 'sunstar tre'].map((q) => [
        ...searchDetails(snapshotOf(index, cacheOf(index, 0)), { q, limit: DOCUMENTS }),
      ]);
    const scanned = details();
    const refuses = vi.spyOn(ForwardScan.prototype, 'begin').mockReturnValue(false);
    expect(details()).toEqual(scanned);
    const lists = vi.spyOn(PostingLists.prototype, 'pairCosts').mockReturnValue(false);
    expect(details()).toEqual(scanned);
    for (const refused of [refuses, lists]) {
      expect(refused).toHaveBeenCalled();
      refused.mockRestore();
    }
  });
});

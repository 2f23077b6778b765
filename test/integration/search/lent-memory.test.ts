/**
 * Pooled arrays of a search affect no later answer. Method: the same searches with all arrays new,
 * and one after the other with a pool that is overwritten between them, while documents change.
 */
import { expect, it, onTestFinished } from 'vitest';
import { encodeManifest } from '../../../src/model/index-manifest.ts';
import { TYPED_ARRAY_POOL } from '../../../src/search/sets/typed-array-pool.ts';
import { SnapshotCache } from '../../../src/search/snapshot/snapshot-cache.ts';
import { search } from '../../support/search.ts';
import { TestIndex } from '../../unit/indexing/support.ts';

const DOCUMENTS = 10_000;
const LENGTH_MIN = 128;
const WORDS = ['t', 'ta', 'tab', 'table', 'tall', 'sea', 'seal', 'stone', 'a', 'an', 'and', 'ant'];

function* wordsFrom(seed: number): Generator<string> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield WORDS[Math.floor(WORDS.length * (state / 2 ** 32) ** 1.6)] as string;
  }
}

const words = wordsFrom(7);
const text = (count: number) => Array.from({ length: count }, () => words.next().value).join(' ');
const documentOf = (id: number) => ({
  id,
  title: text(1 + (id % 3)),
  body: text(id % 9),
  kind: WORDS[id % 7],
  year: 1900 + (id % 90),
});

const asked = [
  't',
  'ta',
  'table',
  's',
  'stone',
  'a',
  'stone t',
  'tall an',
  'saele',
  '"a t"',
].flatMap((q) => [
  { q, limit: 30, showRankingScoreDetails: true },
  { q, filter: 'kind = sea OR year > 1950', facets: ['kind', 'year'], offset: 40 },
  { q: `${q} -tab`, sort: ['year:desc'], matchingStrategy: 'frequency' as const },
  { q, distinct: 'year', attributesToSearchOn: ['body'], matchingStrategy: 'any' as const },
]);

const overwrite = (): void =>
  TYPED_ARRAY_POOL.during(() => {
    for (let length = LENGTH_MIN; length <= DOCUMENTS; length = Math.ceil(length * 1.12))
      for (let i = 0; i < 4; i++) TYPED_ARRAY_POOL.numbers(length).fill(0xdeadbeef);
  });

it('pooled arrays of a search are in no later answer', async () => {
  const usual = TYPED_ARRAY_POOL.lengthMin;
  onTestFinished(() => {
    TYPED_ARRAY_POOL.lengthMin = usual;
  });
  TYPED_ARRAY_POOL.lengthMin = LENGTH_MIN;
  const index = new TestIndex({
    settings: { filterableAttributes: ['kind', 'year'], sortableAttributes: ['year'] },
  });
  await index.apply(index.upsert(Array.from({ length: DOCUMENTS }, (_, id) => documentOf(id))));
  const open = (cache: SnapshotCache) => {
    const bytes = encodeManifest(index.manifest);
    const shared = new SharedArrayBuffer(bytes.length);
    new Uint8Array(shared).set(bytes);
    return cache.get(`1:${index.manifest.generation}`, shared, index.location);
  };
  const lending = new SnapshotCache(() => index.directory, 8 << 20);
  for (let change = 0; change < 2; change++) {
    const plain = open(new SnapshotCache(() => index.directory, 8 << 20));
    for (const request of asked) {
      const answer = TYPED_ARRAY_POOL.during(() => search(open(lending), request));
      overwrite();
      expect(answer).toEqual(search(plain, request));
    }
    await index.apply(index.upsert([documentOf(change * 31), documentOf(DOCUMENTS + change)]));
  }
});

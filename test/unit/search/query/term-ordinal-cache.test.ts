/**
 * Words looked up in an earlier generation: their segments are not searched again, whether the word
 * was found or missing.
 */
import { expect, it } from 'vitest';
import { limits } from '../../../../src/core/limits.ts';
import { encodeManifest } from '../../../../src/model/index-manifest.ts';
import { vocabularyOf } from '../../../../src/search/query/vocabulary.ts';
import { SnapshotCache } from '../../../../src/search/snapshot/snapshot-cache.ts';
import { TermOrdinalCache } from '../../../../src/search/snapshot/term-ordinal-cache.ts';
import { buildSnapshot } from '../../../support/build-snapshot.ts';
import { TestIndex } from '../../indexing/support.ts';

it('words are found after batches, deletions and merges as in a new vocabulary', async () => {
  const index = new TestIndex();
  const cache = new SnapshotCache(() => index.directory, 1 << 20);
  const open = (from: SnapshotCache) => {
    const bytes = encodeManifest(index.manifest);
    const shared = new SharedArrayBuffer(bytes.length);
    new Uint8Array(shared).set(bytes);
    return from.get(`1:${index.manifest.generation}`, shared, index.location);
  };
  const looked: string[] = [];
  const steps = [
    () =>
      index.apply(
        index.upsert([
          { id: 1, body: 'sun moon' },
          { id: 2, body: 'sun' },
        ]),
      ),
    () => index.apply(index.upsert([{ id: 3, body: 'star' }])),
    () => index.apply(index.deleteIds('1')),
    () => index.apply(index.upsert([{ id: 4, body: 'moon sand' }])),
    () => index.mergeAll(),
    () => index.apply(index.deleteIds('4')),
  ];
  for (const step of steps) {
    await step();
    const snapshot = open(cache);
    for (const { terms } of snapshot.segments) {
      const { find } = terms;
      terms.find = (utf8) => {
        looked.push(new TextDecoder().decode(utf8));
        return find.call(terms, utf8);
      };
    }
    const fresh = vocabularyOf(open(new SnapshotCache(() => index.directory, 0)));
    for (const text of ['sun', 'moon', 'star', 'sand', 'none'])
      expect(vocabularyOf(snapshot).find(text)).toEqual(fresh.find(text));
    for (const segment of snapshot.segments) delete (segment.terms as { find?: unknown }).find;
  }
  // Once in each segment: three from batches and one merged.
  expect(looked).toHaveLength(5 * 4);
});

it('words that are too long for an index are not cached', () => {
  const snapshot = buildSnapshot({ documents: [{ id: 1, body: 'sun' }] });
  const { termOrdinalCache } = snapshot;
  for (const length of [limits.wordBytesMax, limits.wordBytesMax + 1]) {
    const text = 'x'.repeat(length);
    expect(vocabularyOf(snapshot).find(text)).toBeNull();
    expect(termOrdinalCache.get(text) !== undefined).toBe(length === limits.wordBytesMax);
  }
});

it('words of old generations are dropped', () => {
  const words = new TermOrdinalCache();
  for (let generation = 1; generation <= 100; generation++) words.note(generation, ['a', 'b']);
  expect(words.placesIn(100, ['b', 'c'])).toEqual([1, -1]);
  expect(words.placesIn(1, ['b'])).toBeNull();
});

/** The size of the query cache: fixed, or as large as the indexes need and the memory allows. */
import { expect, it, vi } from 'vitest';
import { QueryCacheSize } from '../../../src/queries/query-cache-size.ts';
import { SharedCache } from '../../../src/search/snapshot/shared-cache.ts';

const MIB = 2 ** 20;

const indexOf = (megabytes: number) => ({
  segments: [
    {
      id: 'a',
      documentCount: 1,
      deadCount: 0,
      tombstones: null,
      files: [
        { component: 'documents', name: 'a.seg', bytes: megabytes * MIB, covers: null },
        { component: 'vectors', name: 'a.vec', bytes: 9000 * MIB, covers: null },
      ],
    },
  ],
});

/** MiB that the shared part takes when much more is written. */
function filledMib({ memory }: QueryCacheSize): number {
  const cache = new SharedCache(memory.shared);
  const value = new Uint32Array(MIB / 16);
  for (let i = 0; i < 1200; i++) cache.write(String(i), 0, [value], i + 1);
  return Math.round(cache.figures.bytes / MIB);
}

it('is as the option says, whatever the indexes', () => {
  const size = new QueryCacheSize(16 * MIB, 2, 64 * 1024 * MIB);
  size.fitTo([indexOf(4000)]);
  expect(size.memory).toMatchObject({ ownBytes: 4 * MIB, threads: 2 });
  expect(filledMib(size)).toBe(24);
});

it('is 72 MiB a thread for small indexes, also with little memory', () => {
  const size = new QueryCacheSize(null, 1, 256 * MIB);
  size.fitTo([indexOf(20), indexOf(4)]);
  expect(size.memory.ownBytes).toBe(18 * MIB);
  expect(filledMib(size)).toBe(54);
});

it('grows to a fifth of the documents files and shrinks again', () => {
  const size = new QueryCacheSize(null, 1, 4096 * MIB);
  size.fitTo([indexOf(300), indexOf(400)]);
  expect(filledMib(size)).toBe(140);
  size.fitTo([indexOf(300)]);
  expect(filledMib(size)).toBe(60);
});

it('takes at most a sixteenth of the memory', () => {
  const size = new QueryCacheSize(null, 1, 2048 * MIB);
  size.fitTo([indexOf(30_000)]);
  expect(filledMib(size)).toBe(128);
});

it('is that of small indexes where the system reserves no more', () => {
  const own = SharedCache.memory;
  const refusing = vi.spyOn(SharedCache, 'memory').mockImplementation((bytes) => {
    if (bytes > 100 * MIB) throw new RangeError('Array buffer allocation failed');
    return own(bytes);
  });
  const size = new QueryCacheSize(null, 1, 4096 * MIB);
  size.fitTo([indexOf(700)]);
  refusing.mockRestore();
  expect(filledMib(size)).toBe(54);
});

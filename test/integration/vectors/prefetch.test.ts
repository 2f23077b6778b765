/** Vectors that a front reads before it serves: which parts of the files, in which order, how much. */
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { VectorSpace } from '../../../src/engine/vectors/vectors.ts';
import { VectorsWriter } from '../../../src/engine/vectors/vectors-writer.ts';
import { readIntoPageCache } from '../../../src/storage/files/page-cache.ts';
import { partsToPrefetch, prefetchVectors } from '../../../workers/front-prefetch.ts';

const SPACE: VectorSpace = { dimensions: 32, metric: 'cosine', precision: 'float' };
const NEVER = new AbortController().signal;
let dbPath: string;
let indexes: string;
let totalBytes: number;

/** Large enough for clusters. */
function vectorsFile(count: number): Uint8Array {
  const writer = new VectorsWriter(SPACE);
  for (let docId = 0; docId < count; docId++)
    writer.add(docId, [Float32Array.from({ length: 32 }, (_, i) => Math.sin(docId * 31 + i))]);
  return Buffer.concat(writer.finish());
}

beforeAll(() => {
  dbPath = mkdtempSync(join(tmpdir(), 'gannet-prefetch-'));
  indexes = join(dbPath, 'indexes');
  for (const [indexId, count] of [
    [3, 5000],
    [7, 10],
  ] as const) {
    mkdirSync(join(indexes, String(indexId)), { recursive: true });
    writeFileSync(join(indexes, String(indexId), 'a-b.vec'), vectorsFile(count));
  }
  for (const name of ['a-b.seg', 'a-b.vec.tmp', 'broken.vec'])
    writeFileSync(join(indexes, '3', name), 'something else');
  totalBytes = ['3', '7']
    .map((id) => statSync(join(indexes, id, 'a-b.vec')).size)
    .reduce((sum, size) => sum + size);
});
afterAll(() => rmSync(dbPath, { recursive: true }));

it('takes every byte of whole files once: what all searches read first, small files first', () => {
  const parts = partsToPrefetch(indexes);
  const sum = (of: typeof parts) => of.reduce((all, { bytes }) => all + bytes, 0);
  expect(sum(parts)).toBe(totalBytes);
  const rowsOf = (count: number) => count * SPACE.dimensions * Float32Array.BYTES_PER_ELEMENT;
  expect(parts.slice(-2).map(({ bytes }) => bytes)).toEqual([rowsOf(10), rowsOf(5000)]);
  const folders = parts.map(({ path }) => path.split('/').at(-2));
  expect(folders).toEqual(['7', '7', '3', '3', '7', '3']);
  for (const path of new Set(parts.map((part) => part.path))) {
    const own = parts.filter((part) => part.path === path).sort((a, b) => a.offset - b.offset);
    for (const [i, { offset, bytes }] of own.entries())
      expect(offset + bytes).toBe(own[i + 1]?.offset ?? statSync(path).size);
  }
});

it('reads as much as it may, and says so', async () => {
  for (const [readerPrefetchMemory, bytes] of [
    [1 << 30, totalBytes],
    [100_000, 100_000],
  ] as const) {
    const lines: unknown[] = [];
    const log = { info: (fields: unknown) => lines.push(fields) };
    await prefetchVectors({ dbPath, readerPrefetchMemory }, log as never, NEVER);
    expect(lines).toEqual([{ files: 2, bytes, totalBytes, tookMs: expect.any(Number) }]);
  }
});

it('reads nothing when it may not, and of a folder that is not there', async () => {
  const lines: unknown[] = [];
  const log = { info: (fields: unknown) => lines.push(fields) } as never;
  await prefetchVectors({ dbPath, readerPrefetchMemory: 0 }, log, NEVER);
  expect(lines).toEqual([]);
  await prefetchVectors({ dbPath: join(dbPath, 'new'), readerPrefetchMemory: 1 }, log, NEVER);
  expect(lines).toEqual([expect.objectContaining({ files: 0, bytes: 0 })]);
});

it('ends when the front is to end, and passes over what is gone', async () => {
  const parts = partsToPrefetch(indexes);
  expect(await readIntoPageCache(parts, totalBytes, AbortSignal.abort())).toBe(0);
  const gone = { path: join(indexes, '3', 'gone.vec'), offset: 0, bytes: 10 };
  expect(await readIntoPageCache([gone, ...parts], totalBytes, NEVER)).toBe(totalBytes);
});

/** Query cache: results are computed once, separate by kind, key and lifetime, within bounds. */
import { describe, expect, it } from 'vitest';
import { DocSet } from '../../../../src/search/sets/doc-set.ts';
import { CACHE_KINDS } from '../../../../src/search/snapshot/cache-kinds.ts';
import { type Content, QueryCache } from '../../../../src/search/snapshot/query-cache.ts';
import type { Change } from '../../../../src/search/snapshot/renewal.ts';
import { ResultStore } from '../../../../src/search/snapshot/result-store.ts';

const SUBJECTS = { generation: '1:2', content: 'content 1:1', file: 'file 1' };
type Part = 'whole' | 'part';

const content = (
  generation: number,
  change: (Change & { readonly part: Part }) | null = null,
): Content<Part> => ({ generation, whole: 'whole', changeSince: () => change });

const queryCache = (bytesMax = 1 << 24, of = () => content(2)): QueryCache<Part> =>
  new QueryCache(new ResultStore(bytesMax), SUBJECTS, of);
const nothing = (): never => {
  throw new Error('there is nothing to find');
};
const values = { kind: 'numbers', path: 'a' } as const;
const merged = (count: number) => ({ count, places: [] });

describe('cached results', () => {
  it('are computed once', () => {
    const kept = queryCache();
    const make = (count: number) =>
      kept.getOrMake(CACHE_KINDS.mergedValues, values, () => merged(count));
    expect([make(1), make(2), kept.get(CACHE_KINDS.mergedValues, values, nothing)]).toEqual(
      Array(3).fill(merged(1)),
    );
  });

  it('are computed again when they are too large for the cache', () => {
    const kept = queryCache(100);
    const make = (count: number) =>
      kept.getOrMake(CACHE_KINDS.mergedValues, values, () => merged(count));
    expect([make(1), make(2)]).toEqual([merged(1), merged(2)]);
  });

  it('have unique names by kind', () => {
    const names = Object.values(CACHE_KINDS).map(({ lifetime, name }) => `${lifetime} ${name}`);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^\w+ \w+$/);
  });

  it('are removed with their lifetime only', () => {
    const kept = queryCache();
    const length = { wordCount: 1, field: 0 };
    kept.make(CACHE_KINDS.mergedValues, values, () => merged(1));
    kept.make(CACHE_KINDS.documentsOfLength, length, () => new Uint32Array(1));
    kept.forget('generation');
    expect(kept.get(CACHE_KINDS.mergedValues, values, nothing)).toBeUndefined();
    expect(kept.get(CACHE_KINDS.documentsOfLength, length, nothing)).toHaveLength(1);
    kept.forget('content');
    expect(kept.get(CACHE_KINDS.documentsOfLength, length, nothing)).toBeUndefined();
  });

  it('include short documents by segment, in a sixteenth of the memory', () => {
    const store = new ResultStore(1 << 20);
    const kept = new QueryCache<Part>(store, SUBJECTS, () => content(2));
    const scratch = new Uint8Array(100_000);
    let readCount = 0;
    const segment = (length = 8) => ({
      readDocument: (docId: number) => {
        readCount++;
        return scratch.fill(docId).subarray(0, length);
      },
    });
    const [first, second, long] = [segment(), segment(), segment(70_000)];
    const read = (docId: number, of = first) => kept.document(of, docId)[7];
    expect([read(1), read(2), read(1), read(2), readCount]).toEqual([1, 2, 1, 2, 2]);
    expect([read(1, second), readCount]).toEqual([1, 3]);
    for (let i = 0; i < 2; i++) expect(kept.document(long, 3)).toHaveLength(70_000);
    expect(readCount).toBe(5);
    for (let docId = 0; docId < 1000; docId++) read(docId, second);
    expect(store.documentBytes).toBeGreaterThan(32 << 10);
    expect(store.documentBytes).toBeLessThanOrEqual(64 << 10);
  });

  it('are patched with segments added since', () => {
    const store = new ResultStore(1 << 24);
    const docs = (...list: number[]) => DocSet.fromList(Uint32Array.from(list), 2);
    const at = (generation: number, touched: readonly number[] | null) =>
      new QueryCache<Part>(store, SUBJECTS, () =>
        content(
          generation,
          touched && { touched: Uint32Array.from(touched), bitsetLength: 2, part: 'part' },
        ),
      );
    const found = (whole: DocSet, part: DocSet) => (of: Part) => (of === 'whole' ? whole : part);
    const listOf = (kept: QueryCache<Part>, find: (of: Part) => DocSet) => [
      ...kept.getOrMake(CACHE_KINDS.wordDocuments, 'sun', find).toList(),
    ];
    expect(listOf(at(1, null), found(docs(1, 5, 40), docs()))).toEqual([1, 5, 40]);
    expect(listOf(at(3, [5, 6]), found(docs(), docs(6)))).toEqual([1, 6, 40]);
    expect(listOf(at(3, null), nothing)).toEqual([1, 6, 40]);
    expect(listOf(at(4, null), found(docs(9), docs()))).toEqual([9]);
  });
});

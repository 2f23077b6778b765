/** Query cache: results are computed once, separate by kind, key and lifetime, within bounds. */
import { describe, expect, it } from 'vitest';
import { DocSet } from '../../../../src/search/sets/doc-set.ts';
import { CACHE_KINDS } from '../../../../src/search/snapshot/cache-kinds.ts';
import type { Change } from '../../../../src/search/snapshot/cache-patching.ts';
import { type Content, QueryCache } from '../../../../src/search/snapshot/query-cache.ts';
import { ResultStore } from '../../../../src/search/snapshot/result-store.ts';
import { SharedCache } from '../../../../src/search/snapshot/shared-cache.ts';

const SUBJECTS = { generation: '1:2', content: 'content 1:1', file: 'file 1', shared: '1' };
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

  it('are shared by threads, unless they are of a later generation', () => {
    const memory = {
      ownBytes: 1 << 20,
      shared: SharedCache.memory(1 << 20),
      threads: 2,
    };
    const docs = (...list: number[]) => DocSet.fromList(Uint32Array.from(list), 2);
    const threadAt = (generation: number) =>
      new QueryCache<Part>(new ResultStore(memory), SUBJECTS, () => content(generation));
    const [one, other] = [threadAt(2), threadAt(2)];
    one.make(CACHE_KINDS.wordDocuments, 'sun', () => docs(1, 40));
    one.make(CACHE_KINDS.documentsOfLength, { wordCount: 1, field: 0 }, () => new Uint32Array(1));
    const wordIn = (kept: QueryCache<Part>) =>
      kept.get(CACHE_KINDS.wordDocuments, 'sun', nothing)?.toList().join();
    expect(wordIn(other)).toBe('1,40');
    expect(
      other.get(CACHE_KINDS.documentsOfLength, { wordCount: 1, field: 0 }, nothing),
    ).toBeUndefined();
    expect(wordIn(threadAt(1))).toBeUndefined();
    threadAt(1).make(CACHE_KINDS.wordDocuments, 'sun', () => docs(9));
    expect(wordIn(other)).toBe('1,40');
    const elsewhere = new QueryCache<Part>(
      new ResultStore(memory),
      { ...SUBJECTS, shared: '2' },
      () => content(2),
    );
    expect(wordIn(elsewhere)).toBeUndefined();
  });

  it('keep their costs and sets in any form', () => {
    const kept = queryCache();
    const large = Array.from({ length: 40_000 }, (_, i) => 8 * i);
    const middle = large.filter((doc) => doc % 32 === 0);
    const length = 10_000;
    const sets = [large, middle, [5], []].map((list, cost) => ({
      cost,
      docs: DocSet.fromList(Uint32Array.from(list), length),
    }));
    const key = { costs: 'a', exactOnly: false, node: 'b' };
    kept.make(CACHE_KINDS.documentsByCost, key, () => sets);
    const found = kept.get(CACHE_KINDS.documentsByCost, key, nothing)!;
    expect(found.map(({ cost, docs }) => [cost, docs.count, docs.bitsetLength])).toEqual([
      [0, large.length, length],
      [1, middle.length, length],
      [2, 1, length],
      [3, 0, length],
    ]);
    expect(found.map(({ docs }) => docs.toList().join())).toEqual(
      sets.map(({ docs }) => docs.toList().join()),
    );
    expect(found[1]!.docs.has(64)).toBe(true);
    expect(found[1]!.docs.has(8)).toBe(false);
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

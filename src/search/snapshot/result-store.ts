/**
 * Memory of the query cache: results that all threads share, and a thread's own results and stored
 * documents.
 */

import { BudgetCache, type CacheFigures } from '../../core/budget-cache.ts';
import type { CacheMemory } from '../../core/cache-memory.ts';
import { getOrCompute } from '../../core/get-or-compute.ts';
import type { SegmentReader } from '../../engine/segment/segment-reader.ts';
import type { CachedValue } from './cached-values.ts';
import { SharedCache } from './shared-cache.ts';

/** A value and the generation for which it is valid. */
export interface CachedEntry {
  readonly value: CachedValue;
  generation: number;
}

/** Of the memory for each thread. */
const SHARED_SHARE = 3 / 4;
/** Of the memory of a thread alone, for stored documents. */
const DOCUMENTS_SHARE = 1 / 4;

/** Bytes that a thread adds to the shared memory, of a query cache of `bytesEach` for each thread. */
export const sharedBytes = (bytesEach: number): number => Math.floor(bytesEach * SHARED_SHARE);

/** Bytes of a thread alone, of a query cache of `bytesEach` for each thread. */
export const ownBytes = (bytesEach: number): number => bytesEach - sharedBytes(bytesEach);

/** @param bytes of a thread that shares nothing */
const memoryOfOne = (bytes: number): CacheMemory => ({
  ownBytes: ownBytes(bytes),
  shared: SharedCache.memory(sharedBytes(bytes)),
  threads: 1,
});

/**
 * Caches by subject and kind, so that keys are short: writing and comparing keys that include the
 * subject would cost more than the rest of a look-up.
 */
export class ResultStore {
  /** Milliseconds. */
  readonly now: () => number;
  /** Results that all threads share. */
  readonly shared: SharedCache;
  readonly #threads: number;
  readonly #results: BudgetCache<CachedEntry>;
  readonly #documents: BudgetCache<Uint8Array>;
  /** By subject, then by kind. */
  readonly #bySubject = new Map<string, Map<string, BudgetCache<CachedEntry>>>();
  readonly #bySegment = new WeakMap<
    Pick<SegmentReader, 'readDocument'>,
    BudgetCache<Uint8Array, number>
  >();

  /**
   * @param cache memory, or bytes of a thread that shares nothing
   * @param now milliseconds, to measure the cost of results; absent = all cost the same
   */
  constructor(cache: CacheMemory | number, now: () => number = () => 0) {
    const memory = typeof cache === 'number' ? memoryOfOne(cache) : cache;
    const documentBytes = Math.floor(memory.ownBytes * DOCUMENTS_SHARE);
    this.shared = new SharedCache(memory.shared);
    this.#threads = memory.threads;
    this.#results = new BudgetCache(memory.ownBytes - documentBytes);
    this.#documents = new BudgetCache(documentBytes);
    this.now = now;
  }

  /** Results of a kind about a subject. */
  results(subject: string, kind: string): BudgetCache<CachedEntry> {
    const kinds = getOrCompute(this.#bySubject, subject, () => new Map());
    return getOrCompute(kinds, kind, () => new BudgetCache(this.#results));
  }

  /** Stored documents of a segment as they were read, by DocId. */
  documents(segment: Pick<SegmentReader, 'readDocument'>): BudgetCache<Uint8Array, number> {
    return getOrCompute(this.#bySegment, segment, () => new BudgetCache(this.#documents));
  }

  /** Removes all results about a subject. */
  forget(subject: string): void {
    for (const results of this.#bySubject.get(subject)?.values() ?? []) results.clear();
    this.#bySubject.delete(subject);
  }

  /** Hits and misses of the thread; its memory, and its share of the shared memory. */
  get figures(): CacheFigures {
    const own = this.#results.figures;
    const shared = this.shared.figures;
    return {
      hits: own.hits + shared.hits,
      misses: own.misses + shared.misses,
      bytes: own.bytes + this.documentBytes + Math.ceil(shared.bytes / this.#threads),
    };
  }

  get documentBytes(): number {
    return this.#documents.figures.bytes;
  }
}

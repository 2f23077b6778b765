/** Memory of the query cache, divided between results and stored documents. */
import { BudgetCache, type CacheFigures } from '../../core/budget-cache.ts';
import type { SegmentReader } from '../../engine/segment/segment.ts';
import type { KeptValue } from './cached-values.ts';

/** A value and the generation for which it is valid. */
export interface KeptEntry {
  readonly value: KeptValue;
  generation: number;
}

/** 1/16 of the memory is for stored documents. */
const DOCUMENTS_SHARE = 16;

/**
 * Caches by subject and kind, so that keys are short: writing and comparing keys that include the
 * subject would cost more than the rest of a look-up.
 */
export class ResultStore {
  /** Milliseconds. */
  readonly now: () => number;
  readonly #results: BudgetCache<KeptEntry>;
  readonly #documents: BudgetCache<Uint8Array>;
  /** By subject, then by kind. */
  readonly #bySubject = new Map<string, Map<string, BudgetCache<KeptEntry>>>();
  readonly #bySegment = new WeakMap<
    Pick<SegmentReader, 'readDocument'>,
    BudgetCache<Uint8Array, number>
  >();

  /** @param now milliseconds, to measure the cost of results; absent = all cost the same */
  constructor(bytesMax: number, now: () => number = () => 0) {
    const documentBytes = Math.floor(bytesMax / DOCUMENTS_SHARE);
    this.#results = new BudgetCache(bytesMax - documentBytes);
    this.#documents = new BudgetCache(documentBytes);
    this.now = now;
  }

  /** Results of a kind about a subject. */
  results(subject: string, kind: string): BudgetCache<KeptEntry> {
    let kinds = this.#bySubject.get(subject);
    if (kinds === undefined) {
      kinds = new Map();
      this.#bySubject.set(subject, kinds);
    }
    let results = kinds.get(kind);
    if (results === undefined) {
      results = new BudgetCache(this.#results);
      kinds.set(kind, results);
    }
    return results;
  }

  /** Stored documents of a segment as they were read, by DocId. */
  documents(segment: Pick<SegmentReader, 'readDocument'>): BudgetCache<Uint8Array, number> {
    let documents = this.#bySegment.get(segment);
    if (documents === undefined) {
      documents = new BudgetCache(this.#documents);
      this.#bySegment.set(segment, documents);
    }
    return documents;
  }

  /** Removes all results about a subject. */
  forget(subject: string): void {
    for (const results of this.#bySubject.get(subject)?.values() ?? []) results.clear();
    this.#bySubject.delete(subject);
  }

  /** Hits, misses and memory of results and documents. */
  get figures(): CacheFigures {
    const { hits, misses, bytes } = this.#results.figures;
    return { hits, misses, bytes: bytes + this.documentBytes };
  }

  get documentBytes(): number {
    return this.#documents.figures.bytes;
  }
}

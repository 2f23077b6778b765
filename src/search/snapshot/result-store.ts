/** The memory in which searches keep what later ones need again, shared out between results and documents. */
import { BudgetCache, type CacheFigures } from '../../core/budget-cache.ts';
import type { SegmentReader } from '../../engine/segment/segment.ts';
import type { KeptValue } from './kept-values.ts';

/** A value and the generation that it is right for. */
export interface KeptEntry {
  readonly value: KeptValue;
  generation: number;
}

/** One byte in so many is for stored documents. */
const DOCUMENTS_SHARE = 16;

/**
 * What is asked for again and again is looked up in a cache of its subject or segment by what is left
 * to tell it: a name that told all of it would cost more to write and compare than the rest of a look.
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

  /** @param now milliseconds, for what results cost; absent = all cost the same */
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

  /** Lets go of all results about a subject. */
  forget(subject: string): void {
    for (const results of this.#bySubject.get(subject)?.values() ?? []) results.clear();
    this.#bySubject.delete(subject);
  }

  /** Looks for results, and what results and documents take. */
  get figures(): CacheFigures {
    const { hits, misses, bytes } = this.#results.figures;
    return { hits, misses, bytes: bytes + this.documentBytes };
  }

  get documentBytes(): number {
    return this.#documents.figures.bytes;
  }
}

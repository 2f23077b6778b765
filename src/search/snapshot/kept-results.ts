/** Access to what searches keep for later ones. */

import type { BudgetCache } from '../../core/budget-cache.ts';
import type { SegmentReader } from '../../engine/segment/segment.ts';
import type { Lifetime, ResultKind } from './kept-kinds.ts';
import type { KeptValue } from './kept-values.ts';
import type { Change } from './renewal.ts';
import type { KeptEntry, ResultStore } from './result-store.ts';

/** What the results of each lifetime are about. */
export type Subjects = Readonly<Record<Lifetime, string>>;

/** Longer documents are read anew each time. */
const DOCUMENT_BYTES_MAX = 64 << 10;
/** Of a kept document beside its text, roughly. */
const DOCUMENT_ENTRY_BYTES = 320;

/** What a snapshot tells of itself. */
export interface Content<Part> {
  readonly generation: number;
  readonly whole: Part;
  /**
   * What has changed after an earlier generation, and the segments that have come since; null when
   * that is not known, or too much.
   */
  changeSince(generation: number): (Change & { readonly part: Part }) | null;
}

/** Finds a result in the segments of a snapshot, or of a part of it. */
export type Find<Part, Value> = (part: Part) => Value;

/**
 * The results of one thread that hold for one snapshot. Each kind has a cache of its own, so what is
 * in it is a value of that kind. @template Part a snapshot, or some of its segments
 */
export class KeptResults<Part> {
  readonly #store: ResultStore;
  readonly #subjects: Subjects;
  readonly #content: () => Content<Part>;
  /** By kind, as far as they have been asked for. */
  readonly #caches = new Map<unknown, BudgetCache<KeptEntry>>();

  constructor(store: ResultStore, subjects: Subjects, content: () => Content<Part>) {
    this.#store = store;
    this.#subjects = subjects;
    this.#content = content;
  }

  subject(lifetime: Lifetime): string {
    return this.#subjects[lifetime];
  }

  /**
   * The value under the key, brought up to date with what `find` finds in the segments that have
   * come since; undefined when there is none.
   */
  get<Key, Value extends KeptValue>(
    of: ResultKind<Key, Value>,
    key: Key,
    find: Find<Part, Value>,
  ): Value | undefined {
    const entry = this.#cacheOf(of).get(of.keyOf(key));
    if (entry === undefined) return undefined;
    const value = entry.value as Value;
    if (!of.renew) return value;
    const content = this.#content();
    if (entry.generation === content.generation) return value;
    const change = content.changeSince(entry.generation);
    if (change === null) return undefined;
    const renewed = of.renew(value, find(change.part), change);
    if (renewed === value) entry.generation = content.generation;
    else this.#keep(of, key, renewed, null);
    return renewed;
  }

  /** A value that is not there yet; kept unless it is too large. */
  make<Key, Value extends KeptValue>(
    of: ResultKind<Key, Value>,
    key: Key,
    find: () => Value,
  ): Value {
    const { now } = this.#store;
    const startMs = now();
    const made = find();
    this.#keep(of, key, made, now() - startMs);
    return made;
  }

  /** The value under the key; when there is none, a new one, which is kept. */
  getOrMake<Key, Value extends KeptValue>(
    of: ResultKind<Key, Value>,
    key: Key,
    find: Find<Part, Value>,
  ): Value {
    return this.get(of, key, find) ?? this.make(of, key, () => find(this.#content().whole));
  }

  #keep<Key, Value extends KeptValue>(
    of: ResultKind<Key, Value>,
    key: Key,
    found: Value,
    costMs: number | null,
  ): void {
    const { packed, bytesOf, bytesMax = Number.POSITIVE_INFINITY } = of;
    const value = packed ? packed(found) : found;
    const bytes = bytesOf(value, key);
    const { generation } = this.#content();
    const cache = this.#cacheOf(of);
    const name = of.keyOf(key);
    if (bytes > bytesMax) cache.delete(name);
    else if (costMs === null) cache.renew(name, { value, generation }, bytes);
    else cache.set(name, { value, generation }, bytes, costMs);
  }

  /** The stored document that lies under this number in a segment; not to be written to. */
  document(segment: Pick<SegmentReader, 'readDocument'>, docId: number): Uint8Array {
    const documents = this.#store.documents(segment);
    const known = documents.get(docId);
    if (known !== undefined) return known;
    const read = segment.readDocument(docId);
    if (read.length <= DOCUMENT_BYTES_MAX)
      documents.set(docId, read.slice(), read.length + DOCUMENT_ENTRY_BYTES, 0);
    return read;
  }

  /** Lets go of all results of the lifetime. */
  forget(lifetime: Lifetime): void {
    this.#store.forget(this.#subjects[lifetime]);
    this.#caches.clear();
  }

  #cacheOf<Key, Value extends KeptValue>(of: ResultKind<Key, Value>): BudgetCache<KeptEntry> {
    let cache = this.#caches.get(of);
    if (cache === undefined) {
      cache = this.#store.results(this.#subjects[of.lifetime], of.name);
      this.#caches.set(of, cache);
    }
    return cache;
  }
}

/** Access to the query cache: results of this thread, and results that all threads share. */

import type { BudgetCache } from '../../core/budget-cache.ts';
import { flatText } from '../../core/flat-text.ts';
import type { SegmentReader } from '../../engine/segment/segment-reader.ts';
import { TYPED_ARRAY_POOL } from '../sets/typed-array-pool.ts';
import type { Lifetime, ResultKind } from './cache-kinds.ts';
import type { Change } from './cache-patching.ts';
import type { CachedValue } from './cached-values.ts';
import type { CachedEntry, ResultStore } from './result-store.ts';
import type { ValueWords } from './value-words.ts';

/** The subject of the results of each lifetime, and of those that all threads share. */
export type Subjects = Readonly<Record<Lifetime | 'shared', string>>;

/** Longer documents are not cached. */
const DOCUMENT_BYTES_MAX = 64 << 10;
/** Bytes of a cached document in addition to its text; measured on Node 20. */
const DOCUMENT_ARRAY_BYTES = 200;

/** Facts about a snapshot that its cached results depend on. */
export interface Content<Part> {
  readonly generation: number;
  readonly whole: Part;
  /**
   * The changes since an earlier generation, and the segments added since; null when they are not
   * known, or too large.
   */
  changeSince(generation: number): (Change & { readonly part: Part }) | null;
}

const pooledNumbers = (length: number): Uint32Array => TYPED_ARRAY_POOL.numbers(length);

/** Computes a result from the segments of a snapshot, or of a subset of it. */
export type Find<Part, Value> = (part: Part) => Value;

/**
 * The cached results that are valid for one snapshot. Each kind has its own cache or its own keys,
 * so all its values have the type of the kind. A shared value is a copy for the running search.
 * @template Part a snapshot, or some of its segments
 */
export class QueryCache<Part> {
  readonly #store: ResultStore;
  readonly #subjects: Subjects;
  readonly #content: () => Content<Part>;
  /** By kind; filled at first access. */
  readonly #caches = new Map<unknown, BudgetCache<CachedEntry>>();

  constructor(store: ResultStore, subjects: Subjects, content: () => Content<Part>) {
    this.#store = store;
    this.#subjects = subjects;
    this.#content = content;
  }

  subject(lifetime: keyof Subjects): string {
    return this.#subjects[lifetime];
  }

  /**
   * The cached value, patched with the result of `find` for the segments added since; undefined
   * when there is none.
   */
  get<Key, Value extends CachedValue>(
    of: ResultKind<Key, Value>,
    key: Key,
    find: Find<Part, Value>,
  ): Value | undefined {
    if (of.words) return this.#getShared(of, of.words, key, find);
    const entry = this.#cacheOf(of).get(of.keyOf(key));
    if (entry === undefined) return undefined;
    const value = entry.value as Value;
    const patched = this.#patched(of, value, entry.generation, find);
    if (patched === undefined) return undefined;
    if (patched === value) entry.generation = this.#content().generation;
    else this.replace(of, key, patched);
    return patched;
  }

  #getShared<Key, Value extends CachedValue>(
    of: ResultKind<Key, Value>,
    { read }: ValueWords<Value>,
    key: Key,
    find: Find<Part, Value>,
  ): Value | undefined {
    const { shared } = this.#store;
    const name = this.#sharedKey(of, key);
    const found = shared.read(name, pooledNumbers);
    if (found === null) return undefined;
    const value = read(found.words);
    const patched = this.#patched(of, value, found.generation, find);
    if (patched === undefined) return undefined;
    const { generation } = this.#content();
    if (patched !== value) this.replace(of, key, patched);
    else if (found.generation < generation) shared.advance(name, generation);
    return patched;
  }

  /** The value of a generation for this one; undefined when it is not known. */
  #patched<Key, Value extends CachedValue>(
    of: ResultKind<Key, Value>,
    value: Value,
    since: number,
    find: Find<Part, Value>,
  ): Value | undefined {
    if (!of.patch) return value;
    const { generation, changeSince } = this.#content();
    if (since === generation) return value;
    // Another thread may be ahead.
    const change = since < generation ? changeSince(since) : null;
    return change === null ? undefined : of.patch(value, find(change.part), change);
  }

  /** Replaces a cached value, whose cost the new one takes over. */
  replace<Key, Value extends CachedValue>(
    of: ResultKind<Key, Value>,
    key: Key,
    value: Value,
  ): void {
    this.#put(of, key, value, null);
  }

  /** Computes a value that is not cached yet; caches it unless it is too large. */
  make<Key, Value extends CachedValue>(
    of: ResultKind<Key, Value>,
    key: Key,
    find: () => Value,
  ): Value {
    const { now } = this.#store;
    const startMs = now();
    const made = find();
    this.#put(of, key, made, now() - startMs);
    return made;
  }

  /** The cached value; if there is none, computes and caches it. */
  getOrMake<Key, Value extends CachedValue>(
    of: ResultKind<Key, Value>,
    key: Key,
    find: Find<Part, Value>,
  ): Value {
    return this.get(of, key, find) ?? this.make(of, key, () => find(this.#content().whole));
  }

  /** @param costMs null = the cost of the replaced value */
  #put<Key, Value extends CachedValue>(
    of: ResultKind<Key, Value>,
    key: Key,
    found: Value,
    costMs: number | null,
  ): void {
    const value = of.packed ? of.packed(found) : found;
    const { generation } = this.#content();
    if (of.words) {
      const { shared } = this.#store;
      const name = this.#sharedKey(of, key);
      shared.write(name, generation, of.words.write(value), costMs ?? shared.costMs(name));
      return;
    }
    const cache = this.#cacheOf(of);
    const bytes = of.bytesOf(value);
    if (costMs === null) cache.renew(of.keyOf(key), { value, generation }, bytes);
    else cache.set(of.keyOf(key), { value, generation }, bytes, costMs);
  }

  #sharedKey<Key, Value extends CachedValue>(of: ResultKind<Key, Value>, key: Key): string {
    return flatText(`${this.#subjects.shared} ${of.name} ${of.keyOf(key)}`);
  }

  /** The stored document with this DocId in a segment; the caller must not write to it. */
  document(segment: Pick<SegmentReader, 'readDocument'>, docId: number): Uint8Array {
    const documents = this.#store.documents(segment);
    const known = documents.get(docId);
    if (known !== undefined) return known;
    const read = segment.readDocument(docId);
    if (read.length <= DOCUMENT_BYTES_MAX)
      documents.set(docId, read.slice(), read.length + DOCUMENT_ARRAY_BYTES, 0);
    return read;
  }

  /** Removes all results of the lifetime. */
  forget(lifetime: Lifetime): void {
    this.#store.forget(this.#subjects[lifetime]);
    this.#caches.clear();
  }

  #cacheOf<Key, Value extends CachedValue>(of: ResultKind<Key, Value>): BudgetCache<CachedEntry> {
    let cache = this.#caches.get(of);
    if (cache === undefined) {
      cache = this.#store.results(this.#subjects[of.lifetime], of.name);
      this.#caches.set(of, cache);
    }
    return cache;
  }
}

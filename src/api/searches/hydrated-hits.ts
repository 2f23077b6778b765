/** Documents of other indexes in the hits of several instances. */

import { mapInParallel } from '../../core/bounded-parallel.ts';
import { ApiError, type ErrorEnvelope, toEnvelope, toWire } from '../../core/errors.ts';
import { getOrCompute } from '../../core/get-or-compute.ts';
import { limits } from '../../core/limits.ts';
import type { TimeSlices } from '../../core/time-slices.ts';
import type { PublishedIndex } from '../../ipc/replica/published-indexes.ts';
import { type DocumentOf, joinedHit } from '../../network/joined-hits.ts';
import type { AnswerSize } from './answer-size.ts';
import { type ForeignDocuments, isKnown, type KnownKey } from './foreign-documents.ts';

const PARALLEL_INDEXES_MAX = 4;
const PARALLEL_INSTANCES_MAX = 16;
/** An instance answers with up to 64 MiB. */
const IDS_PER_READ = 100;
const UNKNOWN = new TextEncoder().encode('{}');

interface Hit {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

interface HydrationOptions<H> {
  /** The index of a hit, whose foreign keys it has; null = unknown. */
  readonly indexOf: (hit: H) => PublishedIndex | null;
  /** Gets the error of each remote instance that fails, by its name. */
  readonly errors: Record<string, ErrorEnvelope>;
  readonly size: AnswerSize;
  readonly slices: TimeSlices;
}

/** Ids stay where an instance failed or a limit is reached. Throws `ApiError` of this instance. */
export async function hydratedHits<H extends Hit>(
  source: ForeignDocuments,
  hits: readonly H[],
  { indexOf, errors, size, slices }: HydrationOptions<H>,
): Promise<readonly H[]> {
  const joins = new Joins(source, errors);
  for (const hit of hits) {
    joins.note(indexOf(hit), hit);
    await slices.between();
  }
  if (joins.isEmpty) return hits;
  await joins.fetch();
  const hydrated: H[] = [];
  for (const hit of hits) {
    const bytes = joins.apply(indexOf(hit), hit);
    size.add(Math.max(0, bytes.length - (hit.end - hit.start)));
    hydrated.push({ ...hit, bytes, start: 0, end: bytes.length });
    await slices.between();
  }
  return hydrated;
}

/** The foreign keys of the hits of one answer. */
class Joins {
  readonly #source: ForeignDocuments;
  readonly #errors: Record<string, ErrorEnvelope>;
  readonly #byIndex = new Map<PublishedIndex, ReadonlyMap<string, NamedDocuments>>();
  /** By the id of the other index. */
  readonly #documents = new Map<number, NamedDocuments>();
  /** Bytes of different documents, and of those that hits show. */
  readonly #fetched = { bytes: limits.foreignBytesPerAnswerMax };
  readonly #shown = { bytes: limits.foreignBytesPerAnswerMax };

  constructor(source: ForeignDocuments, errors: Record<string, ErrorEnvelope>) {
    this.#source = source;
    this.#errors = errors;
  }

  get isEmpty(): boolean {
    return [...this.#documents.values()].every(({ isEmpty }) => isEmpty);
  }

  note(index: PublishedIndex | null, hit: Hit): void {
    this.#rewritten(index, hit, (documents, id) => {
      documents.want(id);
      return null;
    });
  }

  async fetch(): Promise<void> {
    await mapInParallel([...this.#documents.values()], PARALLEL_INDEXES_MAX, (documents) =>
      documents.fetch(this.#source, this.#fetched, this.#errors),
    );
  }

  apply(index: PublishedIndex | null, hit: Hit): Uint8Array {
    return this.#rewritten(index, hit, (documents, id) => {
      const document = documents.get(id);
      if (document === null || document.length > this.#shown.bytes) return null;
      this.#shown.bytes -= document.length;
      return document;
    });
  }

  #rewritten(
    index: PublishedIndex | null,
    { bytes, start, end }: Hit,
    documentOf: (documents: NamedDocuments, id: string) => Uint8Array | null,
  ): Uint8Array {
    const hit = bytes.subarray(start, end);
    const fields = index === null ? null : this.#fieldsOf(index);
    if (fields === null || fields.size === 0) return hit;
    const writers = [...fields].map(([field, documents]): [string, DocumentOf] => [
      field,
      (id) => documentOf(documents, id),
    ]);
    return joinedHit(hit, new Map(writers));
  }

  #fieldsOf(index: PublishedIndex): ReadonlyMap<string, NamedDocuments> {
    return getOrCompute(this.#byIndex, index, () => {
      const keys = this.#source.keysOf(index).filter(isKnown);
      return new Map(keys.map((key) => [key.fieldName, this.#documentsOf(key)]));
    });
  }

  #documentsOf(key: KnownKey): NamedDocuments {
    const { id } = key.index.manifest;
    return getOrCompute(this.#documents, id, () => new NamedDocuments(key));
  }
}

/** The documents of another index that hits name. */
class NamedDocuments {
  readonly #key: KnownKey;
  readonly #wanted = new Set<string>();
  readonly #found = new Map<string, Uint8Array>();

  constructor(key: KnownKey) {
    this.#key = key;
  }

  get isEmpty(): boolean {
    return this.#wanted.size === 0;
  }

  /** Ids beyond the limit stay ids. */
  want(id: string): void {
    if (this.#wanted.size < limits.foreignDocumentsMax) this.#wanted.add(id);
  }

  /** null = unknown. */
  get(id: string): Uint8Array | null {
    return this.#found.get(id) ?? null;
  }

  /** @param room bytes for documents, of all indexes together */
  async fetch(
    source: ForeignDocuments,
    room: { bytes: number },
    errors: Record<string, ErrorEnvelope>,
  ): Promise<void> {
    const ids = [...this.#wanted];
    for (let at = 0; at < ids.length && room.bytes > 0; at += IDS_PER_READ)
      await this.#fetchSome(ids.slice(at, at + IDS_PER_READ), source, room, errors);
  }

  /** Remote instances are only asked for documents that this one lacks. */
  async #fetchSome(
    ids: readonly string[],
    source: ForeignDocuments,
    room: { bytes: number },
    errors: Record<string, ErrorEnvelope>,
  ): Promise<void> {
    const missing = new Set(ids);
    const take = (documents: ReadonlyMap<string, Uint8Array>): void => {
      for (const id of missing) {
        const document = documents.get(id);
        if (document === undefined) continue;
        missing.delete(id);
        room.bytes -= document.length;
        if (room.bytes >= 0) this.#found.set(id, document);
      }
    };
    const remotes = source.instances.filter((name) => name !== null);
    if (remotes.length < source.instances.length) take(await this.#read(null, missing, source));
    const left = missing.size === 0 ? [] : remotes;
    const pages = await mapInParallel(left, PARALLEL_INSTANCES_MAX, async (name) => {
      try {
        return await this.#read(name, missing, source);
      } catch (error) {
        if (source.caller.signal?.aborted === true || !(error instanceof ApiError)) throw error;
        errors[name] ??= toEnvelope(toWire(error));
        return null;
      }
    });
    for (const page of pages) if (page !== null) take(page);
    if (pages.includes(null)) return;
    for (const id of missing) this.#found.set(id, UNKNOWN);
  }

  #read(
    name: string | null,
    ids: ReadonlySet<string>,
    source: ForeignDocuments,
  ): Promise<ReadonlyMap<string, Uint8Array>> {
    const { primaryKey, binding: filter, index } = this.#key;
    const { displayedAttributes } = index.manifest.settings;
    const fields = displayedAttributes.includes('*') ? null : [...displayedAttributes, primaryKey];
    return source.read(name, this.#key, { filter, ids: [...ids], fields, limit: ids.size });
  }
}

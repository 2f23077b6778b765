/** Documents of other indexes in the hits of several instances. */

import { mapInParallel } from '../../core/bounded-parallel.ts';
import type { ErrorEnvelope } from '../../core/errors.ts';
import { getOrCompute } from '../../core/get-or-compute.ts';
import { limits } from '../../core/limits.ts';
import type { TimeSlices } from '../../core/time-slices.ts';
import type { PublishedIndex } from '../../ipc/replica/published-indexes.ts';
import { PARALLEL_INSTANCES_MAX } from '../../model/network.ts';
import { type DocumentOf, joinedHit } from '../../network/joined-hits.ts';
import type { AnswerSize } from './answer-size.ts';
import { type ForeignDocuments, isKnown, type KnownKey } from './foreign-documents.ts';
import type { LocatedHit } from './index-answer.ts';
import { orNullIfRemoteFails } from './network-queries.ts';

const PARALLEL_INDEXES_MAX = 4;
/** An instance answers with up to 64 MiB. */
const IDS_PER_READ = 100;
const UNKNOWN = new TextEncoder().encode('{}');

type Hit = Pick<LocatedHit, 'bytes' | 'start' | 'end'>;

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

/** The documents of another index that hits name. */
interface NamedDocuments {
  readonly key: KnownKey;
  /** Ids, up to the limit; further ids are not replaced. */
  readonly wanted: Set<string>;
  readonly found: Map<string, Uint8Array>;
}

/** The foreign keys of the hits of one answer. */
class Joins {
  readonly #source: ForeignDocuments;
  readonly #errors: Record<string, ErrorEnvelope>;
  readonly #byIndex = new Map<PublishedIndex, ReadonlyMap<string, NamedDocuments>>();
  /** By the id of the other index. */
  readonly #documents = new Map<number, NamedDocuments>();
  /** Bytes left, for all indexes together: of distinct documents, and of documents in hits. */
  #fetchedBytesLeft = limits.foreignBytesPerAnswerMax;
  #shownBytesLeft = limits.foreignBytesPerAnswerMax;

  constructor(source: ForeignDocuments, errors: Record<string, ErrorEnvelope>) {
    this.#source = source;
    this.#errors = errors;
  }

  get isEmpty(): boolean {
    return [...this.#documents.values()].every(({ wanted }) => wanted.size === 0);
  }

  note(index: PublishedIndex | null, hit: Hit): void {
    this.#rewritten(index, hit, ({ wanted }, id) => {
      if (wanted.size < limits.foreignDocumentsMax) wanted.add(id);
      return null;
    });
  }

  async fetch(): Promise<void> {
    await mapInParallel([...this.#documents.values()], PARALLEL_INDEXES_MAX, async (documents) => {
      const ids = [...documents.wanted];
      for (let at = 0; at < ids.length && this.#fetchedBytesLeft > 0; at += IDS_PER_READ)
        await this.#fetchSome(ids.slice(at, at + IDS_PER_READ), documents);
    });
  }

  apply(index: PublishedIndex | null, hit: Hit): Uint8Array {
    return this.#rewritten(index, hit, ({ found }, id) => {
      const document = found.get(id);
      if (document === undefined || document.length > this.#shownBytesLeft) return null;
      this.#shownBytesLeft -= document.length;
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
    return getOrCompute(this.#documents, id, () => ({
      key,
      wanted: new Set(),
      found: new Map(),
    }));
  }

  /** Remote instances are only asked for documents that this one lacks. */
  async #fetchSome(ids: readonly string[], { key, found }: NamedDocuments): Promise<void> {
    const { instances, caller } = this.#source;
    const missing = new Set(ids);
    const take = (documents: ReadonlyMap<string, Uint8Array>): void => {
      for (const id of missing) {
        const document = documents.get(id);
        if (document === undefined) continue;
        missing.delete(id);
        this.#fetchedBytesLeft -= document.length;
        if (this.#fetchedBytesLeft >= 0) found.set(id, document);
      }
    };
    const remotes = instances.filter((name) => name !== null);
    if (remotes.length < instances.length) take(await this.#read(null, missing, key));
    const left = missing.size === 0 ? [] : remotes;
    const pages = await mapInParallel(left, PARALLEL_INSTANCES_MAX, (name) =>
      orNullIfRemoteFails(name, () => this.#read(name, missing, key), this.#errors, caller.signal),
    );
    for (const page of pages) if (page !== null) take(page);
    if (pages.includes(null)) return;
    for (const id of missing) found.set(id, UNKNOWN);
  }

  #read(
    name: string | null,
    ids: ReadonlySet<string>,
    key: KnownKey,
  ): Promise<ReadonlyMap<string, Uint8Array>> {
    const { primaryKey, binding: filter, index } = key;
    const { displayedAttributes } = index.manifest.settings;
    const fields = displayedAttributes.includes('*') ? null : [...displayedAttributes, primaryKey];
    return this.#source.read(name, key, { filter, ids: [...ids], fields, limit: ids.size });
  }
}

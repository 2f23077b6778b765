/**
 * Reads a published index through the query pool: waits for the check of its files, includes the
 * indexes of its foreign keys, and retries once with the newest generation if its own files are
 * deleted.
 */
import type { Access } from '../../auth/access.ts';
import type { Requester } from '../../core/caller.ts';
import { fromWire, indexNotFound } from '../../core/errors.ts';
import { toProcessMs } from '../../core/process-clock.ts';
import type {
  ForeignIndexSource,
  FurtherIndexSource,
  QueryReply,
  QueryWork,
} from '../../ipc/queries/query-protocol.ts';
import type { PublishedIndex } from '../../ipc/replica/published-indexes.ts';
import type { FederatedSearch } from '../../model/federation.ts';
import type { ApiContext } from '../contract/context.ts';
import { foreignIndexSources } from './foreign-index-sources.ts';
import { logIfSlow } from './slow-searches.ts';

/** @throws ApiError `index_not_found` */
export function requireIndex(context: ApiContext, uid: string): PublishedIndex {
  const index = context.indexes.get(uid);
  if (index === undefined) throw indexNotFound(uid);
  return index;
}

type Done = Extract<QueryReply, { ok: true }>;

/** A further index of federated work, and its part of the work. */
interface FurtherIndex {
  readonly index: PublishedIndex;
  readonly search: FederatedSearch;
}

interface FurtherRead extends FurtherIndex {
  readonly foreign: readonly ForeignIndexSource[];
}

/** One unit of work on one index, or on several together. */
export class IndexReader {
  readonly #context: ApiContext;
  readonly #index: PublishedIndex;
  readonly #work: QueryWork;
  readonly #access: Access | null;
  /** Indexes of foreign keys that the caller may search. */
  readonly foreign: readonly ForeignIndexSource[];
  readonly #further: readonly FurtherRead[];

  /** @param access of the caller; null = includes no other index */
  constructor(
    context: ApiContext,
    index: PublishedIndex,
    work: QueryWork,
    access: Access | null = null,
    further: readonly FurtherIndex[] = [],
  ) {
    this.#context = context;
    this.#index = index;
    this.#work = work;
    this.#access = access;
    this.foreign = foreignIndexSources(context, index, work, access);
    this.#further = further.map((each) => this.#furtherRead(each));
    if (work.kind === 'stats') return;
    context.checked.noteRead(index.manifest.id);
    for (const { indexId } of this.foreign) context.checked.noteRead(indexId);
    for (const { index: other, foreign } of this.#further) {
      context.checked.noteRead(other.manifest.id);
      for (const { indexId } of foreign) context.checked.noteRead(indexId);
    }
  }

  #furtherRead({ index, search }: FurtherIndex): FurtherRead {
    const foreign = foreignIndexSources(this.#context, index, this.#work, this.#access);
    return { index, search, foreign };
  }

  /** False = `whenReadable` must be awaited before `read`. */
  get isReadable(): boolean {
    const { checked } = this.#context;
    const areReadable = (foreign: readonly ForeignIndexSource[]): boolean =>
      foreign.every(({ indexId }) => checked.isReadable(indexId));
    return (
      checked.isReadable(this.#index.manifest.id) &&
      areReadable(this.foreign) &&
      this.#further.every(
        ({ index, foreign }) => checked.isReadable(index.manifest.id) && areReadable(foreign),
      )
    );
  }

  /** @throws ApiError `invalid_store_file` if a file of one of the indexes is damaged */
  async whenReadable(): Promise<void> {
    const { checked } = this.#context;
    const own = { index: this.#index, foreign: this.foreign };
    for (const { index, foreign } of [own, ...this.#further]) {
      await checked.whenReadable(index.manifest.id, index.manifest.uid);
      for (const { indexId, uid } of foreign) await checked.whenReadable(indexId, uid);
    }
  }

  /** Requires a readable index. @throws ApiError of the work */
  async read(caller: Requester): Promise<Done> {
    const { clock } = this.#context;
    const askedAtMs = clock.monotonic();
    let reply = await this.#run(this.#index, this.foreign, this.#further, caller);
    if (!reply.ok && reply.retryWithNewest) {
      const newest = this.#newest(this.#index);
      const foreign = foreignIndexSources(this.#context, newest, this.#work, this.#access);
      const further = this.#further.map(({ index, search }) =>
        this.#furtherRead({ index: this.#newest(index), search }),
      );
      // The files have left the disk of this node meanwhile.
      for (const { manifest } of [newest, ...further.map(({ index }) => index)])
        await this.#context.checked.whenReadable(manifest.id, manifest.uid);
      reply = await this.#run(newest, foreign, further, caller);
    }
    if (!reply.ok) throw fromWire(reply.error);
    if (reply.isDegraded) caller.searchWasCut?.();
    const milliseconds = clock.monotonic() - askedAtMs;
    const indexUid = this.#indexUids();
    const { workMs = 0 } = reply;
    caller.span?.add('queue', milliseconds, workMs);
    caller.span?.add(`query ${this.#work.kind}`, workMs, 0, { 'gannet.index': indexUid });
    logIfSlow(this.#context, { indexUid, work: this.#work, reply, caller, milliseconds });
    return reply;
  }

  /** For logs and traces. */
  #indexUids(): string {
    const { uid } = this.#index.manifest;
    if (this.#further.length === 0) return uid;
    return [uid, ...this.#further.map(({ index }) => index.manifest.uid)].join(', ');
  }

  #newest({ manifest: { uid } }: PublishedIndex): PublishedIndex {
    return requireIndex(this.#context, uid);
  }

  #run(
    { key, shared, location }: PublishedIndex,
    foreign: readonly ForeignIndexSource[],
    further: readonly FurtherRead[],
    caller: Requester,
  ): Promise<QueryReply> {
    const { queryPool, config, clock } = this.#context;
    return queryPool.run(
      {
        snapshotKey: key,
        manifest: shared,
        location,
        work: this.#work,
        endsAtMs: toProcessMs((caller.receivedAtMs ?? clock.monotonic()) + config.searchTimeoutMs),
        foreign,
        further: further.map(furtherSource),
      },
      caller,
    );
  }
}

const furtherSource = ({ index, search, foreign }: FurtherRead): FurtherIndexSource => ({
  snapshotKey: index.key,
  manifest: index.shared,
  location: index.location,
  search,
  foreign,
});

/** The JSON bytes of the answer to `work`. @param access as for `IndexReader` */
export async function readIndex(
  context: ApiContext,
  index: PublishedIndex,
  work: QueryWork,
  caller: Requester,
  access: Access | null = null,
): Promise<Uint8Array> {
  const reader = new IndexReader(context, index, work, access);
  await reader.whenReadable();
  return (await reader.read(caller)).body;
}

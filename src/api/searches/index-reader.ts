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
  QueryReply,
  QueryWork,
} from '../../ipc/queries/query-protocol.ts';
import type { PublishedIndex } from '../../ipc/replica/published-indexes.ts';
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

/** One unit of work on one index. */
export class IndexReader {
  readonly #context: ApiContext;
  readonly #index: PublishedIndex;
  readonly #work: QueryWork;
  readonly #access: Access | null;
  /** Indexes of foreign keys that the caller may search. */
  readonly foreign: readonly ForeignIndexSource[];

  /** @param access of the caller; null = includes no other index */
  constructor(
    context: ApiContext,
    index: PublishedIndex,
    work: QueryWork,
    access: Access | null = null,
  ) {
    this.#context = context;
    this.#index = index;
    this.#work = work;
    this.#access = access;
    this.foreign = foreignIndexSources(context, index, work, access);
    if (work.kind === 'stats') return;
    context.checked.noteRead(index.manifest.id);
    for (const { indexId } of this.foreign) context.checked.noteRead(indexId);
  }

  /** False = `whenReadable` must be awaited before `read`. */
  get isReadable(): boolean {
    const { checked } = this.#context;
    return (
      checked.isReadable(this.#index.manifest.id) &&
      this.foreign.every(({ indexId }) => checked.isReadable(indexId))
    );
  }

  /** @throws ApiError `invalid_store_file` if a file of one of the indexes is damaged */
  async whenReadable(): Promise<void> {
    const { id, uid } = this.#index.manifest;
    const { checked } = this.#context;
    await checked.whenReadable(id, uid);
    for (const { indexId, uid: foreignUid } of this.foreign)
      await checked.whenReadable(indexId, foreignUid);
  }

  /** Requires a readable index. @throws ApiError of the work */
  async read(caller: Requester): Promise<Done> {
    const { clock } = this.#context;
    const { uid: indexUid } = this.#index.manifest;
    const askedAtMs = clock.monotonic();
    let reply = await this.#run(this.#index, this.foreign, caller);
    if (!reply.ok && reply.retryWithNewest) {
      const newest = requireIndex(this.#context, indexUid);
      const foreign = foreignIndexSources(this.#context, newest, this.#work, this.#access);
      // The files have left the disk of this node meanwhile.
      await this.#context.checked.whenReadable(newest.manifest.id, indexUid);
      reply = await this.#run(newest, foreign, caller);
    }
    if (!reply.ok) throw fromWire(reply.error);
    if (reply.isDegraded) caller.searchWasCut?.();
    const milliseconds = clock.monotonic() - askedAtMs;
    const { workMs = 0 } = reply;
    caller.span?.add('queue', milliseconds, workMs);
    caller.span?.add(`query ${this.#work.kind}`, workMs, 0, { 'gannet.index': indexUid });
    logIfSlow(this.#context, { indexUid, work: this.#work, reply, caller, milliseconds });
    return reply;
  }

  #run(
    { key, shared, location }: PublishedIndex,
    foreign: readonly ForeignIndexSource[],
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
      },
      caller,
    );
  }
}

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

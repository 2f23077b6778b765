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

export function requireIndex(context: ApiContext, uid: string): PublishedIndex {
  const index = context.indexes.get(uid);
  if (index === undefined) throw indexNotFound(uid);
  return index;
}

type Done = Extract<QueryReply, { ok: true }>;

/** An index that is read, with the indexes of its foreign keys that the caller may search. */
interface IndexRead {
  readonly index: PublishedIndex;
  readonly foreign: readonly ForeignIndexSource[];
}

/** A further index of federated work, and its part of the work. */
interface FurtherIndex {
  readonly index: PublishedIndex;
  readonly search: FederatedSearch;
}

type FurtherRead = IndexRead & FurtherIndex;

export interface ReadRequest {
  readonly index: PublishedIndex;
  readonly work: QueryWork;
  /** Decides which indexes of foreign keys are included; absent or null = none. */
  readonly access?: Access | null;
  /** Of federated work; absent = none. */
  readonly further?: readonly FurtherIndex[];
}

/** One unit of work on one index, or on several together. */
export class IndexReader {
  readonly #context: ApiContext;
  readonly #work: QueryWork;
  readonly #access: Access | null;
  readonly #own: IndexRead;
  readonly #further: readonly FurtherRead[];
  /** All indexes whose files are read. */
  readonly #opened: readonly Pick<ForeignIndexSource, 'indexId' | 'uid'>[];

  constructor(context: ApiContext, { index, work, access = null, further = [] }: ReadRequest) {
    this.#context = context;
    this.#work = work;
    this.#access = access;
    this.#own = this.#readOf(index);
    this.#further = further.map((each) => this.#furtherRead(each));
    this.#opened = [this.#own, ...this.#further].flatMap(openedBy);
    if (work.kind === 'stats') return;
    for (const { indexId } of this.#opened) context.checked.noteRead(indexId);
  }

  /** Indexes of foreign keys that the caller may search. */
  get foreign(): readonly ForeignIndexSource[] {
    return this.#own.foreign;
  }

  #readOf(index: PublishedIndex): IndexRead {
    return { index, foreign: foreignIndexSources(this.#context, index, this.#work, this.#access) };
  }

  #furtherRead({ index, search }: FurtherIndex): FurtherRead {
    return { ...this.#readOf(index), search };
  }

  /** False = `whenReadable` must be awaited before `read`. */
  get isReadable(): boolean {
    const { checked } = this.#context;
    return this.#opened.every(({ indexId }) => checked.isReadable(indexId));
  }

  /** @throws ApiError `invalid_store_file` if a file of one of the indexes is damaged */
  async whenReadable(): Promise<void> {
    const { checked } = this.#context;
    for (const { indexId, uid } of this.#opened) await checked.whenReadable(indexId, uid);
  }

  /** Requires a readable index. @throws ApiError of the work */
  async read(caller: Requester): Promise<Done> {
    const { clock } = this.#context;
    const askedAtMs = clock.monotonic();
    let reply = await this.#run(this.#own, this.#further, caller);
    if (!reply.ok && reply.retryWithNewest) {
      const newest = this.#readOf(this.#newest(this.#own));
      const further = this.#further.map((each) =>
        this.#furtherRead({ index: this.#newest(each), search: each.search }),
      );
      // The files have left the disk of this node meanwhile.
      for (const { index } of [newest, ...further])
        await this.#context.checked.whenReadable(index.manifest.id, index.manifest.uid);
      reply = await this.#run(newest, further, caller);
    }
    if (!reply.ok) throw fromWire(reply.error);
    if (reply.isDegraded) caller.searchWasCut?.();
    const milliseconds = clock.monotonic() - askedAtMs;
    const indexUid = [this.#own, ...this.#further]
      .map(({ index }) => index.manifest.uid)
      .join(', ');
    const { workMs = 0 } = reply;
    caller.span?.add('queue', milliseconds, workMs);
    caller.span?.add(`query ${this.#work.kind}`, workMs, 0, { 'gannet.index': indexUid });
    logIfSlow(this.#context, { indexUid, work: this.#work, reply, caller, milliseconds });
    return reply;
  }

  #newest({ index }: IndexRead): PublishedIndex {
    return requireIndex(this.#context, index.manifest.uid);
  }

  #run(
    { index: { key, shared, location }, foreign }: IndexRead,
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

const openedBy = ({ index: { manifest }, foreign }: IndexRead) => [
  { indexId: manifest.id, uid: manifest.uid },
  ...foreign,
];

const furtherSource = ({ index, search, foreign }: FurtherRead): FurtherIndexSource => ({
  snapshotKey: index.key,
  manifest: index.shared,
  location: index.location,
  search,
  foreign,
});

/** The JSON bytes of the answer. @throws ApiError as `IndexReader` */
export async function readIndex(
  context: ApiContext,
  request: ReadRequest,
  caller: Requester,
): Promise<Uint8Array> {
  const reader = new IndexReader(context, request);
  await reader.whenReadable();
  return (await reader.read(caller)).body;
}

/** Finds an index among the published ones and reads it through the query pool. */
import type { Access } from '../../auth/access.ts';
import type { Requester } from '../../core/caller.ts';
import { fromWire, indexNotFound } from '../../core/errors.ts';
import { toProcessMs } from '../../core/process-clock.ts';
import type { PublishedIndex } from '../../ipc/published/published-indexes.ts';
import type {
  ForeignIndexSource,
  QueryReply,
  QueryWork,
} from '../../ipc/queries/query-protocol.ts';
import type { SearchRequest } from '../../model/search.ts';
import type { ApiContext } from '../contract/context.ts';
import { responseKey } from '../contract/response-cache.ts';
import { foreignIndexSources } from './foreign-indexes.ts';
import { logIfSlow } from './slow-searches.ts';

/** @throws ApiError `index_not_found` */
export function requireIndex(context: ApiContext, uid: string): PublishedIndex {
  const index = context.indexes.get(uid);
  if (index === undefined) throw indexNotFound(uid);
  return index;
}

interface WorkWithForeign {
  readonly work: QueryWork;
  readonly foreign: readonly ForeignIndexSource[];
}

const runOn = (
  { queryPool, config, clock }: ApiContext,
  index: PublishedIndex,
  { work, foreign }: WorkWithForeign,
  caller: Requester,
): Promise<QueryReply> =>
  queryPool.run(
    {
      snapshotKey: index.key,
      manifest: index.shared,
      location: index.location,
      work,
      ...(foreign.length > 0 && { foreign }),
      endsAtMs: toProcessMs((caller.receivedAtMs ?? clock.monotonic()) + config.searchTimeoutMs),
    },
    caller,
  );

type Done = Extract<QueryReply, { ok: true }>;

/**
 * What a query thread answers to `work` on the newest generation of an index. A thread that finds
 * the files of its generation gone asks for the newest one; that is tried once.
 * @param access of the caller, where the work brings along what foreign keys name
 */
export async function askIndex(
  context: ApiContext,
  index: PublishedIndex,
  work: QueryWork,
  caller: Requester,
  access: Access | null = null,
): Promise<Done> {
  const { id, uid: indexUid } = index.manifest;
  const foreignOf = (of: PublishedIndex) => foreignIndexSources(context, of, work, access);
  await context.checked.whenReadable(id, indexUid);
  for (const foreign of foreignOf(index))
    await context.checked.whenReadable(foreign.indexId, foreign.uid);
  const askedAtMs = context.clock.monotonic();
  let reply = await runOn(context, index, { work, foreign: foreignOf(index) }, caller);
  if (!reply.ok && reply.retryWithNewest) {
    const newest = requireIndex(context, indexUid);
    reply = await runOn(context, newest, { work, foreign: foreignOf(newest) }, caller);
  }
  if (!reply.ok) throw fromWire(reply.error);
  if (reply.isDegraded) caller.searchWasCut?.();
  const milliseconds = context.clock.monotonic() - askedAtMs;
  logIfSlow(context, { indexUid, work, reply, caller, milliseconds });
  return reply;
}

/** The finished JSON bytes for `work`. */
export const readIndex = async (
  context: ApiContext,
  index: PublishedIndex,
  work: QueryWork,
  caller: Requester,
  access: Access | null = null,
): Promise<Uint8Array> => (await askIndex(context, index, work, caller, access)).body;

export interface ReceivedSearch {
  readonly request: SearchRequest;
  readonly requestUid: string;
  /** By the context's monotonic clock. */
  readonly arrivedAtMs: number;
  /** By the same clock; absent = the cutoff counts from the start in a thread. */
  readonly cutoffSinceMs?: number;
  readonly access: Access;
}

/** The finished JSON bytes of a search: those kept of the same one before, or a query thread's. */
export async function readSearch(
  context: ApiContext,
  index: PublishedIndex,
  search: ReceivedSearch,
  caller: Requester,
): Promise<Uint8Array> {
  const { request, requestUid, arrivedAtMs, cutoffSinceMs, access } = search;
  const spentMs = context.clock.monotonic() - arrivedAtMs;
  const work = {
    kind: 'search',
    request,
    requestUid,
    spentMs,
    ...(cutoffSinceMs !== undefined && { cutoffSinceMs: toProcessMs(cutoffSinceMs) }),
  } as const;
  const name = context.responseCache.keepsAny
    ? responseKey(index.key, request, foreignIndexSources(context, index, work, access))
    : null;
  if (name !== null) {
    await context.checked.whenReadable(index.manifest.id, index.manifest.uid);
    const kept = context.responseCache.get(name, {
      requestUid,
      processingTimeMs: Math.floor(spentMs),
    });
    if (kept !== null) return kept;
  }
  const done = await askIndex(context, index, work, caller, access);
  if (name !== null && done.places !== undefined)
    context.responseCache.set(name, done.body, done.places, done.workMs ?? 0);
  return done.body;
}

/** Answers a search from the response cache, else from a query thread. */
import type { Access } from '../../auth/access.ts';
import type { Requester } from '../../core/caller.ts';
import { toProcessMs } from '../../core/process-clock.ts';
import type { PublishedIndex } from '../../ipc/replica/published-indexes.ts';
import type { SearchRequest } from '../../model/search.ts';
import type { ApiContext } from '../contract/context.ts';
import { responseKey } from '../contract/response-cache.ts';
import { IndexReader } from './index-reader.ts';

export interface ReceivedSearch {
  readonly request: SearchRequest;
  /** In milliseconds of the context's monotonic clock. */
  readonly arrivedAtMs: number;
  /** On the same clock; absent = the cutoff counts from the start in a thread. */
  readonly cutoffSinceMs?: number | undefined;
  readonly access: Access;
}

export async function readSearch(
  context: ApiContext,
  index: PublishedIndex,
  search: ReceivedSearch,
  caller: Requester,
): Promise<Uint8Array> {
  const { request, arrivedAtMs, cutoffSinceMs, access } = search;
  const { requestUid } = caller;
  const { responseCache, clock } = context;
  const spentMs = clock.monotonic() - arrivedAtMs;
  const work = {
    kind: 'search',
    request,
    requestUid,
    spentMs,
    ...(cutoffSinceMs !== undefined && { cutoffSinceMs: toProcessMs(cutoffSinceMs) }),
  } as const;
  const reader = new IndexReader(context, { index, work, access });
  const key = responseCache.keepsAny ? responseKey(index.key, request, reader.foreign) : null;
  if (!reader.isReadable) await reader.whenReadable();
  if (key === null) return (await reader.read(caller)).body;
  const cached = responseCache.get(key, { requestUid, processingTimeMs: Math.floor(spentMs) });
  if (cached !== null) return cached;
  const { body, places, workMs = 0 } = await reader.read(caller);
  if (places !== undefined) responseCache.set(key, body, places, workMs);
  return body;
}

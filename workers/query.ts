/** Thread entry of the query pool: reads one generation of one index and answers with finished JSON bytes. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { workerData } from 'node:worker_threads';
import { Deadline } from '../src/core/deadline.ts';
import { ApiError, toWire } from '../src/core/errors.ts';
import { limits } from '../src/core/limits.ts';
import type { QueryReply, QueryTask, QueryThreadData, QueryWork } from '../src/ipc/query-protocol.ts';
import type { FederatedSearch } from '../src/model/federation.ts';
import { WARM_UP_INDEX, warmUpFolder } from '../src/runtime/warm-up-files.ts';
import { executeFederatedSearch } from '../src/search/execute-federated-search.ts';
import { executeSearch } from '../src/search/execute-search.ts';
import { searchFacet, writeFacetSearchAnswer } from '../src/search/facet-search.ts';
import type { IndexSnapshot } from '../src/search/index-snapshot.ts';
import { indexFigures } from '../src/search/index-stats.ts';
import { readDocument, readDocuments } from '../src/search/read-documents.ts';
import { SnapshotCache } from '../src/search/snapshot-cache.ts';
import { writeSearchAnswer } from '../src/search/write-answer.ts';
import { FsDirectory } from '../src/storage/fs-directory.ts';

const now = (): number => performance.now();
const { dataDir, cacheBytes } = (Array.isArray(workerData) ? workerData.at(-1) : workerData) as QueryThreadData;
const snapshots = new SnapshotCache(
  (indexId) =>
    new FsDirectory(
      indexId === WARM_UP_INDEX.id ? fileURLToPath(warmUpFolder) : join(dataDir, 'indexes', String(indexId)),
    ),
  cacheBytes,
);

export default function answer(task: QueryTask): QueryReply {
  let snapshot: IndexSnapshot;
  try {
    snapshot = snapshots.get(task.snapshotKey, task.manifest);
  } catch (error) {
    return { ok: false, error: toWire(error), retryWithNewest: true };
  }
  try {
    const work = withFeatures(task);
    if (work.kind === 'federated') return federate(snapshot, work.search);
    return { ok: true, body: perform(snapshot, work) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { ok: false, error: toWire(error) };
  }
}

function withFeatures({ work, filterFeatures }: QueryTask): QueryWork {
  if (filterFeatures === undefined) return work;
  if (work.kind === 'federated') {
    const queries = work.search.queries.map((query) => ({ ...query, request: { ...query.request, filterFeatures } }));
    return { ...work, search: { ...work.search, queries } };
  }
  if (work.kind === 'facetSearch') {
    const { request } = work;
    return { ...work, request: { ...request, search: { ...request.search, filterFeatures } } };
  }
  return 'request' in work ? ({ ...work, request: { ...work.request, filterFeatures } } as QueryWork) : work;
}

const deadlineOf = ({ manifest }: IndexSnapshot): Deadline =>
  Deadline.after(manifest.settings.searchCutoffMs ?? limits.searchCutoffMsDefault, now);

function federate(snapshot: IndexSnapshot, search: FederatedSearch): QueryReply {
  const { part, bytes } = executeFederatedSearch(snapshot, search, () => deadlineOf(snapshot));
  return { ok: true, body: bytes, part };
}

function perform(snapshot: IndexSnapshot, work: Exclude<QueryWork, { kind: 'federated' }>): Uint8Array {
  switch (work.kind) {
    case 'search': {
      const start = now();
      const outcome = executeSearch(snapshot, work.request, deadlineOf(snapshot));
      return writeSearchAnswer(snapshot, work.request, outcome, () => ({
        requestUid: work.requestUid,
        processingTimeMs: Math.round(work.spentMs + now() - start),
      }));
    }
    case 'facetSearch': {
      const start = now();
      const hits = searchFacet(snapshot, work.request, deadlineOf(snapshot));
      return writeFacetSearchAnswer(work.request, hits, Math.round(work.spentMs + now() - start));
    }
    case 'document':
      return readDocument(snapshot, work.id, work);
    case 'documents':
      return readDocuments(snapshot, work.request, Deadline.after(limits.searchCutoffMsDefault, now));
    case 'stats':
      return new TextEncoder().encode(JSON.stringify(indexFigures(snapshot)));
  }
}

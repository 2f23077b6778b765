/**
 * Thread entry of the query pool: reads one generation of one index and answers with finished JSON
 * bytes.
 */
import { threadId, workerData } from 'node:worker_threads';
import { Deadline } from '../src/core/deadline.ts';
import { ApiError, toWire } from '../src/core/errors.ts';
import { limits } from '../src/core/limits.ts';
import { StepTimes } from '../src/core/step-times.ts';
import type {
  QueryReply,
  QueryTask,
  QueryThreadData,
  QueryWork,
} from '../src/ipc/query-protocol.ts';
import type { FederatedSearch } from '../src/model/federation.ts';
import { ThreadFigures } from '../src/observability/query-figures.ts';
import { writeSearchAnswer, writeSimilarAnswer } from '../src/search/answer/write-answer.ts';
import { executeFederatedSearch } from '../src/search/execute-federated-search.ts';
import { executeSearch } from '../src/search/execute-search.ts';
import { searchFacet, writeFacetSearchAnswer } from '../src/search/facet-search.ts';
import { listFields } from '../src/search/list-fields.ts';
import { readDocument, readDocuments } from '../src/search/read-documents.ts';
import { similarDocuments } from '../src/search/similar-documents.ts';
import type { IndexSnapshot } from '../src/search/snapshot/index-snapshot.ts';
import { indexFigures } from '../src/search/snapshot/index-stats.ts';
import { SnapshotCache } from '../src/search/snapshot/snapshot-cache.ts';
import { locationOpener } from '../src/storage/open-location.ts';

const now = (): number => performance.now();
const {
  cacheBytes,
  slowSearchMs,
  figures: figuresMemory,
} = (Array.isArray(workerData) ? workerData.at(-1) : workerData) as QueryThreadData;
const snapshots = new SnapshotCache(locationOpener(), cacheBytes);
const figures = new ThreadFigures(figuresMemory, threadId);
/** Where what nobody asked for is counted. */
const madeFigures = ThreadFigures.alone();
/** Between two looks at the heap, which takes as long as a small search. */
const HEAP_LOOK_MS = 1000;
let heapLookAtMs = 0;

export default function answer(task: QueryTask): QueryReply {
  const startMs = now();
  const own = task.isMade ? madeFigures : figures;
  const reply = answerTask(task, own);
  const endMs = now();
  const workMs = endMs - startMs;
  own.took(task.work.kind, workMs);
  noteMemory(endMs);
  return reply.ok ? { ...reply, workMs } : reply;
}

function noteMemory(nowMs: number): void {
  const { hits, misses, bytes, openSnapshots } = snapshots.figures;
  figures.set('keptHits', hits);
  figures.set('keptMisses', misses);
  figures.set('keptBytes', bytes);
  figures.set('openSnapshots', openSnapshots);
  if (nowMs < heapLookAtMs) return;
  heapLookAtMs = nowMs + HEAP_LOOK_MS;
  figures.set('heapBytes', process.memoryUsage().heapUsed);
}

function answerTask(task: QueryTask, own: ThreadFigures): QueryReply {
  let snapshot: IndexSnapshot;
  try {
    snapshot = snapshots.get(task.snapshotKey, task.manifest, task.location);
  } catch (error) {
    return { ok: false, error: toWire(error), retryWithNewest: true };
  }
  try {
    const { work } = task;
    if (work.kind === 'federated') return federate(snapshot, work.search);
    if (work.kind === 'search') return search(snapshot, work, own);
    return { ok: true, body: perform(snapshot, work, own) };
  } catch (error) {
    if (error instanceof ApiError) return { ok: false, error: toWire(error) };
    const damage = snapshots.damageOf(task.snapshotKey);
    if (damage === null) throw error;
    return { ok: false, error: toWire(damage) };
  }
}

const deadlineOf = ({ manifest }: IndexSnapshot): Deadline =>
  Deadline.after(manifest.settings.searchCutoffMs ?? limits.searchCutoffMsDefault, now);

function federate(snapshot: IndexSnapshot, search: FederatedSearch): QueryReply {
  const { part, bytes } = executeFederatedSearch(snapshot, search, () => deadlineOf(snapshot));
  return { ok: true, body: bytes, part };
}

function search(
  snapshot: IndexSnapshot,
  { request, requestUid, spentMs }: Extract<QueryWork, { kind: 'search' }>,
  own: ThreadFigures,
): QueryReply {
  const { times, facts } = startTimes(request, spentMs);
  const outcome = executeSearch(snapshot, request, deadlineOf(snapshot), times);
  const allFacts = () => ({
    requestUid,
    ...facts(),
    ...(request.showProfile && { profile: times.stages }),
  });
  const { bytes, places } = writeSearchAnswer(snapshot, request, outcome, allFacts, times);
  if (outcome.isDegraded) own.count('degradedSearches');
  own.tookSteps(times.steps);
  const isSlow = slowSearchMs > 0 && times.total >= slowSearchMs;
  return {
    ok: true,
    body: bytes,
    ...(!outcome.isDegraded && { places }),
    ...(isSlow && { steps: Object.fromEntries(times.steps) }),
  };
}

function similar(
  snapshot: IndexSnapshot,
  { request, spentMs }: Extract<QueryWork, { kind: 'similar' }>,
  own: ThreadFigures,
): Uint8Array {
  const { times, facts } = startTimes(request, spentMs);
  const found = similarDocuments(snapshot, request, deadlineOf(snapshot), times);
  const bytes = writeSimilarAnswer(snapshot, request, found, facts, times);
  own.tookSteps(times.steps);
  return bytes;
}

/** What an answer says of its time. @param spentMs before this thread had the request */
function startTimes(
  { showPerformanceDetails }: { readonly showPerformanceDetails: boolean },
  spentMs: number,
) {
  const start = now();
  const times = new StepTimes(now);
  times.add('wait for a thread', spentMs);
  const facts = () => ({
    processingTimeMs: Math.floor(spentMs + now() - start),
    ...(showPerformanceDetails && { performanceDetails: times.details }),
  });
  return { times, facts };
}

function perform(
  snapshot: IndexSnapshot,
  work: Exclude<QueryWork, { kind: 'federated' | 'search' }>,
  own: ThreadFigures,
): Uint8Array {
  switch (work.kind) {
    case 'facetSearch': {
      const start = now();
      const hits = searchFacet(snapshot, work.request, deadlineOf(snapshot));
      return writeFacetSearchAnswer(work.request, hits, Math.floor(work.spentMs + now() - start));
    }
    case 'similar':
      return similar(snapshot, work, own);
    case 'document':
      return readDocument(snapshot, work.id, work);
    case 'documents':
      return readDocuments(
        snapshot,
        work.request,
        Deadline.after(limits.searchCutoffMsDefault, now),
      );
    case 'fields':
      return listFields(snapshot, work.request);
    case 'stats':
      return new TextEncoder().encode(JSON.stringify(indexFigures(snapshot)));
  }
}

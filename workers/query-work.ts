/**
 * Runs queries in a query thread: reads one generation of one index and returns the JSON bytes of
 * the response.
 */
import { Deadline, WorkEnd, WorkStopped } from '../src/core/deadline.ts';
import { ApiError, type CorruptionError, responseTooLarge, toWire } from '../src/core/errors.ts';
import type { IndexLocation } from '../src/core/index-location.ts';
import { limits } from '../src/core/limits.ts';
import { fromProcessMs } from '../src/core/process-clock.ts';
import { StepTimes } from '../src/core/step-times.ts';
import { BufferFull } from '../src/engine/json/byte-buffer.ts';
import type {
  PostedTask,
  QueryReply,
  QueryTask,
  QueryWork,
  SearchWork,
} from '../src/ipc/queries/query-protocol.ts';
import type { StopFlags } from '../src/ipc/queries/stop-flags.ts';
import type { FederatedSearch } from '../src/model/federation.ts';
import { ThreadFigures } from '../src/observability/query-figures.ts';
import { writeSearchAnswer, writeSimilarAnswer } from '../src/search/answer/write-answer.ts';
import { executeFederatedSearch } from '../src/search/execute-federated-search.ts';
import { executeSearch } from '../src/search/execute-search.ts';
import { searchFacet, writeFacetSearchAnswer } from '../src/search/facet-search.ts';
import { BoundForeignIndex } from '../src/search/filter/foreign-index.ts';
import { listFields } from '../src/search/list-fields.ts';
import { readDocument, readDocuments } from '../src/search/read-documents.ts';
import { TYPED_ARRAY_POOL } from '../src/search/sets/typed-array-pool.ts';
import { similarDocuments } from '../src/search/similar-documents.ts';
import { type ForeignIndexes, NO_FOREIGN_INDEXES } from '../src/search/snapshot/foreign-indexes.ts';
import type { IndexSnapshot } from '../src/search/snapshot/index-snapshot.ts';
import { indexFigures } from '../src/search/snapshot/index-stats.ts';
import { SnapshotCache } from '../src/search/snapshot/snapshot-cache.ts';
import { settingsRebuilds } from '../src/segments/settings-rebuilds.ts';
import { toStorageError } from '../src/storage/files/io-errors.ts';
import { locationOpener } from '../src/storage/files/open-location.ts';

const now = (): number => performance.now();
/** Milliseconds between two reads of the heap size: a read takes as long as a small search. */
const HEAP_LOOK_MS = 1000;

/** Resources of a query thread. */
export interface QueryWorkerOptions {
  /** Bytes of the query cache. */
  readonly cacheBytes: number;
  /** Milliseconds from which on a search is logged as slow; 0 = never. */
  readonly slowSearchMs: number;
  /** Counters of this thread. */
  readonly figures: ThreadFigures;
  /** Set for tasks whose client has disconnected; absent = never set. */
  readonly stopFlags?: StopFlags;
  /** Bytes of one response; absent = no limit. */
  readonly answerBytesMax?: number;
}

/** Input of one task. */
interface ReadIndexes {
  readonly snapshot: IndexSnapshot;
  readonly foreign: ForeignIndexes;
  readonly time: WorkTime;
  /** Bytes of the response. */
  readonly bytesMax: number;
}

/** Time limits of a task: ranking cutoff, and end of the request. */
interface WorkTime {
  /** Start time of search cutoffs. */
  readonly cutoffSinceMs: number;
  /** null = no end. */
  readonly end: WorkEnd | null;
}

export class QueryWorker {
  readonly #snapshots: SnapshotCache;
  readonly #slowSearchMs: number;
  readonly #figures: ThreadFigures;
  readonly #stopFlags: StopFlags | null;
  readonly #answerBytesMax: number;
  /** Counters of synthetic tasks, which no metric reads. */
  readonly #syntheticFigures = ThreadFigures.alone();
  #heapLookAtMs = 0;

  constructor(options: QueryWorkerOptions) {
    const { cacheBytes, slowSearchMs, figures, stopFlags = null } = options;
    this.#snapshots = new SnapshotCache(locationOpener(), cacheBytes, now);
    this.#slowSearchMs = slowSearchMs;
    this.#figures = figures;
    this.#stopFlags = stopFlags;
    this.#answerBytesMax = options.answerBytesMax ?? Number.POSITIVE_INFINITY;
  }

  answer(task: PostedTask): QueryReply {
    const startMs = now();
    const own = task.isSynthetic ? this.#syntheticFigures : this.#figures;
    const reply = TYPED_ARRAY_POOL.during(() => this.#read(task, own, this.#timeOf(task, startMs)));
    const endMs = now();
    const workMs = endMs - startMs;
    own.took(task.work.kind, workMs);
    this.#noteMemory(endMs);
    return reply.ok ? Object.assign(reply, { workMs }) : reply;
  }

  #timeOf({ work, endsAtMs, stopSlot }: PostedTask, startMs: number): WorkTime {
    const since = 'cutoffSinceMs' in work ? work.cutoffSinceMs : undefined;
    const cutoffSinceMs = since === undefined ? startMs : fromProcessMs(since);
    if (endsAtMs === undefined && stopSlot === undefined) return { cutoffSinceMs, end: null };
    const endMs = endsAtMs === undefined ? Number.POSITIVE_INFINITY : fromProcessMs(endsAtMs);
    const hasLeft = () => stopSlot !== undefined && this.#stopFlags?.isRaised(stopSlot) === true;
    return { cutoffSinceMs, end: new WorkEnd(endMs, now, hasLeft) };
  }

  #noteMemory(nowMs: number): void {
    const figures = this.#figures;
    const { hits, misses, bytes, openSnapshots } = this.#snapshots.figures;
    figures.set('keptHits', hits);
    figures.set('keptMisses', misses);
    figures.set('keptBytes', bytes);
    figures.set('openSnapshots', openSnapshots);
    if (nowMs < this.#heapLookAtMs) return;
    this.#heapLookAtMs = nowMs + HEAP_LOOK_MS;
    figures.set('heapBytes', process.memoryUsage().heapUsed);
  }

  #read(task: QueryTask, own: ThreadFigures, time: WorkTime): QueryReply {
    let snapshot: IndexSnapshot;
    let foreign: ForeignIndexes;
    try {
      if (task.work.kind === 'preopen') {
        this.#snapshots.renew(task.snapshotKey, task.manifest, task.location);
        return { ok: true, body: NOTHING };
      }
      snapshot = this.#snapshots.get(task.snapshotKey, task.manifest, task.location);
      foreign = this.#foreignIndexes(task, snapshot, time);
    } catch (error) {
      return { ok: false, error: toWire(toStorageError(error)), retryWithNewest: true };
    }
    try {
      time.end?.check();
      const { work } = task;
      const read = { snapshot, foreign, time, bytesMax: this.#answerBytesMax };
      if (work.kind === 'search') return this.#search(read, work, own);
      if (work.kind === 'settingsPreview')
        return this.#previewSettings(read, work, task.location, own);
      if (work.kind === 'federated') return federate(read, work.search);
      return { ok: true, body: perform(read, work, own) };
    } catch (error) {
      return this.#refusal(task, error);
    }
  }

  /** @throws the error when it is a bug */
  #refusal(task: QueryTask, error: unknown): QueryReply {
    if (error instanceof ApiError) return { ok: false, error: toWire(error) };
    if (error instanceof WorkStopped) return { ok: false, error: toWire(error.toApiError()) };
    if (error instanceof BufferFull)
      return { ok: false, error: toWire(responseTooLarge(this.#answerBytesMax)) };
    const damage = this.#damageOf(task);
    if (damage === null) throw error;
    return { ok: false, error: toWire(damage) };
  }

  #foreignIndexes({ foreign }: QueryTask, snapshot: IndexSnapshot, time: WorkTime): ForeignIndexes {
    if (foreign === undefined) return NO_FOREIGN_INDEXES;
    const opened = foreign.map(({ fieldName, snapshotKey, manifest, location, binding }) => {
      const other = this.#snapshots.get(snapshotKey, manifest, location);
      return [
        fieldName,
        new BoundForeignIndex(other, binding, deadlineOf(snapshot, time)),
      ] as const;
    });
    return new Map(opened);
  }

  #damageOf({ snapshotKey, foreign = [] }: QueryTask): CorruptionError | null {
    for (const key of [snapshotKey, ...foreign.map((index) => index.snapshotKey)]) {
      const damage = this.#snapshots.damageOf(key);
      if (damage !== null) return damage;
    }
    return null;
  }

  #search(
    { snapshot, foreign, time, bytesMax }: ReadIndexes,
    { request, requestUid, spentMs }: Omit<SearchWork, 'kind'>,
    own: ThreadFigures,
  ): QueryReply {
    const { times, facts } = startTimes(request, spentMs);
    const deadline = deadlineOf(snapshot, time);
    const outcome = executeSearch(snapshot, request, deadline, times, foreign);
    const allFacts = () => ({
      requestUid,
      ...facts(),
      ...(request.showProfile && { profile: times.stages }),
    });
    const written = writeSearchAnswer(snapshot, request, outcome, allFacts, {
      times,
      deadline,
      foreign,
      bytesMax,
    });
    const { bytes, places } = written;
    if (outcome.isDegraded) own.count('degradedSearches');
    own.tookSteps(times.steps);
    const isSlow = this.#slowSearchMs > 0 && times.total >= this.#slowSearchMs;
    const reply: QueryReply = outcome.isDegraded
      ? { ok: true, body: bytes, isDegraded: true }
      : { ok: true, body: bytes, places };
    return isSlow ? { ...reply, steps: Object.fromEntries(times.steps) } : reply;
  }

  /** Index rebuilds that the settings need; and, if none, the search under the new settings. */
  #previewSettings(
    { snapshot: { manifest }, ...read }: ReadIndexes,
    { settings, embeds, search }: Extract<QueryWork, { kind: 'settingsPreview' }>,
    location: IndexLocation,
    own: ThreadFigures,
  ): QueryReply {
    const rebuilds = settingsRebuilds(manifest.segments, manifest.settings, settings);
    const head = `"rebuilds":${JSON.stringify(rebuilds)},"embeds":${JSON.stringify(embeds)}`;
    if (search === null || rebuilds.length > 0 || embeds.length > 0)
      return { ok: true, body: UTF8.encode(`{${head},"result":null}`) };
    const reply = this.#snapshots.once({ ...manifest, settings }, location, (snapshot) =>
      this.#search({ ...read, snapshot }, search, own),
    );
    if (!reply.ok) return reply;
    const parts = [UTF8.encode(`{${head},"result":`), reply.body, UTF8.encode('}')];
    return { ok: true, body: Buffer.concat(parts) };
  }
}

const UTF8 = new TextEncoder();
const NOTHING = new Uint8Array(0);

const cutoffOf = ({ manifest }: IndexSnapshot): number =>
  manifest.settings.searchCutoffMs ?? limits.searchCutoffMsDefault;

/** Cutoff of all searches of a task together. */
const deadlineOf = (snapshot: IndexSnapshot, { cutoffSinceMs, end }: WorkTime): Deadline =>
  Deadline.at(cutoffSinceMs + cutoffOf(snapshot), now, end);

function federate(
  { snapshot, foreign, time, bytesMax }: ReadIndexes,
  search: FederatedSearch,
): QueryReply {
  const deadline = deadlineOf(snapshot, time);
  const { part, bytes } = executeFederatedSearch(snapshot, search, deadline, foreign, bytesMax);
  return { ok: true, body: bytes, part };
}

function similar(
  { snapshot, foreign, time, bytesMax }: ReadIndexes,
  { request, spentMs }: Extract<QueryWork, { kind: 'similar' }>,
  own: ThreadFigures,
): Uint8Array {
  const { times, facts } = startTimes(request, spentMs);
  const deadline = deadlineOf(snapshot, time);
  const found = similarDocuments(snapshot, request, deadline, times, foreign);
  const bytes = writeSimilarAnswer(snapshot, request, found, facts, {
    times,
    deadline,
    foreign,
    bytesMax,
  });
  own.tookSteps(times.steps);
  return bytes;
}

/** Times for the response. @param spentMs before this thread received the request */
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
  read: ReadIndexes,
  work: Exclude<QueryWork, { kind: 'federated' | 'preopen' | 'search' | 'settingsPreview' }>,
  own: ThreadFigures,
): Uint8Array {
  const { snapshot, foreign, time, bytesMax } = read;
  switch (work.kind) {
    case 'facetSearch': {
      const start = now();
      const hits = searchFacet(snapshot, work.request, deadlineOf(snapshot, time), foreign);
      return writeFacetSearchAnswer(work.request, hits, Math.floor(work.spentMs + now() - start));
    }
    case 'similar':
      return similar(read, work, own);
    case 'document':
      return readDocument(snapshot, work.id, work, bytesMax);
    case 'documents':
      return readDocuments(snapshot, work.request, deadlineOf(snapshot, time), foreign, bytesMax);
    case 'fields':
      return listFields(snapshot, work.request);
    case 'stats':
      return UTF8.encode(JSON.stringify(indexFigures(snapshot)));
  }
}

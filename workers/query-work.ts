/**
 * Part of every thread that searches: reads one generation of one index and answers with finished
 * JSON bytes.
 */
import { threadId } from 'node:worker_threads';
import { BudgetSpent, Deadline } from '../src/core/deadline.ts';
import { ApiError, type CorruptionError, toWire } from '../src/core/errors.ts';
import type { IndexLocation } from '../src/core/index-location.ts';
import { limits } from '../src/core/limits.ts';
import { StepTimes } from '../src/core/step-times.ts';
import type {
  AskedAheadReply,
  QueryReply,
  QueryTask,
  QueryWork,
  SearchWork,
} from '../src/ipc/queries/query-protocol.ts';
import type { FederatedSearch } from '../src/model/federation.ts';
import { ThreadFigures } from '../src/observability/query-figures.ts';
import { writeSearchAnswer, writeSimilarAnswer } from '../src/search/answer/write-answer.ts';
import { AskedAhead } from '../src/search/asked-ahead.ts';
import { executeFederatedSearch } from '../src/search/execute-federated-search.ts';
import { executeSearch } from '../src/search/execute-search.ts';
import { searchFacet, writeFacetSearchAnswer } from '../src/search/facet-search.ts';
import { BoundForeignIndex } from '../src/search/filter/foreign-index.ts';
import { listFields } from '../src/search/list-fields.ts';
import { readDocument, readDocuments } from '../src/search/read-documents.ts';
import { SEARCH_SPACE } from '../src/search/sets/search-space.ts';
import { similarDocuments } from '../src/search/similar-documents.ts';
import { type ForeignIndexes, NO_FOREIGN_INDEXES } from '../src/search/snapshot/foreign-indexes.ts';
import type { IndexSnapshot } from '../src/search/snapshot/index-snapshot.ts';
import { indexFigures } from '../src/search/snapshot/index-stats.ts';
import { SnapshotCache } from '../src/search/snapshot/snapshot-cache.ts';
import { settingsRebuilds } from '../src/segments/settings-rebuilds.ts';
import { toStorageError } from '../src/storage/files/io-errors.ts';
import { locationOpener } from '../src/storage/files/open-location.ts';

const now = (): number => performance.now();
/** Between two looks at the heap, which takes as long as a small search. */
const HEAP_LOOK_MS = 1000;

/** What comes to the thread meanwhile waits so long; a search is cut off then. */
const UNHEARD_MS_MAX = 50;

/** Of the memory for kept results, the part that searches which nobody asked for may fill. */
const ASKED_AHEAD_SHARE = 0.5;

/** What a thread searches with. */
export interface QueryWorkerOptions {
  /** Memory for kept results. */
  readonly cacheBytes: number;
  /** From so long on a search counts as slow; 0 = none does. */
  readonly slowSearchMs: number;
  /** Of this thread. */
  readonly figures: ThreadFigures;
  /** Processor time of the thread, at 25 µs a look; absent = nobody asks what answers cost. */
  readonly processorMs?: () => number;
}

/** Processor time that a search may take, and what the clock said at its start. */
interface Budget {
  readonly ms: number;
  readonly startProcessorMs: number;
}

/** What one piece of work reads. */
interface ReadIndexes {
  readonly snapshot: IndexSnapshot;
  readonly foreign: ForeignIndexes;
}

/** Of the next search of a piece of work. @throws BudgetSpent */
type TimeForWork = () => Deadline;

export class QueryWorker {
  readonly #snapshots: SnapshotCache;
  readonly #askedAhead = new AskedAhead();
  readonly #askedAheadBytesMax: number;
  readonly #slowSearchMs: number;
  readonly #figures: ThreadFigures;
  readonly #processorMs: (() => number) | null;
  /** Where what nobody asked for is counted. */
  readonly #madeFigures = ThreadFigures.alone();
  #heapLookAtMs = 0;

  constructor(options: QueryWorkerOptions) {
    const { cacheBytes, slowSearchMs, figures, processorMs = null } = options;
    this.#snapshots = new SnapshotCache(locationOpener(), cacheBytes, now);
    this.#askedAheadBytesMax = cacheBytes * ASKED_AHEAD_SHARE;
    this.#slowSearchMs = slowSearchMs;
    this.#figures = figures;
    this.#processorMs = processorMs;
  }

  answer(task: QueryTask): QueryReply {
    if (task.isUnheard) {
      this.#timed(task, UNHEARD_MS_MAX);
      return { ok: true, body: NOTHING };
    }
    return this.#timed(task, Number.POSITIVE_INFINITY) as QueryReply;
  }

  /** null when a search could not be finished in the processor time it was given. */
  answerWithin(task: QueryTask, budgetMs: number): QueryReply | null {
    return this.#timed(task, budgetMs);
  }

  #timed(task: QueryTask, budgetMs: number): QueryReply | null {
    const startMs = now();
    const startProcessorMs = this.#processorMs?.() ?? 0;
    const own = task.isMade ? this.#madeFigures : this.#figures;
    const reply = this.#answer(task, own, { ms: budgetMs, startProcessorMs });
    const endMs = now();
    const workMs = endMs - startMs;
    own.took(task.work.kind, workMs);
    this.#noteMemory(endMs);
    if (!reply?.ok) return reply;
    const endProcessorMs = this.#processorMs?.();
    if (endProcessorMs === undefined) return Object.assign(reply, { workMs });
    return Object.assign(reply, { workMs, costMs: endProcessorMs - startProcessorMs });
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

  #answer(task: QueryTask, own: ThreadFigures, budget: Budget): QueryReply | null {
    return SEARCH_SPACE.during(() => this.#read(task, own, budget));
  }

  #read(task: QueryTask, own: ThreadFigures, budget: Budget): QueryReply | null {
    let snapshot: IndexSnapshot;
    let foreign: ForeignIndexes;
    try {
      if (task.work.kind === 'renew') {
        this.#snapshots.renew(task.snapshotKey, task.manifest, task.location);
        return { ok: true, body: NOTHING };
      }
      snapshot = this.#snapshots.get(task.snapshotKey, task.manifest, task.location);
      foreign = this.#foreignIndexes(task, snapshot);
    } catch (error) {
      return { ok: false, error: toWire(toStorageError(error)), retryWithNewest: true };
    }
    try {
      const { work } = task;
      const read = { snapshot, foreign };
      if (work.kind === 'search') return this.#search(read, work, own, budget);
      if (work.kind === 'settingsPreview')
        return this.#previewSettings(read, work, task.location, { own, budget });
      if (work.kind === 'askAhead') return this.#askAhead(snapshot, work.budgetMs);
      const time = this.#timeFor(snapshot, budget);
      if (work.kind === 'federated') return federate(read, work.search, time);
      return { ok: true, body: perform(read, work, own, time) };
    } catch (error) {
      if (error instanceof BudgetSpent) return null;
      if (error instanceof ApiError) return { ok: false, error: toWire(error) };
      const damage = this.#damageOf(task);
      if (damage === null) throw error;
      return { ok: false, error: toWire(damage) };
    }
  }

  #foreignIndexes({ foreign }: QueryTask, snapshot: IndexSnapshot): ForeignIndexes {
    if (foreign === undefined) return NO_FOREIGN_INDEXES;
    const opened = foreign.map(({ fieldName, snapshotKey, manifest, location, binding }) => {
      const other = this.#snapshots.get(snapshotKey, manifest, location);
      return [fieldName, new BoundForeignIndex(other, binding, deadlineOf(snapshot))] as const;
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

  #timeFor(snapshot: IndexSnapshot, budget: Budget): TimeForWork {
    if (budget.ms >= cutoffOf(snapshot)) return () => deadlineOf(snapshot);
    const deadline = processorDeadline(budget, this.#processorMs ?? now);
    return () => {
      deadline.check();
      return deadline;
    };
  }

  #search(
    { snapshot, foreign }: ReadIndexes,
    { request, requestUid, spentMs }: Omit<SearchWork, 'kind'>,
    own: ThreadFigures,
    budget: Budget,
  ): QueryReply | null {
    const { times, facts } = startTimes(request, spentMs);
    const deadline = this.#timeFor(snapshot, budget)();
    const outcome = executeSearch(snapshot, request, deadline, times, foreign);
    if (outcome.isDegraded) deadline.check();
    const allFacts = () => ({
      requestUid,
      ...facts(),
      ...(request.showProfile && { profile: times.stages }),
    });
    const written = writeSearchAnswer(snapshot, request, outcome, allFacts, {
      times,
      deadline,
      foreign,
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

  #askAhead(snapshot: IndexSnapshot, budgetMs: number): QueryReply {
    const untilMs = now() + budgetMs;
    const unlimited = { ms: Number.POSITIVE_INFINITY, startProcessorMs: 0 };
    const outcome = this.#askedAhead.ask(snapshot, {
      search: (request) => {
        this.#search(
          { snapshot, foreign: NO_FOREIGN_INDEXES },
          { request, requestUid: '', spentMs: 0 },
          this.#madeFigures,
          unlimited,
        );
      },
      hasTime: () => now() < untilMs,
      hasRoom: () => this.#snapshots.figures.bytes < this.#askedAheadBytesMax,
    });
    const reply: AskedAheadReply = { threadId, ...outcome };
    return { ok: true, body: UTF8.encode(JSON.stringify(reply)) };
  }

  /** What the settings would rebuild, and the search under them when that is nothing. */
  #previewSettings(
    { snapshot: { manifest }, foreign }: ReadIndexes,
    { settings, embeds, search }: Extract<QueryWork, { kind: 'settingsPreview' }>,
    location: IndexLocation,
    { own, budget }: { readonly own: ThreadFigures; readonly budget: Budget },
  ): QueryReply | null {
    const rebuilds = settingsRebuilds(manifest.segments, manifest.settings, settings);
    const head = `"rebuilds":${JSON.stringify(rebuilds)},"embeds":${JSON.stringify(embeds)}`;
    if (search === null || rebuilds.length > 0 || embeds.length > 0)
      return { ok: true, body: UTF8.encode(`{${head},"result":null}`) };
    const reply = this.#snapshots.once({ ...manifest, settings }, location, (snapshot) =>
      this.#search({ snapshot, foreign }, search, own, budget),
    );
    if (!reply?.ok) return reply;
    const parts = [UTF8.encode(`{${head},"result":`), reply.body, UTF8.encode('}')];
    return { ok: true, body: Buffer.concat(parts) };
  }
}

const UTF8 = new TextEncoder();
const NOTHING = new Uint8Array(0);

const cutoffOf = ({ manifest }: IndexSnapshot): number =>
  manifest.settings.searchCutoffMs ?? limits.searchCutoffMsDefault;

/** Looks at the clock of the thread, which costs something, only when it may have run out. */
function processorDeadline({ ms, startProcessorMs }: Budget, processorMs: () => number): Deadline {
  const endProcessorMs = startProcessorMs + ms;
  let seenMs = startProcessorMs;
  let nextLookMs = now() + ms;
  const processorNow = (): number => {
    const nowMs = now();
    if (nowMs < nextLookMs) return seenMs;
    seenMs = processorMs();
    nextLookMs = nowMs + endProcessorMs - seenMs;
    return seenMs;
  };
  return Deadline.curb(ms, processorNow);
}

const deadlineOf = (snapshot: IndexSnapshot): Deadline => Deadline.after(cutoffOf(snapshot), now);

function federate(
  { snapshot, foreign }: ReadIndexes,
  search: FederatedSearch,
  time: TimeForWork,
): QueryReply {
  const { part, bytes } = executeFederatedSearch(snapshot, search, time, foreign);
  // What was cut short is no answer where time is curbed.
  time();
  return { ok: true, body: bytes, part };
}

function similar(
  { snapshot, foreign }: ReadIndexes,
  { request, spentMs }: Extract<QueryWork, { kind: 'similar' }>,
  own: ThreadFigures,
  time: TimeForWork,
): Uint8Array {
  const { times, facts } = startTimes(request, spentMs);
  const deadline = time();
  const found = similarDocuments(snapshot, request, deadline, times, foreign);
  const bytes = writeSimilarAnswer(snapshot, request, found, facts, {
    times,
    deadline,
    foreign,
  });
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
  read: ReadIndexes,
  work: Exclude<
    QueryWork,
    { kind: 'askAhead' | 'federated' | 'renew' | 'search' | 'settingsPreview' }
  >,
  own: ThreadFigures,
  time: TimeForWork,
): Uint8Array {
  const { snapshot, foreign } = read;
  switch (work.kind) {
    case 'facetSearch': {
      const start = now();
      const hits = searchFacet(snapshot, work.request, time(), foreign);
      time();
      return writeFacetSearchAnswer(work.request, hits, Math.floor(work.spentMs + now() - start));
    }
    case 'similar':
      return similar(read, work, own, time);
    case 'document':
      return readDocument(snapshot, work.id, work);
    case 'documents':
      return readDocuments(snapshot, work.request, time(), foreign);
    case 'fields':
      return listFields(snapshot, work.request);
    case 'stats':
      return UTF8.encode(JSON.stringify(indexFigures(snapshot)));
  }
}

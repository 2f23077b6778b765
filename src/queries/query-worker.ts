/**
 * Runs the tasks of a query thread: opens the generation of an index, bounds the time of the work,
 * counts it, and turns expected failures into replies.
 */
import { WorkEnd, WorkStopped } from '../core/deadline.ts';
import { ApiError, type CorruptionError, responseTooLarge, toWire } from '../core/errors.ts';
import { fromProcessMs } from '../core/process-clock.ts';
import { BufferFull } from '../engine/bytes/byte-buffer.ts';
import type {
  PostedTask,
  QueryReply,
  QueryTask,
  QueryThreadData,
} from '../ipc/queries/query-protocol.ts';
import type { StopFlags } from '../ipc/queries/stop-flags.ts';
import { forEachGeneration } from '../ipc/replica/generations-in-use.ts';
import { ThreadMetrics } from '../observability/query-metrics.ts';
import { boundForeignIndex } from '../search/filter/foreign-index.ts';
import { TYPED_ARRAY_POOL } from '../search/sets/typed-array-pool.ts';
import { type ForeignIndexes, NO_FOREIGN_INDEXES } from '../search/snapshot/foreign-indexes.ts';
import type { IndexSnapshot } from '../search/snapshot/index-snapshot.ts';
import { SnapshotCache } from '../search/snapshot/snapshot-cache.ts';
import { openFolder } from '../storage/files/fs-directory.ts';
import { toStorageError } from '../storage/files/io-errors.ts';
import { deadlineOf, type FurtherIndex, NOTHING, runWork, type WorkTime } from './run-work.ts';

const now = (): number => performance.now();
/** Milliseconds between two reads of the heap size: a read takes as long as a small search. */
const HEAP_LOOK_MS = 1000;

export interface QueryWorkerOptions extends Omit<QueryThreadData, 'metrics' | 'stopFlags'> {
  readonly metrics: ThreadMetrics;
  /** Set for tasks whose client has disconnected. */
  readonly stopFlags: StopFlags;
}

export class QueryWorker {
  readonly #options: QueryWorkerOptions;
  readonly #snapshots: SnapshotCache;
  /** Counters of synthetic tasks, which no metric reads. */
  readonly #syntheticMetrics = ThreadMetrics.alone();
  #heapLookAtMs = 0;

  constructor(options: QueryWorkerOptions) {
    this.#options = options;
    this.#snapshots = new SnapshotCache(openFolder, options.cache, now);
  }

  /** null = the task was withdrawn. */
  answer({ task, stopSlot }: PostedTask): QueryReply | null {
    if (!this.#options.stopFlags.begin(stopSlot)) return null;
    const startMs = now();
    const metrics = task.isSynthetic ? this.#syntheticMetrics : this.#options.metrics;
    const time = this.#timeOf(task, stopSlot, startMs);
    const reply = TYPED_ARRAY_POOL.during(() =>
      this.#snapshots.during(() => this.#read(task, metrics, time)),
    );
    const endMs = now();
    const workMs = endMs - startMs;
    metrics.took(task.work.kind, workMs);
    this.#noteMemory(endMs);
    return reply.ok ? Object.assign(reply, { workMs }) : reply;
  }

  #timeOf({ work, endsAtMs }: QueryTask, stopSlot: number, startMs: number): WorkTime {
    const since = 'cutoffSinceMs' in work ? work.cutoffSinceMs : undefined;
    const cutoffSinceMs = since === undefined ? startMs : fromProcessMs(since);
    const endMs = endsAtMs === undefined ? Number.POSITIVE_INFINITY : fromProcessMs(endsAtMs);
    const hasLeft = () => this.#options.stopFlags.isRaised(stopSlot);
    return { cutoffSinceMs, end: new WorkEnd(endMs, now, hasLeft) };
  }

  #noteMemory(nowMs: number): void {
    const { metrics } = this.#options;
    const { hits, misses, bytes, openSnapshots } = this.#snapshots.figures;
    metrics.set('keptHits', hits);
    metrics.set('keptMisses', misses);
    metrics.set('keptBytes', bytes);
    metrics.set('openSnapshots', openSnapshots);
    if (nowMs < this.#heapLookAtMs) return;
    this.#heapLookAtMs = nowMs + HEAP_LOOK_MS;
    metrics.set('heapBytes', process.memoryUsage().heapUsed);
  }

  #read(task: QueryTask, metrics: ThreadMetrics, time: WorkTime): QueryReply {
    const { snapshotKey, manifest, location, work } = task;
    let snapshot: IndexSnapshot;
    let foreign: ForeignIndexes;
    let further: readonly FurtherIndex[];
    try {
      if (work.kind === 'close') {
        this.#snapshots.closeIndex(snapshotKey);
        return { ok: true, body: NOTHING };
      }
      if (work.kind === 'preopen') {
        this.#snapshots.renew(snapshotKey, manifest, location);
        return { ok: true, body: NOTHING };
      }
      snapshot = this.#snapshots.get(snapshotKey, manifest, location);
      foreign = this.#foreignIndexes(task, snapshot, time);
      further = this.#furtherIndexes(task, time);
    } catch (error) {
      return { ok: false, error: toWire(toStorageError(error)), retryWithNewest: true };
    }
    try {
      time.end.check();
      const { answerBytesMax: bytesMax, slowSearchMs } = this.#options;
      return runWork(
        { snapshot, foreign, further, time, metrics, bytesMax, slowSearchMs },
        work,
        (settings, read) =>
          this.#snapshots.once({ ...snapshot.manifest, settings }, location, read),
      );
    } catch (error) {
      return this.#refusal(task, error);
    }
  }

  /** @throws the error when it is a bug */
  #refusal(task: QueryTask, error: unknown): QueryReply {
    if (error instanceof ApiError) return { ok: false, error: toWire(error) };
    if (error instanceof WorkStopped) return { ok: false, error: toWire(error.toApiError()) };
    if (error instanceof BufferFull)
      return { ok: false, error: toWire(responseTooLarge(this.#options.answerBytesMax)) };
    const damage = this.#damageOf(task);
    if (damage === null) throw error;
    return { ok: false, error: toWire(damage) };
  }

  #furtherIndexes({ further = [] }: QueryTask, time: WorkTime): readonly FurtherIndex[] {
    return further.map((source) => {
      const { snapshotKey, manifest, location, search } = source;
      const snapshot = this.#snapshots.get(snapshotKey, manifest, location);
      return { snapshot, foreign: this.#foreignIndexes(source, snapshot, time), search };
    });
  }

  #foreignIndexes(
    { foreign }: Pick<QueryTask, 'foreign'>,
    snapshot: IndexSnapshot,
    time: WorkTime,
  ): ForeignIndexes {
    if (foreign === undefined || foreign.length === 0) return NO_FOREIGN_INDEXES;
    const deadline = deadlineOf(snapshot, time);
    return new Map(
      foreign.map(({ fieldName, snapshotKey, manifest, location, binding }) => {
        const other = this.#snapshots.get(snapshotKey, manifest, location);
        return [fieldName, boundForeignIndex(other, binding, deadline)];
      }),
    );
  }

  #damageOf(task: QueryTask): CorruptionError | null {
    let damage: CorruptionError | null = null;
    forEachGeneration(task, (key) => {
      damage ??= this.#snapshots.damageOf(key);
    });
    return damage;
  }
}

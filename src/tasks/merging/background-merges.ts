/**
 * Merges of segments, one at a time, while batches run: which index is next, the merge itself, and
 * its commit, which the scheduler calls for between two batches of the index.
 */
import type { IndexCatalog } from '../../catalog/index-catalog.ts';
import type { Clock } from '../../core/clock.ts';
import { humanSize } from '../../core/human-size.ts';
import { type FinishedMerge, segmentsAfterMerge } from '../../indexing/files/finished-merge.ts';
import type { WriteActivity } from '../../indexing/files/merge-policy.ts';
import { fileBytesOf, type IndexManifest } from '../../model/index-manifest.ts';
import type { Logger } from '../../observability/logger.ts';
import type { KeyValueStore } from '../../storage/database/key-value-store.ts';
import type { IndexWriterPort, IndexWriters } from '../processing/index-writers.ts';
import type { AfterCommit } from '../publishing/after-commit.ts';
import { MergeDelays, type RetryTiming } from './merge-delays.ts';

/** Free bytes that a merge asks for, for each byte that its inputs have for living documents. */
const ROOM_RATIO = 1.25;

/**
 * Merges compete with batches, so they wait for a quiet moment unless an index has many segments.
 */
export interface MergeTiming {
  /** Without a batch for so long is quiet. */
  readonly quietMs: number;
  /**
   * Without a batch for so long is settled: then merges begin that only make searches faster; not
   * sooner, since what was just written is searched most.
   */
  readonly settledMs: number;
  /** With so many segments a merge begins at once. */
  readonly urgentSegmentCount: number;
}

export interface BackgroundMergesOptions {
  readonly store: KeyValueStore;
  readonly catalog: IndexCatalog;
  readonly writers: IndexWriters;
  readonly mergeTiming: MergeTiming;
  readonly mergeRetry: RetryTiming;
  /** Free bytes where the files of indexes lie; null = the system does not say. */
  readonly freeBytes: () => number | null;
  /** A merge would give damaged bytes a right checksum, so only what has been checked is merged. */
  readonly isSound: (indexId: number) => boolean;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'debug' | 'warn' | 'error'>;
}

/** A merge that may begin. */
interface PlannedMerge {
  readonly manifest: IndexManifest;
  readonly inputs: readonly string[];
}

/** A merge that waits for its commit. */
interface WaitingMerge {
  readonly indexId: number;
  readonly writer: IndexWriterPort;
  readonly merge: FinishedMerge;
  /** Lets go of the writer. */
  readonly release: () => void;
}

/** One segment without dead documents: there is nothing to merge, now or when all is settled. */
const isAsOne = ({ segments }: IndexManifest): boolean =>
  segments.length < 2 && segments.every(({ deadCount }) => deadCount === 0);

export class BackgroundMerges {
  readonly #options: BackgroundMergesOptions;
  readonly #afterCommit: AfterCommit;
  readonly #wake: () => void;
  /** Indexes that may have something to merge, the one that changed first in front. */
  readonly #candidates = new Set<number>();
  readonly #delays: MergeDelays;
  #isStopped = false;
  #isRunning = false;
  /** At most one for each index. */
  #finished: WaitingMerge[] = [];
  #timer: NodeJS.Timeout | null = null;

  /** @param wake there is a merge to commit, or one may begin */
  constructor(options: BackgroundMergesOptions, afterCommit: AfterCommit, wake: () => void) {
    this.#options = options;
    this.#delays = new MergeDelays(options.mergeRetry);
    this.#afterCommit = afterCommit;
    this.#wake = wake;
  }

  /** The index may have something to merge. */
  consider(indexId: number): void {
    this.#candidates.add(indexId);
  }

  /** A merge is given up; what one under way leaves is removed at the next start. */
  stop(): void {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const finished of this.#finished.splice(0)) this.#discard(finished);
  }

  /**
   * Begins a merge unless one is under way. @param restMs time since the last batch; 0 while tasks
   * wait
   */
  begin(restMs: number): void {
    if (this.#isRunning || this.#isStopped) return;
    const next = this.#nextThatFits(restMs);
    if (next !== null) {
      this.#candidates.delete(next.manifest.id);
      this.#isRunning = true;
      void this.#run(next);
    } else if (this.#candidates.size > 0) {
      this.#wakeAfter(this.#waitMs(restMs));
    }
  }

  /** Those that do not fit on the disk are put off. */
  #nextThatFits(restMs: number): PlannedMerge | null {
    for (;;) {
      const next = this.#next(restMs);
      if (next === null) return null;
      const room = this.#missingRoom(next);
      if (room === null) return next;
      this.#putOff(
        next,
        `it needs about ${humanSize(room.needed)}, ${humanSize(room.free)} are free`,
      );
    }
  }

  /** null when the disk has room for the output. */
  #missingRoom(planned: PlannedMerge): { readonly needed: number; readonly free: number } | null {
    const free = this.#options.freeBytes();
    const needed = Math.ceil(outputBytes(planned) * ROOM_RATIO);
    return free === null || free >= needed ? null : { needed, free };
  }

  /** Tried again after a while; the first time of several in a row is told. */
  #putOff(planned: PlannedMerge, reason: string, error?: unknown): void {
    const { clock, log } = this.#options;
    const { manifest, inputs } = planned;
    const isFirst = this.#delays.failed(manifest.id, clock() / 1000);
    this.consider(manifest.id);
    const text = `${inputs.length} segments of index ${manifest.uid} are not merged now: ${reason}; it is tried again later`;
    if (!isFirst) log.debug(text);
    else if (error === undefined) log.warn(text);
    else log.error({ err: error }, text);
  }

  /** Until one of the candidates may have something to merge. */
  #waitMs(restMs: number): number {
    const { clock, mergeTiming } = this.#options;
    const { quietMs, settledMs } = mergeTiming;
    const calmMs = (restMs >= quietMs ? settledMs : quietMs) - restMs;
    const nowMs = clock() / 1000;
    const waits = [...this.#candidates].map((indexId) =>
      Math.max(calmMs, this.#delays.leftMs(indexId, nowMs)),
    );
    return Math.min(...waits);
  }

  /**
   * The first index that has something to merge now. Forgets those that have nothing even when all
   * is settled.
   */
  #next(restMs: number): PlannedMerge | null {
    const { catalog, writers, mergeTiming, clock } = this.#options;
    const isQuiet = restMs >= mergeTiming.quietMs;
    const activity: WriteActivity = restMs >= mergeTiming.settledMs ? 'settled' : 'writing';
    const nowMs = clock() / 1000;
    this.#forgetUnfit();
    for (const indexId of this.#candidates) {
      const manifest = catalog.byId(indexId);
      if (manifest === null || this.#delays.leftMs(indexId, nowMs) > 0) continue;
      if (this.#finished.some((merge) => merge.indexId === indexId)) continue;
      if (!isQuiet && manifest.segments.length < mergeTiming.urgentSegmentCount) continue;
      const inputs = writers.get(manifest).planMerge(manifest, activity);
      if (inputs !== null && inputs.length > 0) return { manifest, inputs };
      if (activity === 'settled') this.#candidates.delete(indexId);
    }
    return null;
  }

  /**
   * Candidates that are gone, those of one segment, and those that are considered again when they
   * have been checked.
   */
  #forgetUnfit(): void {
    const { catalog, isSound } = this.#options;
    for (const indexId of this.#candidates) {
      const manifest = catalog.byId(indexId);
      if (manifest === null) this.#delays.forget(indexId);
      if (manifest === null || isAsOne(manifest) || !isSound(indexId))
        this.#candidates.delete(indexId);
    }
  }

  #wakeAfter(ms: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#wake, ms + 1).unref();
  }

  async #run(planned: PlannedMerge): Promise<void> {
    const { writers } = this.#options;
    const { manifest, inputs } = planned;
    const { writer, release } = writers.acquire(manifest);
    try {
      const merge = await writer.merge(inputs);
      this.#delays.forget(manifest.id);
      if (merge === null) release();
      else this.#keep({ indexId: manifest.id, writer, merge, release });
    } catch (error) {
      release();
      if (!this.#isStopped) this.#putOff(planned, this.#reasonOf(planned, error), error);
    } finally {
      this.#isRunning = false;
      this.#wake();
    }
  }

  #reasonOf(planned: PlannedMerge, error: unknown): string {
    const free = this.#options.freeBytes();
    const room = free === null ? '' : `, ${humanSize(free)} are free`;
    const message = error instanceof Error ? error.message : String(error);
    return `${message} (about ${humanSize(outputBytes(planned))} were to be written${room})`;
  }

  #keep(finished: WaitingMerge): void {
    if (this.#isStopped) this.#discard(finished);
    else this.#finished.push(finished);
  }

  /** Whether a merge waits for its commit. */
  get hasFinished(): boolean {
    return this.#finished.length > 0;
  }

  /**
   * The commit points of the merges that are finished, those of some indexes; no batch of these may
   * be under way. They take along the deaths that came meanwhile.
   */
  async commitFinished(isFree: (manifest: IndexManifest) => boolean): Promise<void> {
    const { catalog } = this.#options;
    const isDue = ({ indexId }: WaitingMerge): boolean => {
      const manifest = catalog.byId(indexId);
      return manifest === null || isFree(manifest);
    };
    const due = this.#finished.filter(isDue);
    this.#finished = this.#finished.filter((finished) => !due.includes(finished));
    for (const finished of due) await this.#commit(finished);
  }

  async #commit(finished: WaitingMerge): Promise<void> {
    const { store, catalog, writers, clock, log } = this.#options;
    const { indexId, writer, merge, release } = finished;
    const manifest = catalog.byId(indexId);
    const segments = manifest === null ? null : segmentsAfterMerge(merge, manifest.segments);
    if (manifest === null || segments === null) {
      this.#discard(finished);
      return;
    }
    const change = catalog.begin();
    const committed = change.update(manifest.uid, { segments });
    await store.write(change.operations());
    const applied = change.apply();
    this.#afterCommit.announce(applied, writers.isCurrent(indexId, writer) ? writer : null);
    // One that was dropped meanwhile must learn, too, that its files are named now.
    writer.committed(committed);
    this.consider(indexId);
    if (segments.some(({ id }) => id === merge.output?.id)) release();
    else this.#discard(finished);
    this.#afterCommit.cleanUp(applied, [], clock());
    log.debug(`merged ${merge.inputs.length} segments of index ${manifest.uid}`);
  }

  #discard({ writer, merge, release }: WaitingMerge): void {
    writer.discard(merge.changeId);
    release();
  }
}

/** What the merged segment takes, if documents are of one size. */
function outputBytes({ manifest, inputs }: PlannedMerge): number {
  const merged = new Set(inputs);
  return manifest.segments
    .filter(({ id }) => merged.has(id))
    .reduce((sum, segment) => {
      const { documentCount, deadCount } = segment;
      return (
        sum + (fileBytesOf(segment) * (documentCount - deadCount)) / Math.max(1, documentCount)
      );
    }, 0);
}

/**
 * Merges segments, one merge at a time, while batches run: chooses the index, merges, and commits
 * when the scheduler has no running batch of the index.
 */
import type { IndexCatalog } from '../../catalog/index-catalog.ts';
import type { Clock } from '../../core/clock.ts';
import { humanSize } from '../../core/human-size.ts';
import { type FinishedMerge, segmentsAfterMerge } from '../../indexing/files/finished-merge.ts';
import type { WriteActivity } from '../../indexing/files/merge-policy.ts';
import { fileBytesOf, fileNamesOf, type IndexManifest } from '../../model/index-manifest.ts';
import type { Logger } from '../../observability/logger.ts';
import type { KeyValueStore } from '../../storage/database/key-value-store.ts';
import { type StoredFiles, segmentKey } from '../../storage/object-store/stored-files.ts';
import type { IndexWriterPort } from '../processing/index-writers.ts';
import { type AfterCommitOptions, announce, cleanUp } from '../publishing/after-commit.ts';
import { MergeDelays, type RetryTiming } from './merge-delays.ts';

/** Free disk bytes required per byte of live documents in a merge's inputs. */
const ROOM_RATIO = 1.25;

/**
 * Delays of merges. Merges compete with batches, so they wait for a quiet moment unless an index
 * has many segments.
 */
interface MergeTiming {
  /** Milliseconds without a batch before ordinary merges begin. */
  readonly quietMs: number;
  /**
   * Milliseconds without a batch before merges begin that only speed up searches. Longer than
   * `quietMs`, because new documents are searched most.
   */
  readonly settledMs: number;
  /** Number of segments from which a merge begins at once. */
  readonly urgentSegmentCount: number;
}

export interface MergeLimits {
  readonly mergeTiming: MergeTiming;
  readonly mergeRetry: RetryTiming;
}

export interface BackgroundMergesOptions extends MergeLimits, AfterCommitOptions {
  readonly store: KeyValueStore;
  readonly catalog: IndexCatalog;
  /** Free bytes on the disk of the index files; null = unknown. */
  readonly freeBytes: () => number | null;
  /** Only verified files are merged, because a merge would give damaged bytes a valid checksum. */
  readonly isSound: (indexId: number) => boolean;
  /** Uploads merged files, if the data is in an object store. */
  readonly stored: Pick<StoredFiles, 'keep'> | null;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'debug' | 'warn' | 'error'>;
}

interface PlannedMerge {
  readonly manifest: IndexManifest;
  readonly inputs: readonly string[];
}

/** A finished merge before its commit. */
interface WaitingMerge {
  readonly indexId: number;
  readonly writer: IndexWriterPort;
  readonly merge: FinishedMerge;
  readonly release: () => void;
}

/** True for one segment without deleted documents: no merge is needed at any time. */
const isAsOne = ({ segments }: IndexManifest): boolean =>
  segments.length < 2 && segments.every(({ deadCount }) => deadCount === 0);

export class BackgroundMerges {
  readonly #options: BackgroundMergesOptions;
  readonly #wake: () => void;
  /** Indexes that may need a merge, in order of their last change. */
  readonly #candidates = new Set<number>();
  readonly #delays: MergeDelays;
  #isStopped = false;
  #isRunning = false;
  /** At most one per index. */
  #finished: WaitingMerge[] = [];
  #timer: NodeJS.Timeout | null = null;

  /** @param wake called when a merge can be committed or started */
  constructor(options: BackgroundMergesOptions, wake: () => void) {
    this.#options = options;
    this.#delays = new MergeDelays(options.mergeRetry);
    this.#wake = wake;
  }

  consider(indexId: number): void {
    this.#candidates.add(indexId);
  }

  /** Aborts the running merge; its files are deleted at the next start. */
  stop(): void {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const finished of this.#finished.splice(0)) this.#discard(finished);
  }

  /**
   * Begins a merge unless one is running. @param restMs milliseconds since the last batch; 0 while
   * tasks wait
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

  /** The next merge that fits on the disk; merges that do not fit are delayed. */
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

  /** null if the disk has room for the output. */
  #missingRoom(planned: PlannedMerge): { readonly needed: number; readonly free: number } | null {
    const free = this.#options.freeBytes();
    const needed = Math.ceil(outputBytes(planned) * ROOM_RATIO);
    return free === null || free >= needed ? null : { needed, free };
  }

  /** Delays the merge; logs the first of several delays in a row. */
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

  /** Milliseconds until a candidate may need a merge. */
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

  /** The next merge that may begin now. Removes candidates that need no merge at any time. */
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
   * Removes candidates that are deleted, have one segment, or are added again after their check.
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
    let release = (): void => undefined;
    try {
      const acquired = await writers.acquire(manifest);
      const { writer } = acquired;
      release = acquired.release;
      const merge = this.#isStopped ? null : await writer.merge(inputs);
      if (merge !== null) await this.#upload(manifest.id, writer, merge);
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

  /** Outside the queue of commits, so that an upload delays no batch. */
  async #upload(indexId: number, writer: IndexWriterPort, merge: FinishedMerge): Promise<void> {
    if (merge.output === null) return;
    const keys = fileNamesOf([merge.output]).map((name) => segmentKey({ indexId, name }));
    try {
      await this.#options.stored?.keep(keys);
    } catch (error) {
      writer.discard(merge.changeId);
      throw error;
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

  get hasFinished(): boolean {
    return this.#finished.length > 0;
  }

  /**
   * Commits the finished merges of indexes without a running batch, together with documents deleted
   * since the merge began.
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
    change.update(manifest.uid, { segments });
    await store.write(change.operations());
    const applied = change.apply();
    announce(this.#options, applied, writers.isCurrent(indexId, writer) ? writer : null);
    this.consider(indexId);
    if (segments.some(({ id }) => id === merge.output?.id)) release();
    else this.#discard(finished);
    cleanUp(this.#options, applied, [], clock());
    log.debug(`merged ${merge.inputs.length} segments of index ${manifest.uid}`);
  }

  #discard({ writer, merge, release }: WaitingMerge): void {
    writer.discard(merge.changeId);
    release();
  }
}

/** Estimated bytes of the merged segment, for documents of equal size. */
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

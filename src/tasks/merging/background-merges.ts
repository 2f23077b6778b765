/**
 * Merges of segments, one at a time, beside batches: which index is next, the merge itself, and its
 * commit, which the scheduler calls for between batches.
 */
import type { IndexCatalog } from '../../catalog/index-catalog.ts';
import type { Clock } from '../../core/clock.ts';
import { type FinishedMerge, segmentsAfterMerge } from '../../indexing/files/finished-merge.ts';
import type { WriteActivity } from '../../indexing/files/merge-policy.ts';
import type { IndexManifest } from '../../model/index-manifest.ts';
import type { Logger } from '../../observability/logger.ts';
import type { KeyValueStore } from '../../storage/key-value-store.ts';
import type { IndexWriterPort, IndexWriters } from '../processing/index-writers.ts';
import type { AfterCommit } from '../publishing/after-commit.ts';

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
  /** A merge would give damaged bytes a right checksum, so only what has been checked is merged. */
  readonly isSound: (indexId: number) => boolean;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'debug' | 'warn' | 'error'>;
}

/** A merge that waits for its commit. */
interface WaitingMerge {
  readonly indexId: number;
  readonly writer: IndexWriterPort;
  readonly merge: FinishedMerge;
  /** Lets go of the writer. */
  readonly release: () => void;
}

export class BackgroundMerges {
  readonly #options: BackgroundMergesOptions;
  readonly #afterCommit: AfterCommit;
  readonly #wake: () => void;
  /** Indexes that may have something to merge, the one that changed first in front. */
  readonly #candidates = new Set<number>();
  #isStopped = false;
  #isRunning = false;
  #finished: WaitingMerge | null = null;
  #timer: NodeJS.Timeout | null = null;

  /** @param wake there is a merge to commit, or one may begin */
  constructor(options: BackgroundMergesOptions, afterCommit: AfterCommit, wake: () => void) {
    this.#options = options;
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
    if (this.#finished !== null) this.#discard(this.#finished);
    this.#finished = null;
  }

  /**
   * Begins a merge unless one is under way or waits for its commit. @param restMs time since the
   * last batch; 0 while tasks wait
   */
  begin(restMs: number): void {
    if (this.#isRunning || this.#finished !== null || this.#isStopped) return;
    const { quietMs, settledMs } = this.#options.mergeTiming;
    const next = this.#next(restMs);
    if (next !== null) {
      this.#candidates.delete(next.manifest.id);
      this.#isRunning = true;
      void this.#run(next.manifest, next.inputs);
    } else if (this.#candidates.size > 0) {
      this.#wakeAfter((restMs >= quietMs ? settledMs : quietMs) - restMs);
    }
  }

  /**
   * The first index that has something to merge now. Forgets those that are gone, and those that
   * have nothing even when all is settled.
   */
  #next(restMs: number): { readonly manifest: IndexManifest; readonly inputs: string[] } | null {
    const { catalog, writers, mergeTiming } = this.#options;
    const isQuiet = restMs >= mergeTiming.quietMs;
    const activity: WriteActivity = restMs >= mergeTiming.settledMs ? 'settled' : 'writing';
    for (const indexId of this.#candidates) {
      const manifest = catalog.byId(indexId);
      if (manifest === null) {
        this.#candidates.delete(indexId);
        continue;
      }
      if (!this.#options.isSound(indexId)) {
        // Considered again when its files have been checked.
        this.#candidates.delete(indexId);
        continue;
      }
      if (!isQuiet && manifest.segments.length < mergeTiming.urgentSegmentCount) continue;
      const inputs = writers.get(manifest).planMerge(manifest, activity);
      if (inputs !== null && inputs.length > 0) return { manifest, inputs };
      if (activity === 'settled') this.#candidates.delete(indexId);
    }
    return null;
  }

  #wakeAfter(ms: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#wake, ms + 1).unref();
  }

  async #run(manifest: IndexManifest, inputs: string[]): Promise<void> {
    const { writers, log } = this.#options;
    const { writer, release } = writers.acquire(manifest);
    try {
      const merge = await writer.merge(inputs);
      if (merge === null) release();
      else this.#keep({ indexId: manifest.id, writer, merge, release });
    } catch (error) {
      release();
      if (!this.#isStopped)
        log.error(
          { err: error },
          `merging ${inputs.length} segments of index ${manifest.uid} failed`,
        );
    } finally {
      this.#isRunning = false;
      this.#wake();
    }
  }

  #keep(finished: WaitingMerge): void {
    if (this.#isStopped) this.#discard(finished);
    else this.#finished = finished;
  }

  /**
   * The commit point of a merge, if one is finished; no batch may be under way. It takes along the
   * deaths that came meanwhile.
   */
  async commitFinished(): Promise<void> {
    const finished = this.#finished;
    if (finished === null) return;
    this.#finished = null;
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

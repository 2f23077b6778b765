/**
 * Merges of segments, one at a time, beside batches: which index is next, the merge itself, and its commit, which the scheduler calls
 * for between batches.
 */
import type { IndexCatalog } from '../catalog/index-catalog.ts';
import { segmentsAfterMerge } from '../catalog/manifest.ts';
import { type CompletedMerge, hasSameColumns, mergedOutput } from '../indexing/fold-merge.ts';
import type { WriteActivity } from '../indexing/merge-policy.ts';
import type { ServerLog } from '../ipc/indexer-server.ts';
import { fileNamesOf, type IndexManifest, type SegmentEntry } from '../model/index-manifest.ts';
import type { IndexFiles } from '../storage/index-files.ts';
import type { KeyValueStore } from '../storage/key-value-store.ts';
import type { AfterCommit } from './after-commit.ts';
import type { Clock } from './clock.ts';
import type { IndexWriterPort, IndexWriters } from './index-writers.ts';

/** Merges compete with batches, so they wait for a quiet moment unless an index has many segments. */
export interface MergeTiming {
  /** Without a batch for so long is quiet. */
  readonly quietMs: number;
  /** Without a batch for so long is settled: then merges begin that only make searches faster; not sooner, since what was just written is searched most. */
  readonly settledMs: number;
  /** With so many segments a merge begins at once. */
  readonly urgentSegmentCount: number;
}

export interface MergeLog extends ServerLog {
  debug(message: string): void;
}

export interface BackgroundMergesOptions {
  readonly store: KeyValueStore;
  readonly catalog: IndexCatalog;
  readonly writers: IndexWriters;
  readonly files: IndexFiles;
  readonly mergeTiming: MergeTiming;
  readonly clock: Clock;
  readonly log: MergeLog;
}

interface FinishedMerge {
  readonly indexId: number;
  readonly writer: IndexWriterPort;
  readonly completed: CompletedMerge;
}

export class BackgroundMerges {
  readonly #options: BackgroundMergesOptions;
  readonly #afterCommit: AfterCommit;
  readonly #wake: () => void;
  /** Indexes that may have something to merge, the one that changed first in front. */
  readonly #candidates = new Set<number>();
  #isStopped = false;
  #isRunning = false;
  #finished: FinishedMerge | null = null;
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

  /** A merge under way is given up: its file is removed at the next start. */
  stop(): void {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  /** Begins a merge unless one is under way or waits for its commit. @param restMs time since the last batch; 0 while tasks wait */
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

  /** The first index that has something to merge now. Forgets those that are gone, and those that have nothing even when all is settled. */
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
      const completed = await writer.merge(inputs);
      this.#finished = { indexId: manifest.id, writer, completed };
    } catch (error) {
      if (!this.#isStopped)
        log.error({ err: error }, `merging ${inputs.length} segments of index ${manifest.uid} failed`);
    } finally {
      release();
      this.#isRunning = false;
      this.#wake();
    }
  }

  /**
   * The commit point of a merge, if one is finished; no batch may be under way. Kept only if all its inputs still exist, with the
   * deaths that came meanwhile.
   */
  async commitFinished(): Promise<void> {
    const merge = this.#finished;
    if (merge === null) return;
    this.#finished = null;
    const { store, catalog, writers, clock, log } = this.#options;
    const { indexId, writer, completed } = merge;
    const manifest = catalog.byId(indexId);
    const segments = manifest === null ? null : mergedSegments(manifest, completed);
    if (manifest === null || segments === null) {
      this.#removeOutput(merge);
      return;
    }
    const change = catalog.begin();
    const author = writers.isCurrent(indexId, writer) ? writer : null;
    change.update(manifest.uid, { segments });
    await store.write(change.operations());
    const applied = change.apply();
    this.#afterCommit.announce(applied, author);
    this.consider(indexId);
    if (!segments.some(({ id }) => id === completed.output?.id)) this.#removeOutput(merge);
    this.#afterCommit.cleanUp(applied, [], clock());
    log.debug(`merged ${completed.inputs.length} segments of index ${manifest.uid}`);
  }

  #removeOutput({ indexId, completed: { output } }: FinishedMerge): void {
    if (output === null) return;
    for (const name of fileNamesOf([output])) this.#options.files.removeFile(indexId, name);
  }
}

/** Segments of the index after the merge, or null when it came too late. */
function mergedSegments(manifest: IndexManifest, completed: CompletedMerge): SegmentEntry[] | null {
  const { inputs, inputEntries } = completed;
  if (inputEntries.length !== inputs.length || !hasSameColumns(completed, manifest.segments)) return null;
  return segmentsAfterMerge(manifest, inputs, mergedOutput(completed, manifest.segments));
}

/**
 * The indexes of a node that reads with a budget for its disk: fetched by the first request for one,
 * and deleted from the disk when others need the room. The fronts learn of both by `indexChecked`.
 */
import { segmentBytes } from '../catalog/manifest.ts';
import type { IndexerEvents } from '../ipc/connection/indexer-protocol.ts';
import { type IndexManifest, segmentFilesOf } from '../model/index-manifest.ts';
import type { Logger } from '../observability/logger.ts';
import { counter, gauge, type Metric } from '../observability/metric.ts';
import type { StoredFiles } from '../storage/object-store/stored-files.ts';
import { LocalIndexes } from './local-indexes.ts';

/** Milliseconds until the files are deleted: requests that have begun open them meanwhile. */
const LEAVE_MS = 10_000;

export interface ColdIndexesOptions {
  readonly budgetBytes: number;
  readonly stored: Pick<StoredFiles, 'fetchSegments' | 'haveSegments'>;
  /** State that this node serves; null = the index is deleted. */
  readonly served: (indexId: number) => IndexManifest | null;
  /** Deletes the files of an index on this node. */
  readonly removeFiles: (indexId: number) => void;
  readonly publish: (checked: IndexerEvents['indexChecked']) => void;
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
  readonly leaveMs?: number;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

export class ColdIndexes {
  readonly #options: ColdIndexesOptions;
  readonly #local: LocalIndexes;
  readonly #fetching = new Set<number>();
  /** Indexes whose files are about to be deleted. */
  readonly #leaving = new Map<number, NodeJS.Timeout>();
  #fetches = 0;
  #removals = 0;

  constructor(options: ColdIndexesOptions) {
    this.#options = options;
    this.#local = new LocalIndexes(options.budgetBytes);
  }

  isLocal(indexId: number): boolean {
    return this.#local.has(indexId);
  }

  get localBytes(): number {
    return this.#local.bytes;
  }

  /** Keeps what an earlier process left on the disk, within the budget; deletes the rest. */
  begin(manifests: Iterable<IndexManifest>): void {
    const { stored, monotonic, removeFiles } = this.#options;
    for (const manifest of manifests) {
      if (stored.haveSegments(segmentFilesOf(manifest)))
        this.#local.add(manifest.id, segmentBytes(manifest), Number.NEGATIVE_INFINITY);
      else removeFiles(manifest.id);
    }
    for (const id of this.#local.shrink(monotonic())) removeFiles(id);
  }

  /** The node serves these states now. */
  served(published: readonly IndexManifest[], deleted: readonly number[]): void {
    for (const manifest of published) this.#local.resize(manifest.id, segmentBytes(manifest));
    for (const id of deleted) this.#local.remove(id);
  }

  /** A request needs the index. After a failure the next request tries again. */
  async fetch(indexId: number): Promise<void> {
    const { publish, monotonic, log } = this.#options;
    if (this.isLocal(indexId) || this.#fetching.has(indexId)) return;
    this.#fetching.add(indexId);
    clearTimeout(this.#leaving.get(indexId));
    this.#leaving.delete(indexId);
    try {
      const manifest = await this.#fetchServed(indexId);
      if (manifest === null) return;
      this.#local.add(indexId, segmentBytes(manifest), monotonic());
      publish({ indexId, damage: [] });
      this.#shrink();
    } catch (error) {
      log.warn(`index ${indexId} cannot be fetched now: ${(error as Error).message}`);
      publish({ indexId, damage: [], isLocal: false });
    } finally {
      this.#fetching.delete(indexId);
    }
  }

  /** @param indexIds indexes that were searched since the last call */
  used(indexIds: Iterable<number>): void {
    this.#local.used(indexIds, this.#options.monotonic());
    this.#shrink();
  }

  close(): void {
    for (const timer of this.#leaving.values()) clearTimeout(timer);
  }

  metrics(): Metric[] {
    return [
      gauge('gannet_local_indexes', 'Indexes on the disk of this node', this.#local.count),
      gauge('gannet_local_index_bytes', 'Bytes of the indexes on the disk', this.#local.bytes),
      counter('gannet_index_fetches_total', 'Indexes fetched for a request', this.#fetches),
      counter('gannet_index_removals_total', 'Indexes removed from the disk', this.#removals),
    ];
  }

  /** The state whose files are here; null = the index is deleted. */
  async #fetchServed(indexId: number): Promise<IndexManifest | null> {
    const { stored, served } = this.#options;
    for (;;) {
      const manifest = served(indexId);
      if (manifest === null) return null;
      await stored.fetchSegments(segmentFilesOf(manifest));
      this.#fetches++;
      if (served(indexId) === manifest) return manifest;
    }
  }

  #shrink(): void {
    const { publish, monotonic, removeFiles, log, leaveMs = LEAVE_MS } = this.#options;
    for (const indexId of this.#local.shrink(monotonic())) {
      publish({ indexId, damage: [], isLocal: false });
      this.#removals++;
      const leave = (): void => {
        this.#leaving.delete(indexId);
        removeFiles(indexId);
        log.info(`index ${indexId} has left the disk`);
      };
      this.#leaving.set(indexId, setTimeout(leave, leaveMs).unref());
    }
  }
}

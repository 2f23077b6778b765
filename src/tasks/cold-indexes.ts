/**
 * The indexes of a node of an object store with a budget for its disk: fetched by the first request or
 * batch that needs one, and deleted from the disk, not from the store, when others need the room.
 */

import { segmentBytes } from '../catalog/manifest.ts';
import { ApiError } from '../core/errors.ts';
import { getOrCompute } from '../core/get-or-compute.ts';
import type { IndexerEvents } from '../ipc/connection/indexer-protocol.ts';
import { type IndexManifest, segmentFilesOf } from '../model/index-manifest.ts';
import type { Logger } from '../observability/logger.ts';
import { counter, gauge, type Metric } from '../observability/metric.ts';
import { ObjectStoreError } from '../storage/object-store/object-store.ts';
import type { StoredObject } from '../storage/object-store/sealed-objects.ts';
import { type StoredFiles, segmentObject } from '../storage/object-store/stored-files.ts';
import { LocalIndexes } from './local-indexes.ts';

/** Milliseconds between two questions which indexes were searched. */
const ASK_MS = 5000;

export interface ColdIndexesOptions {
  readonly budgetBytes: number;
  readonly stored: Pick<StoredFiles, 'fetch' | 'have'>;
  /** State that this node serves; null = the index is deleted, or not committed yet. */
  readonly served: (indexId: number) => IndexManifest | null;
  readonly removeFiles: (indexId: number) => void;
  readonly onFetched: (indexId: number) => void;
  /** The index leaves the disk, or could not be fetched: the next request fetches it. */
  readonly onAbsent: (indexId: number) => void;
  readonly takeReadIndexes: () => Promise<readonly number[]>;
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
  /** From the moment when an index leaves to the deletion of its files: requests open them. */
  readonly leaveMs: number;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

const objectsOf = (manifest: IndexManifest): StoredObject[] =>
  segmentFilesOf(manifest).map(segmentObject);

/** The fetch of a file has checked it. */
export const checkedIndex = (indexId: number, isLocal: boolean): IndexerEvents['indexChecked'] => ({
  indexId,
  damage: [],
  ...(!isLocal && { isLocal }),
});

export class ColdIndexes {
  readonly #options: ColdIndexesOptions;
  readonly #local: LocalIndexes;
  readonly #loading = new Map<number, Promise<void>>();
  /** Indexes whose files are about to be deleted. */
  readonly #leaving = new Map<number, NodeJS.Timeout>();
  #asks: NodeJS.Timeout | null = null;
  #isClosed = false;
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
    const { stored, monotonic, removeFiles, takeReadIndexes } = this.#options;
    for (const manifest of manifests) {
      if (stored.have(objectsOf(manifest)))
        this.#local.add(manifest.id, segmentBytes(manifest), Number.NEGATIVE_INFINITY);
      else removeFiles(manifest.id);
    }
    for (const id of this.#local.shrink(monotonic())) removeFiles(id);
    this.#asks = setInterval(
      () => void takeReadIndexes().then((ids) => this.used(ids)),
      ASK_MS,
    ).unref();
  }

  /** @param manifest new state of the index; null = it is deleted */
  served(indexId: number, manifest: IndexManifest | null): void {
    if (manifest === null) this.#local.remove(indexId);
    else this.#local.resize(indexId, segmentBytes(manifest));
  }

  /** As `served`, of a state that this node has committed: it has the files of a new index. */
  committed(indexId: number, manifest: IndexManifest | null): void {
    this.served(indexId, manifest);
    if (manifest === null || this.isLocal(indexId)) return;
    if (this.#options.stored.have(objectsOf(manifest))) this.#enter(manifest);
  }

  /** A request needs the index. After a failure the next request tries again. */
  async fetch(indexId: number): Promise<void> {
    if (this.isLocal(indexId)) return;
    const { onAbsent, log } = this.#options;
    await this.#load(indexId).catch((error: Error) => {
      log.warn(`index ${indexId} cannot be fetched now: ${error.message}`);
      onAbsent(indexId);
    });
  }

  /**
   * Resolves when the index is on the disk, where it stays until the returned function is called.
   * @throws ObjectStoreError
   */
  async hold(indexId: number): Promise<() => void> {
    const local = this.#local;
    local.pin(indexId);
    const release = (): void => {
      local.unpin(indexId);
      this.used([indexId]);
    };
    try {
      if (!this.isLocal(indexId)) await this.#load(indexId);
      return release;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** As `hold`, of a state that may be older than the served one. @throws ApiError `io_error` */
  async holdState(manifest: IndexManifest): Promise<() => void> {
    try {
      const release = await this.hold(manifest.id);
      await this.#options.stored.fetch(objectsOf(manifest)).catch((error: unknown) => {
        release();
        throw error;
      });
      return release;
    } catch (cause) {
      if (!(cause instanceof ObjectStoreError)) throw cause;
      throw new ApiError('io_error', `The object store failed: ${cause.message}.`, { cause });
    }
  }

  /** @param indexIds indexes that were used since the last call */
  used(indexIds: Iterable<number>): void {
    this.#local.used(indexIds, this.#options.monotonic());
    this.#shrink();
  }

  /** Nothing leaves the disk afterwards, also when a fetch ends: another owner may count on the files. */
  close(): void {
    this.#isClosed = true;
    if (this.#asks !== null) clearInterval(this.#asks);
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

  #load(indexId: number): Promise<void> {
    return getOrCompute(this.#loading, indexId, () =>
      this.#loadNow(indexId).finally(() => this.#loading.delete(indexId)),
    );
  }

  async #loadNow(indexId: number): Promise<void> {
    this.#stay(indexId);
    const manifest = await this.#fetchServed(indexId);
    if (manifest === null) return;
    this.#enter(manifest);
    this.#options.onFetched(indexId);
    this.#shrink();
  }

  #enter(manifest: IndexManifest): void {
    this.#stay(manifest.id);
    this.#local.add(manifest.id, segmentBytes(manifest), this.#options.monotonic());
  }

  #stay(indexId: number): void {
    clearTimeout(this.#leaving.get(indexId));
    this.#leaving.delete(indexId);
  }

  /** The state whose files are here; null = the index is deleted. */
  async #fetchServed(indexId: number): Promise<IndexManifest | null> {
    const { stored, served } = this.#options;
    for (;;) {
      const manifest = served(indexId);
      if (manifest === null) return null;
      await stored.fetch(objectsOf(manifest));
      this.#fetches++;
      if (served(indexId) === manifest) return manifest;
    }
  }

  #shrink(): void {
    const { onAbsent, monotonic, removeFiles, log, leaveMs } = this.#options;
    if (this.#isClosed) return;
    for (const indexId of this.#local.shrink(monotonic())) {
      onAbsent(indexId);
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

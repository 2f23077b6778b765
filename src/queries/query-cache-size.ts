/**
 * The size of the query cache: fixed by the option, or as the indexes need it. A thread has its own
 * part; the part that the threads share grows and shrinks with the indexes.
 */
import type { CacheMemory } from '../core/cache-memory.ts';
import { bytesByComponent, type IndexManifest } from '../model/index-manifest.ts';
import { ownBytes, sharedBytes } from '../search/snapshot/result-store.ts';
import { SharedCache } from '../search/snapshot/shared-cache.ts';

/** Per thread, for small indexes. */
const QUERY_CACHE_BYTES = 72 << 20;
/**
 * Results of searches of texts take up to a fifth of the files with the words and texts of the
 * documents: measured on 261,409 and on 1,045,636 articles.
 */
const FILES_SHARE = 1 / 5;
/** Most that all threads share, of the memory of the machine or container. */
const MEMORY_SHARE = 1 / 16;
/** Most that all threads share, in bytes. */
const SHARED_BYTES_MAX = 4 * 2 ** 30;

/** Memory of `bytes`, or of `least` where the system reserves no more, as without overcommit. */
function reserved(bytes: number, least: number): SharedArrayBuffer {
  try {
    return SharedCache.memory(bytes);
  } catch (error) {
    if (!(error instanceof RangeError) || bytes <= least) throw error;
    return SharedCache.memory(least);
  }
}

export class QueryCacheSize {
  readonly memory: CacheMemory;
  readonly #least: number;
  readonly #cache: SharedCache;

  /**
   * @param bytesEach the size for each thread; null = as the indexes need it
   * @param memoryBytes of the machine or container
   */
  constructor(bytesEach: number | null, threads: number, memoryBytes: number) {
    const base = bytesEach ?? QUERY_CACHE_BYTES;
    this.#least = sharedBytes(base) * threads;
    const most = Math.min(SHARED_BYTES_MAX, Math.floor(memoryBytes * MEMORY_SHARE));
    const wanted = bytesEach === null ? Math.max(this.#least, most) : this.#least;
    this.memory = { ownBytes: ownBytes(base), shared: reserved(wanted, this.#least), threads };
    this.#cache = new SharedCache(this.memory.shared);
    this.#cache.limitTo(this.#least);
  }

  /** Adapts the shared part to the indexes; does nothing when the option fixes it. */
  fitTo(manifests: readonly Pick<IndexManifest, 'segments'>[]): void {
    const files = manifests.reduce(
      (sum, { segments }) => sum + (bytesByComponent(segments).get('documents') ?? 0),
      0,
    );
    this.#cache.limitTo(Math.max(this.#least, files * FILES_SHARE));
  }
}

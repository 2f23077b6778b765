/**
 * Files that the newest states do not name but a front may still read. They are deleted when every
 * connected front has switched to a newer generation, or after a grace period longer than any
 * request.
 */
import type { IndexManifest } from '../model/index-manifest.ts';
import type { IndexFiles } from '../storage/files/index-files.ts';
import type { AppliedChange } from './index-catalog.ts';

interface ObsoleteFile {
  readonly indexId: number;
  readonly name: string;
  readonly generation: number;
  readonly bytes: number;
  readonly sinceMs: number;
}

export class ObsoleteFiles {
  readonly #files: IndexFiles;
  readonly #graceMs: number;
  #obsolete: ObsoleteFile[] = [];
  #indexes: { readonly indexId: number; readonly bytes: number; readonly sinceMs: number }[] = [];
  /** Generations that are pinned without a time limit, by index id. */
  readonly #pins = new Set<ReadonlyMap<number, number>>();

  constructor(files: IndexFiles, graceMs: number) {
    this.#files = files;
    this.#graceMs = graceMs;
  }

  get count(): number {
    return this.#obsolete.length + this.#indexes.length;
  }

  /** Bytes of all obsolete files. */
  get bytes(): number {
    return [...this.#obsolete, ...this.#indexes].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  add(change: AppliedChange, nowMs: number): void {
    for (const file of change.obsoleteFiles) this.#obsolete.push({ ...file, sinceMs: nowMs });
    const before = this.#obsolete;
    this.#obsolete = before.filter(({ indexId }) => !change.deletedBytes.has(indexId));
    for (const [indexId, newest] of change.deletedBytes) {
      const older = before.filter((one) => one.indexId === indexId);
      const bytes = older.reduce((sum, one) => sum + one.bytes, newest);
      this.#indexes.push({ indexId, bytes, sinceMs: nowMs });
    }
  }

  /** Keeps the files of these generations until the returned function is called. */
  pin(manifests: Iterable<Pick<IndexManifest, 'id' | 'generation'>>): () => void {
    const pins = new Map([...manifests].map(({ id, generation }) => [id, generation]));
    this.#pins.add(pins);
    return () => void this.#pins.delete(pins);
  }

  /** True if a generation of the index below this one is pinned. */
  #isPinned(indexId: number, below: number): boolean {
    for (const pins of this.#pins) if ((pins.get(indexId) ?? below) < below) return true;
    return false;
  }

  /**
   * @param minimumAcknowledged the oldest generation of the index that a connected front may read
   */
  sweep(nowMs: number, minimumAcknowledged: (indexId: number) => number): void {
    const isOver = (sinceMs: number) => nowMs - sinceMs >= this.#graceMs;
    this.#obsolete = this.#obsolete.filter(({ indexId, name, generation, sinceMs }) => {
      if (this.#isPinned(indexId, generation)) return true;
      if (minimumAcknowledged(indexId) < generation && !isOver(sinceMs)) return true;
      return !this.#files.removeFile(indexId, name);
    });
    this.#indexes = this.#indexes.filter(({ indexId, sinceMs }) => {
      if (this.#isPinned(indexId, Number.POSITIVE_INFINITY)) return true;
      if (minimumAcknowledged(indexId) !== Number.POSITIVE_INFINITY && !isOver(sinceMs))
        return true;
      return !this.#files.removeIndex(indexId);
    });
  }
}

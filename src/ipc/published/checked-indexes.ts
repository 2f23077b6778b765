/**
 * What a front knows of the files of its indexes: damaged ones, and those that the indexer has not
 * read yet since it started.
 */
import { throwIfDamaged } from '../../core/damaged-index.ts';

/**
 * So long requests to an index wait for the check of its files, some GB; what is larger is read
 * meanwhile.
 */
const WAIT_MS = 10_000;

interface Wait {
  readonly checked: Promise<void>;
  readonly end: () => void;
  /** Whether a request waits already. */
  isAsked: boolean;
}

export class CheckedIndexes {
  readonly #damage = new Map<number, readonly string[]>();
  readonly #waits = new Map<number, Wait>();
  /** Indexes of which the indexer has spoken. */
  readonly #known = new Set<number>();
  readonly #onWait: (indexId: number) => void;
  readonly #waitMs: number;

  /** @param onWait a request waits for the check of the index, the first one to do so */
  constructor(onWait: (indexId: number) => void = () => undefined, waitMs = WAIT_MS) {
    this.#onWait = onWait;
    this.#waitMs = waitMs;
  }

  /** Number of files with which something is wrong. */
  get damagedFileCount(): number {
    return [...this.#damage.values()].reduce((sum, { length }) => sum + length, 0);
  }

  /** Whether the index may be read at once. */
  isReadable(indexId: number): boolean {
    return !this.#waits.has(indexId) && !this.#damage.has(indexId);
  }

  /**
   * Resolves when the index may be read.
   * @throws ApiError `invalid_store_file` with what is wrong, the names of the files included
   */
  async whenReadable(indexId: number, uid: string): Promise<void> {
    const wait = this.#waits.get(indexId);
    if (wait !== undefined) {
      if (!wait.isAsked) this.#onWait(indexId);
      wait.isAsked = true;
      await wait.checked;
    }
    throwIfDamaged(uid, this.#damage.get(indexId) ?? []);
  }

  /** These indexes exist; those that the indexer never spoke of are waited for. */
  expect(indexIds: readonly number[]): void {
    for (const indexId of indexIds.filter((id) => !this.#known.has(id))) {
      let end = (): void => undefined;
      const checked = new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, this.#waitMs);
        end = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#waits.get(indexId)?.end();
      this.#waits.set(indexId, { checked, end, isAsked: false });
    }
  }

  /** All files of the index have been read; `damage` is what is wrong with them. */
  tell(indexId: number, damage: readonly string[]): void {
    if (damage.length > 0) this.#damage.set(indexId, damage);
    else this.#damage.delete(indexId);
    this.#known.add(indexId);
    this.#endWait(indexId);
  }

  /** The index is gone. */
  forget(indexId: number): void {
    this.tell(indexId, []);
    this.#known.delete(indexId);
  }

  /** Nobody will say more for now. */
  endWaits(): void {
    for (const indexId of [...this.#waits.keys()]) this.#endWait(indexId);
  }

  #endWait(indexId: number): void {
    this.#waits.get(indexId)?.end();
    this.#waits.delete(indexId);
  }
}

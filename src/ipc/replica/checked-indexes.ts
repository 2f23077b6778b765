/**
 * Check state of a front's index files: damaged files, and indexes that the indexer has not read
 * since its start.
 */
import { throwIfDamaged } from '../../core/errors.ts';

/**
 * Longest time a request waits for the check of its index's files, enough for some GB. Larger
 * indexes are read while their check goes on.
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
  /** Indexes that the indexer has reported on. */
  readonly #known = new Set<number>();
  readonly #onWait: (indexId: number) => void;
  readonly #waitMs: number;

  /** @param onWait called when the first request waits for the check of the index */
  constructor(onWait: (indexId: number) => void = () => undefined, waitMs = WAIT_MS) {
    this.#onWait = onWait;
    this.#waitMs = waitMs;
  }

  /** Number of damaged files. */
  get damagedFileCount(): number {
    return [...this.#damage.values()].reduce((sum, { length }) => sum + length, 0);
  }

  /** Whether the index may be read at once. */
  isReadable(indexId: number): boolean {
    return !this.#waits.has(indexId) && !this.#damage.has(indexId);
  }

  /**
   * Resolves when the index may be read.
   * @throws ApiError `invalid_store_file` with the damage and the file names
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

  /** Replaces the set of existing indexes; waiting continues for indexes without a report. */
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

  /** All files of the index have been read; `damage` lists their damage. */
  set(indexId: number, damage: readonly string[]): void {
    if (damage.length > 0) this.#damage.set(indexId, damage);
    else this.#damage.delete(indexId);
    this.#known.add(indexId);
    this.#endWait(indexId);
  }

  /** The index was deleted. */
  forget(indexId: number): void {
    this.set(indexId, []);
    this.#known.delete(indexId);
  }

  /** No more reports follow for now: waiting requests go on. */
  endWaits(): void {
    for (const indexId of [...this.#waits.keys()]) this.#endWait(indexId);
  }

  #endWait(indexId: number): void {
    this.#waits.get(indexId)?.end();
    this.#waits.delete(indexId);
  }
}

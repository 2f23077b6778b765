/**
 * Check state of a front's index files: damaged files, indexes that the indexer has not read since its
 * start, and indexes whose files are only in the object store.
 */
import { ApiError, throwIfDamaged } from '../../core/errors.ts';

/**
 * Longest time a request waits for the check of its index's files, enough for some GB. Larger
 * indexes are read while their check goes on.
 */
const WAIT_MS = 10_000;
/** Longest time a request waits until the files of its index are fetched. */
const FETCH_MS = 30_000;

interface Wait {
  readonly checked: Promise<void>;
  readonly end: () => void;
  isAsked: boolean;
}

export class CheckedIndexes {
  /** Damage of the indexes that the indexer has reported on; null = their files must be fetched. */
  readonly #reports = new Map<number, readonly string[] | null>();
  readonly #waits = new Map<number, Wait>();
  readonly #read = new Set<number>();
  readonly #onWait: (indexId: number) => void;
  readonly #waitMs: number;

  /** @param onWait called when the first request waits for the check of the index */
  constructor(onWait: (indexId: number) => void = () => undefined, waitMs = WAIT_MS) {
    this.#onWait = onWait;
    this.#waitMs = waitMs;
  }

  get damagedFileCount(): number {
    return [...this.#reports.values()].reduce((sum, damage) => sum + (damage?.length ?? 0), 0);
  }

  isLocal(indexId: number): boolean {
    return this.#reports.get(indexId) !== null;
  }

  /** A request reads the index, so its files should stay on the disk. */
  noteRead(indexId: number): void {
    this.#read.add(indexId);
  }

  /** Indexes that requests have read since the last call. */
  takeRead(): readonly number[] {
    const read = [...this.#read];
    this.#read.clear();
    return read;
  }

  /** Whether the index may be read at once. */
  isReadable(indexId: number): boolean {
    const damage = this.#reports.get(indexId) ?? [];
    return this.isLocal(indexId) && !this.#waits.has(indexId) && damage.length === 0;
  }

  /**
   * Resolves when the index may be read.
   * @throws ApiError `invalid_store_file` with the damage and the file names; `indexer_unavailable`
   * if the files are not fetched in time
   */
  async whenReadable(indexId: number, uid: string): Promise<void> {
    if (!this.isLocal(indexId) && !this.#waits.has(indexId))
      this.#wait(indexId, FETCH_MS, () => this.#waits.delete(indexId));
    const wait = this.#waits.get(indexId);
    if (wait !== undefined) {
      if (!wait.isAsked) this.#onWait(indexId);
      wait.isAsked = true;
      await wait.checked;
      if (!this.isLocal(indexId)) throw notFetched(uid);
    }
    throwIfDamaged(uid, this.#reports.get(indexId) ?? []);
  }

  /**
   * Replaces the set of existing indexes, when the indexer is connected: it may not have received the
   * questions for indexes that requests wait for. Waiting continues for indexes without a report.
   */
  expect(indexIds: readonly number[]): void {
    const existing = new Set(indexIds);
    for (const indexId of this.#reports.keys()) if (!existing.has(indexId)) this.forget(indexId);
    for (const [indexId, { isAsked }] of this.#waits) if (isAsked) this.#onWait(indexId);
    for (const indexId of indexIds.filter((id) => !this.#reports.has(id)))
      this.#wait(indexId, this.#waitMs);
  }

  /** The files are only in the object store: the next request has them fetched. */
  notLocal(indexId: number): void {
    this.#reports.set(indexId, null);
    this.#endWait(indexId);
  }

  /** All files of the index have been read; `damage` lists their damage. */
  set(indexId: number, damage: readonly string[]): void {
    this.#reports.set(indexId, damage);
    this.#endWait(indexId);
  }

  /** The index was deleted. */
  forget(indexId: number): void {
    this.#reports.delete(indexId);
    this.#endWait(indexId);
  }

  /** No more reports follow for now: waiting requests go on. */
  endWaits(): void {
    for (const indexId of [...this.#waits.keys()]) this.#endWait(indexId);
  }

  #wait(indexId: number, ms: number, onTimeout: () => void = () => undefined): void {
    let end = (): void => undefined;
    const checked = new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        onTimeout();
        resolve();
      }, ms);
      end = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#waits.get(indexId)?.end();
    this.#waits.set(indexId, { checked, end, isAsked: false });
  }

  #endWait(indexId: number): void {
    this.#waits.get(indexId)?.end();
    this.#waits.delete(indexId);
  }
}

const notFetched = (uid: string): ApiError =>
  new ApiError(
    'indexer_unavailable',
    `The files of index \`${uid}\` are not on this node yet. Please retry later.`,
  );

/**
 * Keeps the copy of tasks and indexes (storage/database/state-copy.ts) current on the node that writes, so
 * that the next start of any node reads few entries from the database.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoreView } from '../storage/database/key-value-store.ts';
import { copiedPosition, copyState } from '../storage/database/state-copy.ts';

/** Below it, reading all entries takes less than a second. */
const ENTRIES_MIN = 1000;
/** Share of the entries that may change before the next copy. */
const CHANGES_SHARE = 0.1;
/** Half of what the log of changes keeps. */
const CHANGES_MAX = 10_000;
const INTERVAL_MS = 30_000;

export interface StateCopierOptions {
  readonly view: () => StoreView;
  /** Of the last change in the log. */
  readonly position: () => number;
  readonly read: () => Promise<Uint8Array | null>;
  readonly write: (copy: Uint8Array) => Promise<void>;
  /** Resolves when the database has accepted a write. */
  readonly confirm: () => Promise<void>;
  readonly log: { readonly warn: (message: string) => void };
  readonly intervalMs?: number;
}

export class StateCopier {
  readonly #options: StateCopierOptions;
  /** Of the last copy. */
  #position = Number.NEGATIVE_INFINITY;
  readonly #stopping = new AbortController();
  #loop: Promise<void> = Promise.resolve();

  constructor(options: StateCopierOptions) {
    this.#options = options;
  }

  /** @param entryCount of tasks and indexes now */
  start(entryCount: () => number): void {
    this.#loop = this.#run(entryCount);
  }

  /** Resolves when nothing is read any more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
  }

  async #run(entryCount: () => number): Promise<void> {
    const { intervalMs = INTERVAL_MS, log } = this.#options;
    const { signal } = this.#stopping;
    for (;;) {
      try {
        await sleep(intervalMs, undefined, { signal, ref: false });
        if (this.#isDue(entryCount())) await this.#copy();
      } catch (error) {
        if (signal.aborted) return;
        log.warn(`starts read tasks and indexes one by one: ${(error as Error).message}`);
      }
    }
  }

  #isDue(entries: number): boolean {
    const changes = this.#options.position() - this.#position;
    return entries >= ENTRIES_MIN && changes >= Math.min(entries * CHANGES_SHARE, CHANGES_MAX);
  }

  async #copy(): Promise<void> {
    const { view: openView, read, write, confirm } = this.#options;
    const older = await read().catch(() => null);
    const view = openView();
    let copy: Uint8Array | null;
    try {
      copy = await copyState(view, older, this.#stopping.signal);
    } finally {
      await view.close();
    }
    if (copy === null) return;
    await confirm();
    await write(copy);
    this.#position = await copiedPosition(copy);
  }
}

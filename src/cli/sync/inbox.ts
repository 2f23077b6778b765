/** Events of a stream until the next batch: a full inbox pauses the stream. */
import { setTimeout as wait } from 'node:timers/promises';
import type { ChangeSource, SourceEvent } from './change-source.ts';
import { type ChangeBatch, PendingChanges } from './pending-changes.ts';

/** Resolves after milliseconds. */
export type Pause = (ms: number) => Promise<unknown>;

const FIRST_PAUSE_MS = 100;
export const PAUSE_MS_MAX = 5000;

/** Doubles with each attempt, from 0 on. */
export const pauseMsAfter = (attempt: number): number =>
  Math.min(PAUSE_MS_MAX, FIRST_PAUSE_MS * 2 ** attempt);

/** Pause that lets changes come together in one batch. */
const COLLECT_MS = 50;

export class Inbox {
  readonly #source: Pick<ChangeSource, 'setPaused'>;
  readonly #pause: Pause;
  readonly #pending = new PendingChanges();
  #failure: Error | null = null;
  #wake: () => void = () => undefined;

  constructor(source: Pick<ChangeSource, 'setPaused'>, pause: Pause) {
    this.#source = source;
    this.#pause = pause;
  }

  add(event: SourceEvent): void {
    this.#pending.add(event);
    if (this.#pending.isFull) this.#source.setPaused(true);
    this.#wake();
  }

  /** The stream has ended: `next` throws the error. */
  end(error: Error): void {
    this.#failure ??= error;
    this.#wake();
  }

  /** The next batch; null if nothing came for a while. @throws the error that ended the stream */
  async next(patienceMs: number): Promise<ChangeBatch | null> {
    if (this.#pending.isEmpty && this.#failure === null) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await Promise.race([woken, wait(patienceMs, undefined, { ref: false })]);
    }
    if (this.#pending.hasChanges && !this.#pending.isFull) await this.#pause(COLLECT_MS);
    if (this.#failure !== null) throw this.#failure;
    if (this.#pending.isEmpty) return null;
    const batch = this.#pending.take();
    this.#source.setPaused(false);
    return batch;
  }
}

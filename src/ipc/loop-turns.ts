/**
 * Turns of one loop that does work between its requests: one piece in each round, so that what has
 * arrived meanwhile is read before the next, and key by key, so that whoever floods waits behind
 * itself.
 */
import type { Caller, Requester } from '../core/caller.ts';
import { ApiError } from '../core/errors.ts';
import { FairQueue } from './fair-queue.ts';
import { QueuePace } from './queue-pace.ts';

export interface LoopTurnsOptions {
  /** Pieces that may wait. */
  readonly waitingMax: number;
  readonly dropAfterMs: number;
  /** Runs in the next round of the loop; default `setImmediate`. */
  readonly nextRound?: (run: () => void) => void;
}

interface Waiting {
  readonly caller: Caller | undefined;
  readonly sinceMs: number;
  readonly resolve: () => void;
  readonly reject: (error: ApiError) => void;
}

export class LoopTurns {
  readonly #options: LoopTurnsOptions;
  readonly #nextRound: (run: () => void) => void;
  readonly #waiting = new FairQueue<Waiting>();
  readonly #pace = new QueuePace();
  /** Somebody has had a turn since the loop came round. */
  #isTaken = false;

  constructor(options: LoopTurnsOptions) {
    this.#options = options;
    this.#nextRound = options.nextRound ?? setImmediate;
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  /**
   * null when it is the caller's turn at once; else resolves when it is, or rejects with
   * `too_many_search_requests`.
   */
  take(caller?: Caller & Partial<Requester>): Promise<void> | null {
    if (!this.#isTaken) {
      this.#isTaken = true;
      this.#waiting.passed(caller?.keyUid ?? '');
      this.#nextRound(this.#goRound);
      return null;
    }
    return new Promise((resolve, reject) => {
      const entry = { caller, sinceMs: performance.now(), resolve, reject };
      this.#wait(entry, caller?.keyUid ?? '');
    });
  }

  #wait(entry: Waiting, lane: string): void {
    if (this.#waiting.size >= this.#options.waitingMax) {
      const displaced = this.#waiting.makeRoom(lane);
      (displaced ?? entry).reject(this.#tooMany());
      if (displaced === undefined) return;
    }
    this.#waiting.add(lane, entry);
  }

  readonly #goRound = (): void => {
    const nowMs = performance.now();
    const next = this.#takeWanted(nowMs);
    this.#pace.ended(nowMs, next !== undefined);
    if (next === undefined) {
      this.#isTaken = false;
      return;
    }
    this.#nextRound(this.#goRound);
    next.resolve();
  };

  #takeWanted(nowMs: number): Waiting | undefined {
    for (;;) {
      const entry = this.#waiting.take();
      if (entry === undefined) return undefined;
      if (entry.caller?.isAborted === true)
        entry.reject(new ApiError('internal', 'The client closed the connection.'));
      else if (nowMs - entry.sinceMs > this.#options.dropAfterMs) entry.reject(this.#tooMany());
      else return entry;
    }
  }

  #tooMany(): ApiError {
    return new ApiError(
      'too_many_search_requests',
      'Too many search requests are waiting. Please retry later.',
      { retryAfterMs: this.#pace.retryAfterMs(this.#waiting.size) },
    );
  }
}

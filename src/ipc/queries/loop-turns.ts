/**
 * Turns of one loop that does work between its requests: one piece in each round, so that what has
 * arrived meanwhile is read before the next, and key by key, so that whoever floods waits behind
 * itself.
 */
import type { Caller, Requester } from '../../core/caller.ts';
import { QueuePace } from './queue-pace.ts';
import { type Waiting, WaitingLine, type WaitingLineOptions } from './waiting-line.ts';

export interface LoopTurnsOptions extends WaitingLineOptions {
  /** Runs in the next round of the loop; default `setImmediate`. */
  readonly nextRound?: (run: () => void) => void;
}

interface WaitingForTurn extends Waiting {
  readonly resolve: () => void;
}

export class LoopTurns {
  readonly #nextRound: (run: () => void) => void;
  readonly #pace = new QueuePace();
  readonly #waiting: WaitingLine<WaitingForTurn>;
  /** Somebody has had a turn since the loop came round. */
  #isTaken = false;

  constructor(options: LoopTurnsOptions) {
    this.#waiting = new WaitingLine(options, () => this.#pace.retryAfterMs(this.waitingCount));
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
      this.#waiting.add(caller?.keyUid ?? '', entry);
    });
  }

  readonly #goRound = (): void => {
    const nowMs = performance.now();
    const next = this.#waiting.take(nowMs);
    this.#pace.ended(nowMs, next !== undefined);
    if (next === undefined) {
      this.#isTaken = false;
      return;
    }
    this.#nextRound(this.#goRound);
    next.resolve();
  };
}

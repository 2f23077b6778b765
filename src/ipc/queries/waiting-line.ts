/**
 * Searches that wait for their turn, key by key, and what ends a wait without one: a full line, a
 * wait that has become too long, a client that has left.
 */
import type { Caller } from '../../core/caller.ts';
import { ApiError } from '../../core/errors.ts';
import { FairQueue } from './fair-queue.ts';

export interface Waiting {
  readonly caller: Caller | undefined;
  readonly sinceMs: number;
  readonly reject: (error: ApiError) => void;
}

export interface WaitingLineOptions {
  readonly waitingMax: number;
  readonly dropAfterMs: number;
}

export class WaitingLine<Item extends Waiting> {
  readonly #options: WaitingLineOptions;
  readonly #retryAfterMs: () => number;
  readonly #queue = new FairQueue<Item>();

  /** @param retryAfterMs when somebody who is refused may come again; other lines may matter to it */
  constructor(options: WaitingLineOptions, retryAfterMs: () => number) {
    this.#options = options;
    this.#retryAfterMs = retryAfterMs;
  }

  get size(): number {
    return this.#queue.size;
  }

  /** Something of the lane had its turn without waiting. */
  passed(lane: string): void {
    this.#queue.passed(lane);
  }

  /** @param lane whose turn it takes. A full line is made longer at the cost of the longest lane. */
  add(lane: string, item: Item): void {
    if (this.#queue.size >= this.#options.waitingMax) {
      const displaced = this.#queue.makeRoom(lane);
      (displaced ?? item).reject(this.#tooMany('Too many search requests are waiting.'));
      if (displaced === undefined) return;
    }
    this.#queue.add(lane, item);
  }

  /** The next one that is still wanted. */
  take(nowMs: number): Item | undefined {
    for (;;) {
      const item = this.#queue.take();
      if (item === undefined || this.#isWanted(item, nowMs)) return item;
    }
  }

  dropUnwanted(nowMs: number): void {
    this.#queue.removeWhere((item) => !this.#isWanted(item, nowMs));
  }

  /** Rejects the item when it is not. */
  #isWanted({ caller, sinceMs, reject }: Item, nowMs: number): boolean {
    const { dropAfterMs } = this.#options;
    if (caller?.isAborted === true) {
      reject(new ApiError('internal', 'The client closed the connection.'));
      return false;
    }
    if (nowMs - sinceMs <= dropAfterMs) return true;
    reject(this.#tooMany(`The search waited longer than ${dropAfterMs} ms.`));
    return false;
  }

  #tooMany(what: string): ApiError {
    return new ApiError('too_many_search_requests', `${what} Please retry later.`, {
      retryAfterMs: this.#retryAfterMs(),
    });
  }
}

/**
 * Searches that wait for a thread, by API key. A wait ends without a thread when the queue is full,
 * when it takes too long, or when the client disconnects.
 */
import type { Caller } from '../../core/caller.ts';
import { clientLeft } from '../../core/deadline.ts';
import { ApiError } from '../../core/errors.ts';
import { FairQueue } from './fair-queue.ts';

export interface Waiting {
  readonly caller: Caller | undefined;
  readonly sinceMs: number;
  readonly reject: (error: ApiError) => void;
}

export interface BoundedQueueOptions {
  /** Limit of waiting and taken items together. */
  readonly itemsMax: number;
  readonly dropAfterMs: number;
  /** Retry-After for refused clients. */
  readonly retryAfterMs: () => number;
}

export class BoundedQueue<Item extends Waiting> {
  readonly #options: BoundedQueueOptions;
  readonly #queue = new FairQueue<Item>();

  constructor(options: BoundedQueueOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#queue.size;
  }

  /** True if all waiting items are of one lane, so that the next one is certain until another adds. */
  get isOneLane(): boolean {
    return this.#queue.laneCount === 1;
  }

  charge(lane: string, ms: number): void {
    this.#queue.charge(lane, ms);
  }

  /**
   * When the queue is full, the newest item of the longest lane is refused.
   * @param takenCount items that were taken and have not ended
   */
  add(lane: string, item: Item, takenCount: number): void {
    if (this.#queue.size + takenCount >= this.#options.itemsMax) {
      const displaced = this.#queue.makeRoom(lane);
      (displaced ?? item).reject(this.#tooMany('Too many search requests are waiting.'));
      if (displaced === undefined) return;
    }
    this.#queue.add(lane, item);
  }

  /** Returns an item that `take` returned. */
  putBack(lane: string, item: Item): void {
    this.#queue.putBack(lane, item);
  }

  /** Returns the next item whose client still waits. */
  take(nowMs: number): Item | undefined {
    for (;;) {
      const item = this.#queue.take();
      if (item === undefined || this.#isWanted(item, nowMs)) return item;
    }
  }

  dropUnwanted(nowMs: number): void {
    this.#queue.removeWhere((item) => !this.#isWanted(item, nowMs));
  }

  rejectAll(error: ApiError): void {
    for (;;) {
      const item = this.#queue.take();
      if (item === undefined) return;
      item.reject(error);
    }
  }

  /** Rejects the item if its client no longer waits. */
  #isWanted({ caller, sinceMs, reject }: Item, nowMs: number): boolean {
    const { dropAfterMs } = this.#options;
    if (caller?.isAborted === true) {
      reject(clientLeft());
      return false;
    }
    if (nowMs - sinceMs <= dropAfterMs) return true;
    reject(this.#tooMany(`The search waited longer than ${dropAfterMs} ms.`));
    return false;
  }

  #tooMany(what: string): ApiError {
    return new ApiError('too_many_search_requests', `${what} Please retry later.`, {
      retryAfterMs: this.#options.retryAfterMs(),
    });
  }
}

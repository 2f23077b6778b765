/**
 * Searches that wait for a thread. A wait ends without a thread when the queue is full, when it takes
 * too long, or when the client disconnects.
 *
 * Start-time fair queue: each lane (an API key) is charged the milliseconds of its work, and the lane
 * with the lowest charge is served next. A lane that was idle starts at the virtual time of the queue,
 * so idle time earns no credit.
 */
import type { Caller } from '../../core/caller.ts';
import { clientLeft } from '../../core/deadline.ts';
import { ApiError } from '../../core/errors.ts';

export interface Waiting {
  readonly lane: string;
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

interface Lane<Item> {
  /** Oldest first, never empty. */
  items: Item[];
  /** Of lanes with the same charge, the one with the lowest turn is served. */
  turn: number;
}

/**
 * Charges of lanes behind the virtual time have no effect; they are removed when there are more
 * lanes than this.
 */
const CHARGES_MAX = 4096;

export class BoundedQueue<Item extends Waiting> {
  readonly #options: BoundedQueueOptions;
  readonly #lanes = new Map<string, Lane<Item>>();
  #firstTurn = 0;
  #lastTurn = 0;
  /** Virtual time until which a lane has been served, in ms of work. */
  readonly #chargedMs = new Map<string, number>();
  /** Start charge of the lane that was served last. */
  #virtualMs = 0;
  #size = 0;

  constructor(options: BoundedQueueOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#size;
  }

  /** True if all waiting items are of one lane, so that the next one is certain until another adds. */
  get isOneLane(): boolean {
    return this.#lanes.size === 1;
  }

  /**
   * When the queue is full, the newest item of the longest lane is refused.
   * @param takenCount items that were taken and have not ended
   */
  add(item: Item, takenCount: number): void {
    const lane = this.#lanes.get(item.lane);
    if (this.#size + takenCount >= this.#options.itemsMax) {
      const displaced = this.#makeRoom((lane?.items.length ?? 0) + 1);
      (displaced ?? item).reject(this.#tooMany('Too many search requests are waiting.'));
      if (displaced === undefined) return;
    }
    this.#size += 1;
    if (lane !== undefined) lane.items.push(item);
    else this.#lanes.set(item.lane, { items: [item], turn: ++this.#lastTurn });
  }

  /** Returns an item that `take` returned; it is the oldest of its lane, which is served again. */
  putBack(item: Item): void {
    const items = this.#lanes.get(item.lane)?.items ?? [];
    this.#lanes.set(item.lane, { items: [item, ...items], turn: --this.#firstTurn });
    this.#size += 1;
  }

  /** Charges the lane `ms` of work, whether or not its item had to wait. */
  charge(lane: string, ms: number): void {
    this.#chargedMs.set(lane, this.#startOf(lane) + ms);
    if (this.#chargedMs.size <= CHARGES_MAX) return;
    for (const [name, charged] of this.#chargedMs)
      if (charged <= this.#virtualMs) this.#chargedMs.delete(name);
  }

  /** Returns the next item whose client still waits. */
  take(nowMs: number): Item | undefined {
    for (;;) {
      const item = this.#takeNext();
      if (item === undefined || this.#isWanted(item, nowMs)) return item;
    }
  }

  dropUnwanted(nowMs: number): void {
    for (const [name, lane] of this.#lanes) {
      const items = lane.items.filter((item) => this.#isWanted(item, nowMs));
      this.#size -= lane.items.length - items.length;
      if (items.length > 0) lane.items = items;
      else this.#lanes.delete(name);
    }
  }

  rejectAll(error: ApiError): void {
    for (let item = this.#takeNext(); item !== undefined; item = this.#takeNext())
      item.reject(error);
  }

  #takeNext(): Item | undefined {
    let next: string | undefined;
    let [nextStartMs, nextTurn] = [Number.POSITIVE_INFINITY, 0];
    for (const [name, { turn }] of this.#lanes) {
      const startMs = this.#startOf(name);
      if (startMs > nextStartMs || (startMs === nextStartMs && turn > nextTurn)) continue;
      next = name;
      [nextStartMs, nextTurn] = [startMs, turn];
    }
    const lane = next === undefined ? undefined : this.#lanes.get(next);
    if (next === undefined || lane === undefined) return undefined;
    this.#virtualMs = Math.max(this.#virtualMs, nextStartMs);
    lane.turn = ++this.#lastTurn;
    if (lane.items.length === 1) this.#lanes.delete(next);
    this.#size -= 1;
    return lane.items.shift();
  }

  /** Removes and returns the newest item of the longest lane, if one is longer than `length`. */
  #makeRoom(length: number): Item | undefined {
    let longest: Item[] | undefined;
    for (const { items } of this.#lanes.values())
      if (items.length > (longest?.length ?? length)) longest = items;
    if (longest !== undefined) this.#size -= 1;
    return longest?.pop();
  }

  #startOf(lane: string): number {
    return Math.max(this.#virtualMs, this.#chargedMs.get(lane) ?? 0);
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

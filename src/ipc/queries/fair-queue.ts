/**
 * Start-time fair queue. Each lane (an API key) is charged the milliseconds of its work, and the
 * lane with the lowest charge is served next. A lane that was idle starts at the virtual time of
 * the queue, so idle time earns no credit.
 */
import { getOrCompute } from '../../core/get-or-compute.ts';

/**
 * Charges of lanes behind the virtual time have no effect; they are removed when there are more
 * lanes than this.
 */
const CHARGES_MAX = 4096;

export class FairQueue<Item> {
  /** Waiting items by lane, oldest first. Lanes are in the order in which they began to wait. */
  #lanes = new Map<string, Item[]>();
  /** Virtual time until which a lane has been served, in ms of work. */
  readonly #chargedMs = new Map<string, number>();
  /** Start charge of the lane that was served last. */
  #virtualMs = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get laneCount(): number {
    return this.#lanes.size;
  }

  add(name: string, item: Item): void {
    this.#laneOf(name).push(item);
    this.#size += 1;
  }

  /** Returns an item that `take` removed; it is the oldest of its lane. */
  putBack(name: string, item: Item): void {
    const lane = [item, ...(this.#lanes.get(name) ?? [])];
    this.#lanes.delete(name);
    this.#lanes = new Map([[name, lane], ...this.#lanes]);
    this.#size += 1;
  }

  /** Charges the lane `ms` of work, whether or not its item had to wait. */
  charge(name: string, ms: number): void {
    this.#chargedMs.set(name, this.#startOf(name) + ms);
    if (this.#chargedMs.size > CHARGES_MAX) this.#forgetPast();
  }

  take(): Item | undefined {
    let next: string | undefined;
    let nextStartMs = Number.POSITIVE_INFINITY;
    for (const name of this.#lanes.keys()) {
      const startMs = this.#startOf(name);
      if (startMs >= nextStartMs) continue;
      next = name;
      nextStartMs = startMs;
    }
    if (next === undefined) return undefined;
    this.#virtualMs = Math.max(this.#virtualMs, nextStartMs);
    const lane = this.#lanes.get(next) as Item[];
    // Queued behind lanes with the same charge.
    this.#lanes.delete(next);
    const item = lane.shift();
    if (lane.length > 0) this.#lanes.set(next, lane);
    this.#size -= 1;
    return item;
  }

  /**
   * Makes room for an item of the lane: removes and returns the newest item of the longest lane, or
   * undefined when no lane is longer than this one would be.
   */
  makeRoom(name: string): Item | undefined {
    let length = (this.#lanes.get(name)?.length ?? 0) + 1;
    let longest: Item[] | undefined;
    for (const lane of this.#lanes.values()) {
      if (lane.length <= length) continue;
      longest = lane;
      length = lane.length;
    }
    if (longest === undefined) return undefined;
    this.#size -= 1;
    return longest.pop();
  }

  /** Calls the predicate once for each item. */
  removeWhere(isRemoved: (item: Item) => boolean): Item[] {
    const removed: Item[] = [];
    for (const [name, lane] of [...this.#lanes]) {
      const kept: Item[] = [];
      for (const item of lane) (isRemoved(item) ? removed : kept).push(item);
      if (kept.length > 0) this.#lanes.set(name, kept);
      else this.#lanes.delete(name);
    }
    this.#size -= removed.length;
    return removed;
  }

  #laneOf(name: string): Item[] {
    return getOrCompute(this.#lanes, name, () => []);
  }

  #startOf(name: string): number {
    return Math.max(this.#virtualMs, this.#chargedMs.get(name) ?? 0);
  }

  #forgetPast(): void {
    for (const [name, ms] of this.#chargedMs)
      if (ms <= this.#virtualMs) this.#chargedMs.delete(name);
  }
}

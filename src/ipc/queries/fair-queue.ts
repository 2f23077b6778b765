/**
 * What waits, in lanes that have one turn each in a round: a lane with many items delays the others
 * by one item a round, and one that comes new does not wait for those that have just had a turn.
 */

/** First in, first out; the last in can be taken back. */
class Lane<Item> {
  #items: Item[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  add(item: Item): void {
    this.#items.push(item);
  }

  takeOldest(): Item | undefined {
    const item = this.#items[this.#head];
    this.#head += 1;
    if (this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  takeYoungest(): Item | undefined {
    return this.#items.pop();
  }

  /** Asks once of each. */
  removeWhere(isMeant: (item: Item) => boolean): Item[] {
    const kept: Item[] = [];
    const removed: Item[] = [];
    for (const item of this.#items.slice(this.#head)) (isMeant(item) ? removed : kept).push(item);
    this.#items = kept;
    this.#head = 0;
    return removed;
  }
}

export class FairQueue<Item> {
  /** Lanes that have not had their turn of this round, and those that have; none is empty. */
  #now = new Map<string, Lane<Item>>();
  #next = new Map<string, Lane<Item>>();
  /** Who had a turn in this round. */
  readonly #served = new Set<string>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(name: string, item: Item): void {
    let lane = this.#now.get(name) ?? this.#next.get(name);
    if (lane === undefined) {
      lane = new Lane();
      (this.#served.has(name) ? this.#next : this.#now).set(name, lane);
    }
    lane.add(item);
    this.#size += 1;
  }

  /** Something of the lane had its turn without waiting. */
  passed(name: string): void {
    this.#served.add(name);
  }

  /** Removes and returns the next item. */
  take(): Item | undefined {
    if (this.#now.size === 0) this.#beginRound();
    for (const [name, lane] of this.#now) {
      const item = lane.takeOldest();
      this.#now.delete(name);
      this.#served.add(name);
      if (lane.size > 0) this.#next.set(name, lane);
      this.#size -= 1;
      return item;
    }
    return undefined;
  }

  /**
   * Makes room for an item of the lane: removes and returns the youngest of the longest one;
   * undefined when none is longer than this one would be.
   */
  makeRoom(name: string): Item | undefined {
    let length = (this.#now.get(name) ?? this.#next.get(name))?.size ?? 0;
    length += 1;
    let longest: Lane<Item> | undefined;
    for (const [, lane] of this.#lanes()) {
      if (lane.size <= length) continue;
      longest = lane;
      length = lane.size;
    }
    if (longest === undefined) return undefined;
    this.#size -= 1;
    return longest.takeYoungest();
  }

  removeWhere(isMeant: (item: Item) => boolean): Item[] {
    const removed: Item[] = [];
    for (const [name, lane] of [...this.#lanes()]) {
      removed.push(...lane.removeWhere(isMeant));
      if (lane.size > 0) continue;
      this.#now.delete(name);
      this.#next.delete(name);
    }
    this.#size -= removed.length;
    return removed;
  }

  #beginRound(): void {
    [this.#now, this.#next] = [this.#next, this.#now];
    this.#served.clear();
  }

  *#lanes(): Iterable<[string, Lane<Item>]> {
    yield* this.#now;
    yield* this.#next;
  }
}

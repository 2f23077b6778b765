/**
 * What waits, in lanes: whoever takes gets the oldest of each lane in turn, so that a lane with many
 * items delays the others by one item each time round.
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
  /** None is empty; the next to be taken from stands first. */
  readonly #lanes = new Map<string, Lane<Item>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(name: string, item: Item): void {
    let lane = this.#lanes.get(name);
    if (lane === undefined) {
      lane = new Lane();
      this.#lanes.set(name, lane);
    }
    lane.add(item);
    this.#size += 1;
  }

  /** Removes and returns the next item. */
  take(): Item | undefined {
    for (const [name, lane] of this.#lanes) {
      const item = lane.takeOldest();
      this.#lanes.delete(name);
      if (lane.size > 0) this.#lanes.set(name, lane);
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
    let length = (this.#lanes.get(name)?.size ?? 0) + 1;
    let longest: Lane<Item> | undefined;
    for (const lane of this.#lanes.values()) {
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
    for (const [name, lane] of this.#lanes) {
      removed.push(...lane.removeWhere(isMeant));
      if (lane.size === 0) this.#lanes.delete(name);
    }
    this.#size -= removed.length;
    return removed;
  }
}

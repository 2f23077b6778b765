/** A binary heap of tagged numbers: the one with the least key comes first. */

export interface HeapEntry {
  readonly key: number;
  readonly tag: number;
  readonly value: number;
}

export class MinHeap {
  readonly #entries: HeapEntry[] = [];

  get size(): number {
    return this.#entries.length;
  }

  push(key: number, tag: number, value: number): void {
    const entries = this.#entries;
    const entry = { key, tag, value };
    let at = entries.length;
    entries.push(entry);
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (entries[parent]!.key <= key) break;
      entries[at] = entries[parent]!;
      at = parent;
    }
    entries[at] = entry;
  }

  /** The heap must not be empty. */
  pop(): HeapEntry {
    const entries = this.#entries;
    const least = entries[0]!;
    const last = entries.pop()!;
    if (entries.length > 0) this.#sink(last);
    return least;
  }

  #sink(entry: HeapEntry): void {
    const entries = this.#entries;
    const half = entries.length >>> 1;
    let at = 0;
    while (at < half) {
      let child = at * 2 + 1;
      if (child + 1 < entries.length && entries[child + 1]!.key < entries[child]!.key) child += 1;
      if (entries[child]!.key >= entry.key) break;
      entries[at] = entries[child]!;
      at = child;
    }
    entries[at] = entry;
  }
}

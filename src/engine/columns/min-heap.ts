/** A binary min-heap of tagged numbers in typed arrays: the least key comes first. */
import { doubled } from '../../core/doubled.ts';

const CAPACITY_MIN = 64;

export class MinHeap {
  #keys = new Float64Array(CAPACITY_MIN);
  #tags = new Int32Array(CAPACITY_MIN);
  #values = new Uint32Array(CAPACITY_MIN);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Key of the first entry; the heap must not be empty. */
  get key(): number {
    return this.#keys[0]!;
  }
  get tag(): number {
    return this.#tags[0]!;
  }
  get value(): number {
    return this.#values[0]!;
  }

  push(key: number, tag: number, value: number): void {
    if (this.#size === this.#keys.length) this.#grow();
    const keys = this.#keys;
    let at = this.#size++;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (keys[parent]! <= key) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#place(at, key, tag, value);
  }

  /** Removes the first entry; the heap must not be empty. */
  drop(): void {
    const last = --this.#size;
    if (last > 0) this.#sink(this.#keys[last]!, this.#tags[last]!, this.#values[last]!);
  }

  #sink(key: number, tag: number, value: number): void {
    const keys = this.#keys;
    const size = this.#size;
    let at = 0;
    for (let child = 1; child < size; child = at * 2 + 1) {
      if (child + 1 < size && keys[child + 1]! < keys[child]!) child++;
      if (keys[child]! >= key) break;
      this.#move(child, at);
      at = child;
    }
    this.#place(at, key, tag, value);
  }

  #move(from: number, to: number): void {
    this.#keys[to] = this.#keys[from]!;
    this.#tags[to] = this.#tags[from]!;
    this.#values[to] = this.#values[from]!;
  }

  #place(at: number, key: number, tag: number, value: number): void {
    this.#keys[at] = key;
    this.#tags[at] = tag;
    this.#values[at] = value;
  }

  #grow(): void {
    this.#keys = doubled(this.#keys);
    this.#tags = doubled(this.#tags);
    this.#values = doubled(this.#values);
  }
}

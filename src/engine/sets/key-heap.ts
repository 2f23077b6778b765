/**
 * Binary min-heap of numbers: building it costs less than sorting, so taking a few of the least of
 * many is cheap.
 */
export class KeyHeap {
  readonly #keys: Float64Array;
  #size: number;

  /** Takes ownership of `keys`. */
  constructor(keys: Float64Array) {
    this.#keys = keys;
    this.#size = keys.length;
    for (let at = (this.#size >>> 1) - 1; at >= 0; at--) this.#sink(at, keys[at]!);
  }

  get size(): number {
    return this.#size;
  }

  /** The heap must not be empty. */
  get least(): number {
    return this.#keys[0]!;
  }

  /** Removes the least key. */
  drop(): void {
    const last = --this.#size;
    if (last > 0) this.#sink(0, this.#keys[last]!);
  }

  #sink(from: number, key: number): void {
    const keys = this.#keys;
    const size = this.#size;
    let at = from;
    for (let child = at * 2 + 1; child < size; child = at * 2 + 1) {
      if (child + 1 < size && keys[child + 1]! < keys[child]!) child++;
      if (keys[child]! >= key) break;
      keys[at] = keys[child]!;
      at = child;
    }
    keys[at] = key;
  }
}

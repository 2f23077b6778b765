/** A map of bounded size that evicts the least recently used entry. */
export class LruMap<Key, Value> {
  readonly #countMax: number;
  readonly #onForgotten: (value: Value) => void;
  /** In order of use, least recent first. */
  readonly #entries = new Map<Key, Value>();

  /** @param onForgotten called with each evicted entry, not with deleted entries */
  constructor(countMax: number, onForgotten: (value: Value) => void = () => undefined) {
    this.#countMax = countMax;
    this.#onForgotten = onForgotten;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Counts as a use. */
  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  getOrMake(key: Key, make: () => Value): Value {
    const known = this.get(key);
    if (known !== undefined) return known;
    const value = make();
    this.set(key, value);
    return value;
  }

  /** Does not count as a use. */
  peek(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    for (const [oldest, forgotten] of this.#entries) {
      if (this.#entries.size <= this.#countMax) return;
      this.#entries.delete(oldest);
      this.#onForgotten(forgotten);
    }
  }

  delete(key: Key): void {
    this.#entries.delete(key);
  }

  /** Least recently used entry first. */
  entries(): [Key, Value][] {
    return [...this.#entries];
  }
}

/**
 * What was computed before, in bounded space: all of it is forgotten when it is full, so that a
 * look-up moves nothing.
 */
export class MemoMap<Key, Value> {
  readonly #countMax: number;
  readonly #values = new Map<Key, Value>();

  constructor(countMax: number) {
    this.#countMax = countMax;
  }

  get(key: Key): Value | undefined {
    return this.#values.get(key);
  }

  set(key: Key, value: Value): void {
    if (this.#values.size >= this.#countMax) this.#values.clear();
    this.#values.set(key, value);
  }

  /** @param compute never gives undefined */
  getOrCompute(key: Key, compute: (key: Key) => Value): Value {
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const value = compute(key);
    this.set(key, value);
    return value;
  }
}

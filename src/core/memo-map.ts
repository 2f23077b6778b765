/** A bounded memo. A full memo is cleared completely, so that look-ups need no bookkeeping. */
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

  /** @param compute must not return undefined */
  getOrCompute(key: Key, compute: (key: Key) => Value): Value {
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const value = compute(key);
    this.set(key, value);
    return value;
  }
}

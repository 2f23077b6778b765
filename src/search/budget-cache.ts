/** Least recently used entries within a byte budget; an entry larger than a quarter of the budget is not kept. */
export class BudgetCache<Value> {
  readonly #bytesMax: number;
  readonly #entries = new Map<string, { readonly value: Value; readonly bytes: number }>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: Value, bytes: number): void {
    if (bytes * 4 > this.#bytesMax || this.#entries.has(key)) return;
    this.#entries.set(key, { value, bytes });
    this.#bytes += bytes;
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.#bytesMax) return;
      this.#entries.delete(oldest);
      this.#bytes -= entry.bytes;
    }
  }
}

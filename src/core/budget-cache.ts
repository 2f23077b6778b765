/**
 * Entries within a byte budget. When it is exceeded, the oldest goes, unless it has been used since
 * it was last looked at: then it has another round (the second-chance policy, under which a use
 * costs a flag and no reordering). Small entries have a share for themselves, so that a search over
 * large ones does not push many small ones out; an entry larger than a quarter of what is left for
 * the large ones is not kept.
 */
const SMALL_BYTES_MAX = 4096;
/** One byte in so many is for small entries. */
const SMALL_SHARE = 8;

interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
  isUsed: boolean;
}

export interface CacheFigures {
  readonly hits: number;
  readonly misses: number;
  readonly bytes: number;
}

export class BudgetCache<Value> {
  readonly #small: Shelf<Value>;
  readonly #large: Shelf<Value>;
  #hits = 0;
  #misses = 0;

  constructor(bytesMax: number) {
    this.#small = new Shelf(Math.floor(bytesMax / SMALL_SHARE));
    this.#large = new Shelf(bytesMax - Math.floor(bytesMax / SMALL_SHARE));
  }

  get(key: string): Value | undefined {
    const value = this.#small.get(key) ?? this.#large.get(key);
    if (value === undefined) this.#misses++;
    else this.#hits++;
    return value;
  }

  /** Looks for entries so far, and what is kept now. */
  get figures(): CacheFigures {
    const { bytes } = this.#small;
    return { hits: this.#hits, misses: this.#misses, bytes: bytes + this.#large.bytes };
  }

  /** Keeps the value, in the place of the one under the key, unless it is too large. */
  set(key: string, value: Value, bytes: number): void {
    const isUsed = this.delete(key);
    (bytes <= SMALL_BYTES_MAX ? this.#small : this.#large).set(key, value, bytes, isUsed);
  }

  /** Whether an entry was there and had been used. */
  delete(key: string): boolean {
    return this.#small.delete(key) || this.#large.delete(key);
  }

  /** Lets go of every entry whose key begins so. Costs a look at each key. */
  forget(prefix: string): void {
    this.#small.forget(prefix);
    this.#large.forget(prefix);
  }
}

class Shelf<Value> {
  readonly #bytesMax: number;
  /** In the order of being looked at. */
  readonly #entries = new Map<string, Entry<Value>>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    entry.isUsed = true;
    return entry.value;
  }

  set(key: string, value: Value, bytes: number, isUsed: boolean): void {
    if (bytes * 4 > this.#bytesMax) return;
    this.#entries.set(key, { value, bytes, isUsed });
    this.#bytes += bytes;
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.#bytesMax) return;
      this.#entries.delete(oldest);
      if (entry.isUsed) {
        entry.isUsed = false;
        this.#entries.set(oldest, entry);
      } else this.#bytes -= entry.bytes;
    }
  }

  /** Whether an entry was there and had been used. */
  delete(key: string): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
    return entry.isUsed;
  }

  forget(prefix: string): void {
    for (const [key, { bytes }] of this.#entries) {
      if (!key.startsWith(prefix)) continue;
      this.#entries.delete(key);
      this.#bytes -= bytes;
    }
  }
}

/**
 * Entries within a byte budget. When it is exceeded, the oldest goes, unless it has been used since
 * it was last looked at: then it has another round (the second-chance policy, under which a use
 * costs a flag and no reordering). Small entries have a share for themselves, so that a search over
 * large ones does not push many small ones out; large ones have what small ones leave of the whole.
 * An entry larger than a quarter of what the share leaves is not kept.
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
  readonly #bytesMax: number;
  readonly #smallBytesMax: number;
  readonly #small = new Shelf<Value>();
  readonly #large = new Shelf<Value>();
  #hits = 0;
  #misses = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
    this.#smallBytesMax = Math.floor(bytesMax / SMALL_SHARE);
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
    const isSmall = bytes <= SMALL_BYTES_MAX;
    const share = isSmall ? this.#smallBytesMax : this.#bytesMax - this.#smallBytesMax;
    if (bytes * 4 > share) return;
    (isSmall ? this.#small : this.#large).set(key, { value, bytes, isUsed });
    this.#small.trim(this.#smallBytesMax);
    this.#large.trim(this.#bytesMax - this.#small.bytes);
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
  /** In the order of being looked at. */
  readonly #entries = new Map<string, Entry<Value>>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    entry.isUsed = true;
    return entry.value;
  }

  set(key: string, entry: Entry<Value>): void {
    this.#entries.set(key, entry);
    this.#bytes += entry.bytes;
  }

  /** Lets the oldest go until no more than so many bytes are left. */
  trim(bytesMax: number): void {
    if (this.#bytes <= bytesMax) return;
    for (const [oldest, entry] of this.#entries) {
      this.#entries.delete(oldest);
      if (entry.isUsed) {
        entry.isUsed = false;
        this.#entries.set(oldest, entry);
      } else this.#bytes -= entry.bytes;
      if (this.#bytes <= bytesMax) return;
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

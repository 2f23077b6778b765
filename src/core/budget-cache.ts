/**
 * Entries within a byte budget. When it is exceeded, what is worth least a byte goes: what it cost
 * to make, times how often it was asked for lately, divided by what it weighs. A few entries are
 * looked at and the worst of them goes, the newest among them, so that a search over much that
 * nobody asks for again pushes nothing out that is asked for. An entry larger than a quarter of the
 * budget is not kept.
 */

/** Entries that are looked at before one goes. */
const LOOKED_AT = 16;
/** Uses count half after so many looks for any entry. */
const HALF_LIFE = 5000;
/** What looking for an entry and keeping it costs beside making it, in milliseconds. */
const COST_MIN = 0.005;
const ENTRY_BYTES = 64;

interface Entry<Value> {
  readonly key: string;
  readonly value: Value;
  readonly bytes: number;
  /** What it cost to make for each byte. */
  readonly density: number;
  /** Uses, as they counted at the last one. */
  uses: number;
  /** Looks for any entry until the last use. */
  usedAt: number;
  /** Where it stands in the list of all. */
  place: number;
}

export interface CacheFigures {
  readonly hits: number;
  readonly misses: number;
  readonly bytes: number;
}

export class BudgetCache<Value> {
  readonly #bytesMax: number;
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #list: Entry<Value>[] = [];
  #bytes = 0;
  #hits = 0;
  #misses = 0;
  /** Which entries are looked at: any walk does that has nothing to do with their order. */
  #step = 1;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      this.#misses++;
      return undefined;
    }
    this.#hits++;
    const now = this.#hits + this.#misses;
    entry.uses = usesAt(entry, now) + 1;
    entry.usedAt = now;
    return entry.value;
  }

  /** Looks for entries so far, and what is kept now. */
  get figures(): CacheFigures {
    return { hits: this.#hits, misses: this.#misses, bytes: this.#bytes };
  }

  /**
   * Keeps the value, in the place of the one under the key, unless it is too large or worth less
   * than what would have to go. @param costMs what it took to make
   */
  set(key: string, value: Value, bytes: number, costMs: number): void {
    const earlier = this.#entries.get(key);
    if (earlier) this.#remove(earlier);
    if (bytes * 4 > this.#bytesMax) return;
    const entry: Entry<Value> = {
      ...{ key, value, bytes },
      density: (costMs + COST_MIN) / (bytes + ENTRY_BYTES),
      uses: earlier?.uses ?? 1,
      usedAt: earlier?.usedAt ?? this.#hits + this.#misses,
      place: 0,
    };
    this.#add(entry);
    while (this.#bytes > this.#bytesMax) this.#remove(this.#worst(entry));
  }

  /** What has become of a value that is kept; it costs what that one did. */
  renew(key: string, value: Value, bytes: number): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    const costMs = entry.density * (entry.bytes + ENTRY_BYTES) - COST_MIN;
    this.set(key, value, bytes, costMs);
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry) this.#remove(entry);
  }

  /** Lets go of every entry whose key begins so. Costs a look at each key. */
  forget(prefix: string): void {
    for (const [key, entry] of this.#entries) if (key.startsWith(prefix)) this.#remove(entry);
  }

  #add(entry: Entry<Value>): void {
    entry.place = this.#list.push(entry) - 1;
    this.#entries.set(entry.key, entry);
    this.#bytes += entry.bytes;
  }

  #remove({ key, bytes, place }: Entry<Value>): void {
    const last = this.#list.pop() as Entry<Value>;
    if (place < this.#list.length) {
      this.#list[place] = last;
      last.place = place;
    }
    this.#entries.delete(key);
    this.#bytes -= bytes;
  }

  #worst(newest: Entry<Value>): Entry<Value> {
    const now = this.#hits + this.#misses;
    let worst = this.#entries.get(newest.key) ?? this.#next();
    let least = worst.density * usesAt(worst, now);
    for (let i = 0; i < LOOKED_AT; i++) {
      const entry = this.#next();
      const worth = entry.density * usesAt(entry, now);
      if (worth >= least) continue;
      worst = entry;
      least = worth;
    }
    return worst;
  }

  #next(): Entry<Value> {
    this.#step = (Math.imul(this.#step, 1664525) + 1013904223) >>> 0;
    return this.#list[Math.floor((this.#step / 2 ** 32) * this.#list.length)] as Entry<Value>;
  }
}

const usesAt = ({ uses, usedAt }: { uses: number; usedAt: number }, now: number): number =>
  uses * 2 ** ((usedAt - now) / HALF_LIFE);

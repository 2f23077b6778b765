/**
 * A cache with a byte budget. Eviction samples a few entries, the newest included, and drops the
 * one with the lowest cost × recent uses ÷ bytes. Including the newest entry makes the cache
 * resistant to scans of entries that are used once. A value larger than a quarter of the budget is
 * not cached. Keys and the memory of an entry itself count. Several caches may share a budget, each
 * with its own keys.
 */
import { doubled } from './doubled.ts';
import { flatText } from './flat-text.ts';

/** Entries sampled for each eviction. */
const LOOKED_AT = 16;
/** Look-ups, of any entries, after which the use counts are halved. */
const HALF_LIFE = 5000;
/** Milliseconds of a look-up and an insertion, added to the cost of computing the value. */
const COST_MIN = 0.005;
/** Memory of an entry, its places in the lists and a short key; measured on Node 20. */
const ENTRY_BYTES = 200;
const KEY_CHARACTER_BYTES = 2;
const FIRST_PLACES = 64;

type EntryKey = number | string;
type Entries<Value> = Map<EntryKey, Entry<Value>>;

interface Entry<Value> {
  /** Entries of the entry's own cache, by key. */
  readonly siblings: Entries<Value>;
  readonly key: EntryKey;
  readonly value: Value;
  /** Of the value, the key and the entry. */
  readonly bytes: number;
  /** Index in the list of all entries. */
  place: number;
}

/** Eviction scores by index, as parallel typed arrays: most samples read entries that stay. */
class Worths {
  /** Milliseconds per byte to compute the entry. */
  density = new Float64Array(FIRST_PLACES);
  /** Use count, decayed up to the last use. */
  uses = new Float64Array(FIRST_PLACES);
  /** Number of look-ups in the cache at the last use. */
  usedAt = new Float64Array(FIRST_PLACES);

  reserve(place: number): void {
    if (place < this.density.length) return;
    this.density = doubled(this.density);
    this.uses = doubled(this.uses);
    this.usedAt = doubled(this.usedAt);
  }

  move(from: number, to: number): void {
    this.density[to] = numberAt(this.density, from);
    this.uses[to] = numberAt(this.uses, from);
    this.usedAt[to] = numberAt(this.usedAt, from);
  }

  usesAt(place: number, now: number): number {
    const uses = numberAt(this.uses, place);
    return uses * 2 ** ((numberAt(this.usedAt, place) - now) / HALF_LIFE);
  }

  at(place: number, now: number): number {
    return numberAt(this.density, place) * this.usesAt(place, now);
  }
}

const entryBytes = (key: EntryKey): number =>
  ENTRY_BYTES + (typeof key === 'string' ? KEY_CHARACTER_BYTES * key.length : 0);

const numberAt = (numbers: Float64Array, place: number): number => numbers[place] as number;

export interface CacheFigures {
  readonly hits: number;
  readonly misses: number;
  readonly bytes: number;
}

class Budget<Value> {
  readonly #bytesMax: number;
  readonly #list: Entry<Value>[] = [];
  readonly #worths = new Worths();
  #bytes = 0;
  #hits = 0;
  #misses = 0;
  /**
   * Step through the list of entries when sampling. Any order unrelated to the insertion order
   * works.
   */
  #step = 1;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get figures(): CacheFigures {
    return { hits: this.#hits, misses: this.#misses, bytes: this.#bytes };
  }

  missed(): void {
    this.#misses++;
  }

  used({ place }: Entry<Value>): void {
    this.#hits++;
    const now = this.#hits + this.#misses;
    this.#worths.uses[place] = this.#worths.usesAt(place, now) + 1;
    this.#worths.usedAt[place] = now;
  }

  /** Milliseconds that the entry cost to compute. */
  costMs({ place, bytes }: Entry<Value>): number {
    return numberAt(this.#worths.density, place) * bytes - COST_MIN;
  }

  /** Takes over the index and the use count of the entry that had this key. */
  add(
    siblings: Entries<Value>,
    key: EntryKey,
    { value, bytes: valueBytes, costMs }: { value: Value; bytes: number; costMs: number },
  ): void {
    const worths = this.#worths;
    const earlier = siblings.get(key);
    const uses = earlier ? numberAt(worths.uses, earlier.place) : 1;
    const usedAt = earlier ? numberAt(worths.usedAt, earlier.place) : this.#hits + this.#misses;
    if (earlier) this.remove(earlier);
    if (valueBytes * 4 > this.#bytesMax) return;
    const bytes = valueBytes + entryBytes(key);
    const place = this.#list.length;
    worths.reserve(place);
    worths.density[place] = (costMs + COST_MIN) / bytes;
    worths.uses[place] = uses;
    worths.usedAt[place] = usedAt;
    const entry = { siblings, key, value, bytes, place };
    this.#list.push(entry);
    siblings.set(typeof key === 'string' ? flatText(key) : key, entry);
    this.#bytes += bytes;
    while (this.#bytes > this.#bytesMax) this.remove(this.#worst(siblings.get(key)));
  }

  remove({ siblings, key, bytes, place }: Entry<Value>): void {
    const last = this.#list.pop() as Entry<Value>;
    if (place < this.#list.length) {
      this.#worths.move(last.place, place);
      this.#list[place] = last;
      last.place = place;
    }
    siblings.delete(key);
    this.#bytes -= bytes;
  }

  #worst(newest: Entry<Value> | undefined): Entry<Value> {
    const now = this.#hits + this.#misses;
    const worths = this.#worths;
    let worst = newest?.place ?? this.#nextPlace();
    let least = worths.at(worst, now);
    for (let i = 0; i < LOOKED_AT; i++) {
      const place = this.#nextPlace();
      const worth = worths.at(place, now);
      if (worth >= least) continue;
      worst = place;
      least = worth;
    }
    return this.#list[worst] as Entry<Value>;
  }

  #nextPlace(): number {
    this.#step = (Math.imul(this.#step, 1664525) + 1013904223) >>> 0;
    return Math.floor((this.#step / 2 ** 32) * this.#list.length);
  }
}

export class BudgetCache<Value, Key extends EntryKey = string> {
  readonly #budget: Budget<Value>;
  readonly #entries: Entries<Value> = new Map();

  /** @param shared a budget in bytes for this cache alone, or a cache to share the budget with */
  constructor(shared: number | BudgetCache<Value, EntryKey>) {
    this.#budget = typeof shared === 'number' ? new Budget(shared) : shared.#budget;
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      this.#budget.missed();
      return undefined;
    }
    this.#budget.used(entry);
    return entry.value;
  }

  /** Look-ups so far and current contents, over all caches of the budget. */
  get figures(): CacheFigures {
    return this.#budget.figures;
  }

  /**
   * Caches the value, replacing the entry of the key. A value that is too large, or scores lower
   * than the entries to evict, is not cached.
   * @param bytes memory of the value
   * @param costMs milliseconds that it took to compute the value
   */
  set(key: Key, value: Value, bytes: number, costMs: number): void {
    this.#budget.add(this.#entries, key, { value, bytes, costMs });
  }

  /** Replaces the value of an existing entry and keeps its cost. */
  renew(key: Key, value: Value, bytes: number): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.set(key, value, bytes, this.#budget.costMs(entry));
  }

  delete(key: Key): void {
    const entry = this.#entries.get(key);
    if (entry) this.#budget.remove(entry);
  }

  clear(): void {
    for (const entry of this.#entries.values()) this.#budget.remove(entry);
  }
}

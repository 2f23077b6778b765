/**
 * Entries within a byte budget. When it is exceeded, what is worth least a byte goes: what it cost
 * to make, times how often it was asked for lately, divided by what it weighs. A few entries are
 * looked at and the worst of them goes, the newest among them, so that a search over much that
 * nobody asks for again pushes nothing out that is asked for. An entry larger than a quarter of the
 * budget is not kept. Caches may share a budget, each with keys of its own.
 */
import { doubled } from './doubled.ts';

/** Entries that are looked at before one goes. */
const LOOKED_AT = 16;
/** Uses count half after so many looks for any entry. */
const HALF_LIFE = 5000;
/** What looking for an entry and keeping it costs beside making it, in milliseconds. */
const COST_MIN = 0.005;
const ENTRY_BYTES = 88;
const FIRST_PLACES = 64;

type EntryKey = number | string;
type Entries<Value> = Map<EntryKey, Entry<Value>>;

interface Entry<Value> {
  /** Those of its cache, by key. */
  readonly siblings: Entries<Value>;
  readonly key: EntryKey;
  readonly value: Value;
  readonly bytes: number;
  /** Where it stands in the list of all. */
  place: number;
}

/** What entries are worth, by place, as numbers side by side: most looks are at entries that stay. */
class Worths {
  /** What an entry cost to make for each byte. */
  density = new Float64Array(FIRST_PLACES);
  /** Uses, as they counted at the last one. */
  uses = new Float64Array(FIRST_PLACES);
  /** Looks for any entry until the last use. */
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

const numberAt = (numbers: Float64Array, place: number): number => numbers[place] as number;

export interface CacheFigures {
  readonly hits: number;
  readonly misses: number;
  readonly bytes: number;
}

/** The entries of all caches that share the bytes. */
class Budget<Value> {
  readonly #bytesMax: number;
  readonly #list: Entry<Value>[] = [];
  readonly #worths = new Worths();
  #bytes = 0;
  #hits = 0;
  #misses = 0;
  /** Which entries are looked at: any walk does that has nothing to do with their order. */
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

  /** What the entry cost to make. */
  costMs({ place, bytes }: Entry<Value>): number {
    return numberAt(this.#worths.density, place) * (bytes + ENTRY_BYTES) - COST_MIN;
  }

  /** Takes the place and the uses of the sibling under its key. */
  add(
    siblings: Entries<Value>,
    key: EntryKey,
    { value, bytes, costMs }: { readonly value: Value; readonly bytes: number; costMs: number },
  ): void {
    const worths = this.#worths;
    const earlier = siblings.get(key);
    const uses = earlier ? numberAt(worths.uses, earlier.place) : 1;
    const usedAt = earlier ? numberAt(worths.usedAt, earlier.place) : this.#hits + this.#misses;
    if (earlier) this.remove(earlier);
    if (bytes * 4 > this.#bytesMax) return;
    const place = this.#list.length;
    worths.reserve(place);
    worths.density[place] = (costMs + COST_MIN) / (bytes + ENTRY_BYTES);
    worths.uses[place] = uses;
    worths.usedAt[place] = usedAt;
    const entry = { siblings, key, value, bytes, place };
    this.#list.push(entry);
    siblings.set(key, entry);
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

  /** @param shared bytes for this cache alone, or another one, to share those that it has */
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

  /** Looks for entries so far, and what is kept now, in all caches of the budget. */
  get figures(): CacheFigures {
    return this.#budget.figures;
  }

  /**
   * Keeps the value, in the place of the one under the key, unless it is too large or worth less
   * than what would have to go. @param costMs what it took to make
   */
  set(key: Key, value: Value, bytes: number, costMs: number): void {
    this.#budget.add(this.#entries, key, { value, bytes, costMs });
  }

  /** What has become of a value that is kept; it costs what that one did. */
  renew(key: Key, value: Value, bytes: number): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.set(key, value, bytes, this.#budget.costMs(entry));
  }

  delete(key: Key): void {
    const entry = this.#entries.get(key);
    if (entry) this.#budget.remove(entry);
  }

  /** Lets go of every entry. */
  clear(): void {
    for (const entry of this.#entries.values()) this.#budget.remove(entry);
  }
}

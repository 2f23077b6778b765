/**
 * Maps numbers to numbers: open addressing with linear probing in one array, at most half full, so that
 * a look-up mostly touches one place in memory.
 */

const FIRST_BITS = 10;
/** Odd multiplier that spreads keys over the high bits. */
export const SPREAD = 0x9e3779b1;

export class NumberTable {
  /** Pairs: a key plus 1 (0 = empty), and its value. */
  slots: Uint32Array;
  /** Of the product of a key and `SPREAD`, to the number of its first slot. */
  shift: number;
  #size = 0;

  /** @param bits room at the start for half of 2^bits entries */
  constructor(bits = FIRST_BITS) {
    this.slots = new Uint32Array(2 << bits);
    this.shift = 32 - bits;
  }

  /** The value, or −1. @param key below 2³² − 1 */
  get(key: number): number {
    const slots = this.slots;
    const at = this.#slotOf(key);
    return slots[at] === 0 ? -1 : slots[at + 1]!;
  }

  set(key: number, value: number): void {
    const at = this.#slotOf(key);
    this.slots[at + 1] = value;
    if (this.slots[at] !== 0) return;
    this.slots[at] = key + 1;
    if (++this.#size * 4 >= this.slots.length) this.#grow();
  }

  /** Adds 1 to the value and returns it; a missing one is 0. */
  count(key: number): number {
    const at = this.#slotOf(key);
    if (this.slots[at] !== 0) return ++this.slots[at + 1]!;
    this.set(key, 1);
    return 1;
  }

  /** Visits all entries, in no order. */
  forEachEntry(visit: (key: number, value: number) => void): void {
    const { slots } = this;
    for (let at = 0; at < slots.length; at += 2)
      if (slots[at] !== 0) visit(slots[at]! - 1, slots[at + 1]!);
  }

  /** Place of the key, or the free one for it. */
  #slotOf(key: number): number {
    const slots = this.slots;
    const mask = slots.length - 1;
    const held = (key + 1) >>> 0;
    let at = (Math.imul(key, SPREAD) >>> this.shift) << 1;
    while (slots[at] !== 0 && slots[at] !== held) at = (at + 2) & mask;
    return at;
  }

  #grow(): void {
    const old = this.slots;
    this.slots = new Uint32Array(old.length * 2);
    this.shift--;
    for (let at = 0; at < old.length; at += 2) {
      if (old[at] === 0) continue;
      const place = this.#slotOf(old[at]! - 1);
      this.slots[place] = old[at]!;
      this.slots[place + 1] = old[at + 1]!;
    }
  }
}

/** Growable list of 32-bit numbers. An empty one takes no room. */

const FIRST_ITEMS = 4;
const NO_ITEMS = new Uint32Array(0);

export class NumberList {
  items: Uint32Array = NO_ITEMS;
  length = 0;

  push(item: number): void {
    if (this.length === this.items.length) this.#grow();
    this.items[this.length++] = item;
  }

  #grow(): void {
    const grown = new Uint32Array(Math.max(FIRST_ITEMS, this.length * 2));
    grown.set(this.items);
    this.items = grown;
  }

  /** The items as a view; valid until the next `push`. */
  view(): Uint32Array {
    return this.items.subarray(0, this.length);
  }
}

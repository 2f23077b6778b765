/**
 * Trie over byte strings whose edges live in one open-addressing table: small, growable, and one
 * memory access a step.
 */

const FIRST_SLOTS = 1 << 10;
export const ROOT = 0;

/** Odd multiplier that spreads edge keys over the high bits. */
const EDGE_HASH = 0x9e3779b1;

export class ByteTrie {
  /** Pairs: `node << 8 | byte`, plus 1 (0 = empty), and the node it leads to. At most half full. */
  #slots = new Uint32Array(FIRST_SLOTS * 2);
  #shift = 32 - Math.log2(FIRST_SLOTS);
  #nodeCount = 1;

  get nodeCount(): number {
    return this.#nodeCount;
  }

  /** The node after `node` along `byte`, or −1. */
  child(node: number, byte: number): number {
    const slots = this.#slots;
    const key = ((node << 8) | byte) + 1;
    const mask = slots.length - 1;
    for (let at = (Math.imul(key, EDGE_HASH) >>> this.#shift) << 1; ; at = (at + 2) & mask) {
      const found = slots[at]!;
      if (found === key) return slots[at + 1]!;
      if (found === 0) return -1;
    }
  }

  /** Adds an edge that does not exist yet, to a new node. */
  #link(node: number, byte: number): number {
    if (this.#nodeCount * 4 >= this.#slots.length) this.#grow();
    this.#place(((node << 8) | byte) + 1, this.#nodeCount);
    return this.#nodeCount++;
  }

  /** Calls `visit` for each edge, in no order. A node's number is greater than its parent's. */
  forEachEdge(visit: (node: number, byte: number, child: number) => void): void {
    const slots = this.#slots;
    for (let at = 0; at < slots.length; at += 2) {
      const key = slots[at]! - 1;
      if (key >= 0) visit(key >>> 8, key & 0xff, slots[at + 1]!);
    }
  }

  /** The node of `bytes[start, end)`, made where it is missing. */
  insert(bytes: Uint8Array, start: number, end: number): number {
    let node = ROOT;
    for (let at = start; at < end; at++) {
      const next = this.child(node, bytes[at]!);
      node = next >= 0 ? next : this.#link(node, bytes[at]!);
    }
    return node;
  }

  #place(key: number, node: number): void {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let at = (Math.imul(key, EDGE_HASH) >>> this.#shift) << 1;
    while (slots[at] !== 0) at = (at + 2) & mask;
    slots[at] = key;
    slots[at + 1] = node;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(old.length * 2);
    this.#shift--;
    for (let at = 0; at < old.length; at += 2)
      if (old[at] !== 0) this.#place(old[at]!, old[at + 1]!);
  }
}

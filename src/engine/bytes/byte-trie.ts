/** Trie over byte strings whose edges are in one table. */
import { NumberTable } from './number-table.ts';

export const ROOT = 0;

export class ByteTrie {
  /** `node << 8 | byte` → the node it leads to. */
  readonly #edges = new NumberTable();
  #nodeCount = 1;

  get nodeCount(): number {
    return this.#nodeCount;
  }

  /** The node after `node` along `byte`, or −1. */
  child(node: number, byte: number): number {
    return this.#edges.get((node << 8) | byte);
  }

  /** Calls `visit` for each edge, in no order. A node's number is greater than its parent's. */
  forEachEdge(visit: (node: number, byte: number, child: number) => void): void {
    this.#edges.forEachEntry((edge, child) => visit(edge >>> 8, edge & 0xff, child));
  }

  /** The node of `bytes[start, end)`, made where it is missing. */
  insert(bytes: Uint8Array, start: number, end: number): number {
    let node = ROOT;
    for (let at = start; at < end; at++) {
      let next = this.child(node, bytes[at]!);
      if (next < 0) {
        next = this.#nodeCount++;
        this.#edges.set((node << 8) | bytes[at]!, next);
      }
      node = next;
    }
    return node;
  }
}

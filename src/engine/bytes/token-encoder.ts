/**
 * Encodes texts with a token table: the longest token at each place.
 *
 * The tokens' trie is laid out for the walk: nodes are numbered in preorder with the heaviest child
 * first, so most steps go from node `n` to `n + 1` and touch neighbouring memory; only the other
 * children are looked up in a hash table.
 */

import type { ByteBuffer } from './byte-buffer.ts';
import { ByteTrie } from './byte-trie.ts';
import { NumberTable, SPREAD } from './number-table.ts';
import type { TokenTable } from './token-table.ts';

/**
 * A node's word: its byte, whether it is its parent's heaviest child, whether it has other
 * children, its token + 1.
 */
const HEAVIEST = 0x100;
const STEP_MASK = 0x1ff;
const HAS_OTHERS = 0x200;
const TOKEN_SHIFT = 10;

/** The trie in walking order. */
interface Walk {
  readonly nodes: Uint32Array;
  /** Edges to other children: `node << 8 | byte` → the child. */
  readonly edges: NumberTable;
  /** Node after the first two bytes `a << 8 | b`, or 0. */
  readonly pairs: Uint32Array;
}

export class TokenEncoder {
  readonly #frequentCount: number;
  readonly #walk: Walk;
  /** Token of each single byte; every table has all of them. */
  readonly #singles = new Uint32Array(256);

  constructor(table: TokenTable) {
    this.#frequentCount = table.frequentCount;
    this.#walk = layOut(table);
    for (let token = 0; token < table.tokenCount; token++) {
      const start = table.starts[token]!;
      if (table.starts[token + 1]! - start === 1) this.#singles[table.bytes[start]!] = token;
    }
  }

  /** Appends the codes of `text` to `out`. */
  encode(text: Uint8Array, out: ByteBuffer): void {
    const end = text.length;
    out.reserve(end * 2);
    const codes = out.bytes;
    const frequentCount = this.#frequentCount;
    const { nodes, edges, pairs } = this.#walk;
    const { slots, shift } = edges;
    const mask = slots.length - 1;
    let length = out.length;
    for (let at = 0; at < end; ) {
      const first = text[at]!;
      let token = this.#singles[first]!;
      let next = at + 1;
      let node = next < end ? pairs[(first << 8) | text[next]!]! : 0;
      for (let ahead = at + 2; node > 0; ahead++) {
        const word = nodes[node]!;
        if (word >= 1 << TOKEN_SHIFT) {
          token = (word >>> TOKEN_SHIFT) - 1;
          next = ahead;
        }
        if (ahead === end) break;
        const byte = text[ahead]!;
        if ((nodes[node + 1]! & STEP_MASK) === (HEAVIEST | byte)) node++;
        else if (word & HAS_OTHERS) {
          // `NumberTable.get`, written out: a call takes a fifth longer.
          const edge = (node << 8) | byte;
          let slot = (Math.imul(edge, SPREAD) >>> shift) << 1;
          while (slots[slot] !== 0 && slots[slot] !== edge + 1) slot = (slot + 2) & mask;
          node = slots[slot] === 0 ? 0 : slots[slot + 1]!;
        } else break;
      }
      if (token < frequentCount) codes[length++] = token;
      else {
        const rest = token - frequentCount;
        codes[length++] = frequentCount + (rest >>> 8);
        codes[length++] = rest;
      }
      at = next;
    }
    out.length = length;
  }
}

function layOut(table: TokenTable): Walk {
  const trie = new ByteTrie();
  const ends = new Uint32Array(table.tokenCount);
  for (let token = 0; token < table.tokenCount; token++) {
    ends[token] = trie.insert(table.bytes, table.starts[token]!, table.starts[token + 1]!);
  }
  const tree = weigh(trie, ends);
  const numbers = numberNodes(tree);
  const nodes = new Uint32Array(trie.nodeCount + 1);
  const edges = new NumberTable();
  for (let node = 1; node < trie.nodeCount; node++) {
    const parent = tree.parents[node]!;
    const byte = tree.labels[node]!;
    const isHeaviest = tree.heaviest[parent] === node;
    nodes[numbers[node]!]! |= byte | (isHeaviest ? HEAVIEST : 0);
    if (isHeaviest) continue;
    nodes[numbers[parent]!]! |= HAS_OTHERS;
    edges.set((numbers[parent]! << 8) | byte, numbers[node]!);
  }
  for (let token = 0; token < table.tokenCount; token++)
    nodes[numbers[ends[token]!]!]! |= (token + 1) << TOKEN_SHIFT;
  const pairs = new Uint32Array(1 << 16);
  for (let node = 1; node < trie.nodeCount; node++) {
    const parent = tree.parents[node]!;
    if (parent !== 0 && tree.parents[parent] === 0)
      pairs[(tree.labels[parent]! << 8) | tree.labels[node]!] = numbers[node]!;
  }
  return { nodes, edges, pairs };
}

/**
 * The trie's shape by node: parent, byte of the edge from the parent, and the child below which the
 * most frequent tokens are (0 = none).
 */
interface Tree {
  readonly parents: Uint32Array;
  readonly labels: Uint8Array;
  readonly heaviest: Uint32Array;
}

function weigh(trie: ByteTrie, ends: Uint32Array): Tree {
  const count = trie.nodeCount;
  const parents = new Uint32Array(count);
  const labels = new Uint8Array(count);
  trie.forEachEdge((node, byte, child) => {
    parents[child] = node;
    labels[child] = byte;
  });
  const weights = new Float64Array(count);
  for (let token = 0; token < ends.length; token++) weights[ends[token]!]! += 1 / (token + 50);
  const heaviest = new Uint32Array(count);
  for (let node = count - 1; node > 0; node--) {
    const parent = parents[node]!;
    weights[parent]! += weights[node]!;
    if (heaviest[parent] === 0 || weights[node]! > weights[heaviest[parent]!]!)
      heaviest[parent] = node;
  }
  return { parents, labels, heaviest };
}

/** Preorder numbers with the heaviest child first; the root is 0. */
function numberNodes({ parents, heaviest }: Tree): Uint32Array {
  const count = parents.length;
  const firstOther = new Uint32Array(count);
  const nextOther = new Uint32Array(count);
  for (let node = 1; node < count; node++) {
    const parent = parents[node]!;
    if (heaviest[parent] === node) continue;
    nextOther[node] = firstOther[parent]!;
    firstOther[parent] = node;
  }
  const numbers = new Uint32Array(count);
  const waiting = [0];
  for (let number = 0; waiting.length > 0; ) {
    for (let node = waiting.pop()!; ; node = heaviest[node]!) {
      numbers[node] = number++;
      for (let other = firstOther[node]!; other !== 0; other = nextOther[other]!)
        waiting.push(other);
      if (heaviest[node] === 0) break;
    }
  }
  return numbers;
}

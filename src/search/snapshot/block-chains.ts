/**
 * Chains of blocks of words in memory that threads share: a key, then a value. A chain may change
 * while it is read, so that a read goes nowhere outside of the memory, but may get a mixture; its
 * caller finds that out (shared-cache.ts). Only the holder of the lock stores and frees.
 */

export const BLOCK_WORDS = 128;
export const BLOCK_BYTES = BLOCK_WORDS * 4;
/** Words of the state of the blocks. */
export const CHAIN_STATE_WORDS = 4;
/** Fewer words are copied one by one, which needs no view of them. */
const COPIED_SINGLY_MAX = 48;

/** Places in the state. Numbers of blocks are stored plus one; 0 = none. */
const FREE_BLOCK = 0;
const BLOCKS_USED = 1;
const BLOCKS_FREE = 2;

/** Words of a key, two UTF-16 code units each. */
export const keyWords = (key: string): number => (key.length + 1) >>> 1;

const keyWordAt = (key: string, i: number): number =>
  (key.charCodeAt(2 * i) | ((2 * i + 1 < key.length ? key.charCodeAt(2 * i + 1) : 0) << 16)) >>> 0;

export class BlockChains {
  readonly count: number;
  readonly #state: Int32Array;
  /** The next block of the chain or of the free ones, plus one. */
  readonly #nextBlocks: Int32Array;
  readonly #words: Uint32Array;

  /** @param words `BLOCK_WORDS` for each of `nextBlocks` */
  constructor(state: Int32Array, nextBlocks: Int32Array, words: Uint32Array) {
    this.count = nextBlocks.length;
    this.#state = state;
    this.#nextBlocks = nextBlocks;
    this.#words = words;
  }

  /** Blocks that hold keys and values. */
  get usedCount(): number {
    return this.#state[BLOCKS_USED]! - this.#state[BLOCKS_FREE]!;
  }

  /** Whether the chain begins with the key, of which it has the length. */
  hasKey(first: number, key: string): boolean {
    let block = first;
    const length = keyWords(key);
    for (let from = 0; from < length; from += BLOCK_WORDS) {
      if (block < 0 || block >= this.count) return false;
      const base = block * BLOCK_WORDS;
      const end = Math.min(length - from, BLOCK_WORDS);
      for (let i = 0; i < end; i++)
        if (this.#words[base + i] !== keyWordAt(key, from + i)) return false;
      block = this.#nextBlocks[block]! - 1;
    }
    return true;
  }

  /** Copies words of the chain after `skip` words, as many as `out` holds. */
  copy(first: number, skip: number, out: Uint32Array): void {
    let block = first;
    let from = skip;
    for (; from >= BLOCK_WORDS && this.#isBlock(block); from -= BLOCK_WORDS)
      block = this.#nextBlocks[block]! - 1;
    for (let at = 0; at < out.length && this.#isBlock(block); ) {
      const start = block * BLOCK_WORDS + from;
      const most = start + out.length - at;
      const end = Math.min(this.#runEnd(block, Math.ceil(most / BLOCK_WORDS)) * BLOCK_WORDS, most);
      if (end - start < COPIED_SINGLY_MAX)
        for (let i = start; i < end; i++) out[at + i - start] = this.#words[i]!;
      else out.set(this.#words.subarray(start, end), at);
      at += end - start;
      from = 0;
      block = this.#nextBlocks[Math.ceil(end / BLOCK_WORDS) - 1]! - 1;
    }
  }

  /** The end of the blocks that follow each other in memory as in the chain, at most `most`. */
  #runEnd(block: number, most: number): number {
    const limit = Math.min(most, this.count);
    let end = block + 1;
    while (end < limit && this.#nextBlocks[end - 1] === end + 1) end++;
    return end;
  }

  #isBlock(block: number): boolean {
    return block >= 0 && block < this.count;
  }

  /** Stores a key and a value in `count` free blocks; returns the first one. */
  store(key: string, parts: readonly Uint32Array[], count: number): number {
    const first = this.#take(count);
    const length = keyWords(key);
    let block = first;
    let at = 0;
    for (let i = 0; i < length; i++, at++) {
      if (at === BLOCK_WORDS) {
        block = this.#nextBlocks[block]! - 1;
        at = 0;
      }
      this.#words[block * BLOCK_WORDS + at] = keyWordAt(key, i);
    }
    for (const part of parts) {
      for (let from = 0; from < part.length; ) {
        if (at === BLOCK_WORDS) {
          block = this.#nextBlocks[block]! - 1;
          at = 0;
        }
        const base = block * BLOCK_WORDS;
        const runEnd = this.#runEnd(block, this.count);
        const end = Math.min(runEnd * BLOCK_WORDS - base, at + part.length - from);
        this.#put(part, from, base + at, end - at);
        from += end - at;
        block += Math.floor((end - 1) / BLOCK_WORDS);
        at = end - (block * BLOCK_WORDS - base);
      }
    }
    return first;
  }

  /** Copies words of a part into the blocks. */
  #put(part: Uint32Array, from: number, to: number, count: number): void {
    if (count < COPIED_SINGLY_MAX)
      for (let i = 0; i < count; i++) this.#words[to + i] = part[from + i]!;
    else if (count === part.length) this.#words.set(part, to);
    else this.#words.set(part.subarray(from, from + count), to);
  }

  /** Chains free blocks, those freed before first; there are enough of them. */
  #take(count: number): number {
    let first = -1;
    let last = -1;
    for (let i = 0; i < count; i++) {
      let block = this.#state[FREE_BLOCK]! - 1;
      if (block >= 0) {
        this.#state[FREE_BLOCK] = this.#nextBlocks[block]!;
        this.#state[BLOCKS_FREE]!--;
      } else block = this.#state[BLOCKS_USED]!++;
      if (last < 0) first = block;
      else this.#nextBlocks[last] = block + 1;
      last = block;
    }
    this.#nextBlocks[last] = 0;
    return first;
  }

  /** The chain keeps its order, so that its blocks stay together. */
  free(first: number): void {
    let last = first;
    let count = 1;
    for (; this.#nextBlocks[last]! > 0; count++) last = this.#nextBlocks[last]! - 1;
    this.#nextBlocks[last] = this.#state[FREE_BLOCK]!;
    this.#state[FREE_BLOCK] = first + 1;
    this.#state[BLOCKS_FREE]! += count;
  }
}

/**
 * A cache of words of memory that the threads of a process share: what one thread has computed, all
 * read. Every size is fixed when the memory is made.
 *
 * A value lies in a chain of blocks behind its key; a slot says where the chain begins. Readers
 * take no lock: each slot has a version that is odd while it changes, and a copy counts only if the
 * version was even and is the same afterwards. Writers take turns by a lock; a writer that finds it
 * taken does not write, so no thread waits. Eviction samples slots, as in core/budget-cache.ts.
 */
import type { CacheFigures } from '../../core/budget-cache.ts';
import { hashFinish, hashText } from '../../core/hash.ts';

const BLOCK_WORDS = 128;
const BLOCK_BYTES = BLOCK_WORDS * 4;
/** Blocks for each slot. */
const BLOCKS_PER_SLOT = 2;
/** Numbers of a slot in 32 and in 64 bits. */
const SLOT_INTEGERS = 6;
const SLOT_FLOATS = 4;
const HEADER_WORDS = 16;
const SLOT_BYTES = SLOT_INTEGERS * 4 + SLOT_FLOATS * 8;
/** Memory for each block: itself, its place in a chain, its share of a slot and of the buckets. */
const BYTES_PER_BLOCK = BLOCK_BYTES + 4 + (SLOT_BYTES + 8) / BLOCKS_PER_SLOT;

/** A value larger than this share of the blocks is not cached. */
const VALUE_SHARE_MAX = 4;
/** Fewer words are copied one by one, which needs no view of them. */
const COPIED_SINGLY_MAX = 48;
/** Slots sampled for an eviction, and places looked at to find them. */
const SAMPLED = 16;
const SAMPLED_PLACES_MAX = 64;
/** Look-ups after which use counts are halved. */
const HALF_LIFE = 20_000;
/** Milliseconds of a look-up and an insertion. */
const COST_MIN = 0.01;
/** Tries to take the lock: longer than most changes take. */
const LOCK_TRIES = 1000;
/** Slots of a bucket that are looked at: changes meanwhile may lead from one bucket to another. */
const CHAIN_MAX = 64;
/** Look-ups of a value that changes meanwhile. */
const READ_TRIES = 3;

/** Places in the header. Numbers of slots and blocks are stored plus one; 0 = none. */
const LOCK = 0;
const LOOK_UPS = 1;
const FREE_SLOT = 2;
const SLOTS_USED = 3;
const FREE_BLOCK = 4;
const BLOCKS_USED = 5;
const BLOCKS_FREE = 6;
/** Most blocks in use; 0 = all. */
const LIMIT = 7;

/** A copy of a cached value. */
export interface SharedValue {
  readonly words: Uint32Array;
  /** The generation for which it is valid. */
  readonly generation: number;
}

const blocksIn = (bytes: number): number =>
  Math.max(0, Math.floor((bytes - HEADER_WORDS * 4) / BYTES_PER_BLOCK));

const keyWords = (key: string): number => (key.length + 1) >>> 1;

/** Two UTF-16 code units of a key. */
const keyWordAt = (key: string, i: number): number =>
  (key.charCodeAt(2 * i) | ((2 * i + 1 < key.length ? key.charCodeAt(2 * i + 1) : 0) << 16)) >>> 0;

const hashOf = (key: string): number => hashFinish(hashText(key)) | 0;

export class SharedCache {
  readonly #blockCount: number;
  readonly #slotCount: number;
  readonly #bucketMask: number;
  readonly #header: Int32Array;
  /** First slot of each bucket, plus one. */
  readonly #buckets: Int32Array;
  /** By slot. Odd while it changes. */
  readonly #versions: Int32Array;
  readonly #hashes: Int32Array;
  /** The next slot of the bucket or of the free ones, plus one. */
  readonly #nextSlots: Int32Array;
  /** The first block, plus one; 0 = the slot is free. */
  readonly #firstBlocks: Int32Array;
  readonly #keyLengths: Int32Array;
  /** Words of the value without the key. */
  readonly #lengths: Int32Array;
  readonly #generations: Float64Array;
  /** Milliseconds per block to compute the value. */
  readonly #densities: Float64Array;
  /** Uses, decayed up to the last one. */
  readonly #uses: Float64Array;
  /** Look-ups in the cache until the last use. */
  readonly #usedAt: Float64Array;
  /** The next block of the chain or of the free ones, plus one. */
  readonly #nextBlocks: Int32Array;
  readonly #words: Uint32Array;
  /** Of the slot that was looked up last, before its key was compared. */
  #version = 0;
  #hits = 0;
  #misses = 0;
  #step = 1;

  /** @param memory of `SharedCache.memory`; the same for all threads */
  constructor(memory: SharedArrayBuffer) {
    const blocks = blocksIn(memory.byteLength);
    const slots = Math.floor(blocks / BLOCKS_PER_SLOT);
    const buckets = 1 << Math.max(0, 31 - Math.clz32(Math.max(1, slots)));
    this.#blockCount = blocks;
    this.#slotCount = slots;
    this.#bucketMask = buckets - 1;
    let at = 0;
    const take = <View>(
      View: new (memory: SharedArrayBuffer, at: number, length: number) => View,
      length: number,
      width: number,
    ): View => {
      const view = new View(memory, at, length);
      at += length * width;
      return view;
    };
    this.#generations = take(Float64Array, slots, 8);
    this.#densities = take(Float64Array, slots, 8);
    this.#uses = take(Float64Array, slots, 8);
    this.#usedAt = take(Float64Array, slots, 8);
    this.#header = take(Int32Array, HEADER_WORDS, 4);
    this.#buckets = take(Int32Array, slots === 0 ? 0 : buckets, 4);
    this.#versions = take(Int32Array, slots, 4);
    this.#hashes = take(Int32Array, slots, 4);
    this.#nextSlots = take(Int32Array, slots, 4);
    this.#firstBlocks = take(Int32Array, slots, 4);
    this.#keyLengths = take(Int32Array, slots, 4);
    this.#lengths = take(Int32Array, slots, 4);
    this.#nextBlocks = take(Int32Array, blocks, 4);
    this.#words = take(Uint32Array, blocks * BLOCK_WORDS, 4);
  }

  /** Memory for a cache of at most `bytes`; the system provides it as it is filled. */
  static memory(bytes: number): SharedArrayBuffer {
    return new SharedArrayBuffer(Math.max(HEADER_WORDS * 4, Math.floor(bytes / 8) * 8));
  }

  /** Bounds the memory of all values, if it is less than all of it. */
  limitTo(bytes: number): void {
    const blocks = Math.min(blocksIn(bytes), this.#blockCount);
    Atomics.store(this.#header, LIMIT, Math.max(1, blocks));
  }

  /** Look-ups of this thread, and the memory of all values. */
  get figures(): CacheFigures {
    const used = this.#header[BLOCKS_USED]! - this.#header[BLOCKS_FREE]!;
    return {
      hits: this.#hits,
      misses: this.#misses,
      bytes: Math.max(0, Math.ceil(used * BYTES_PER_BLOCK)),
    };
  }

  /**
   * A copy of the value; null when there is none.
   * @param take gives the array for the copy, of this length
   */
  read(key: string, take: (length: number) => Uint32Array): SharedValue | null {
    const found = this.#slotCount === 0 ? null : this.#copied(key, take);
    if (found === null) this.#misses++;
    else this.#hits++;
    return found;
  }

  /**
   * Stores a value, unless one of a later generation is there, the lock is taken, or all sampled
   * values are worth more. @param costMs milliseconds to compute the value
   */
  write(key: string, generation: number, parts: readonly Uint32Array[], costMs: number): void {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    const blocks = Math.ceil((keyWords(key) + length) / BLOCK_WORDS);
    if (blocks * VALUE_SHARE_MAX > this.#limit) return;
    this.#locked(() => {
      const hash = hashOf(key);
      const earlier = this.#slotOf(key, hash);
      if (earlier >= 0 && this.#generations[earlier]! > generation) return;
      const density = (costMs + COST_MIN) / blocks;
      const uses = earlier < 0 ? 1 : this.#usesAt(earlier);
      if (earlier >= 0) this.#remove(earlier);
      if (!this.#makeRoom(blocks, density * uses)) return;
      const slot = this.#takeSlot();
      this.#generations[slot] = generation;
      this.#densities[slot] = density;
      this.#uses[slot] = uses;
      this.#usedAt[slot] = this.#lookUps;
      this.#hashes[slot] = hash;
      this.#keyLengths[slot] = key.length;
      this.#lengths[slot] = length;
      this.#firstBlocks[slot] = this.#store(key, parts, blocks) + 1;
      const bucket = hash & this.#bucketMask;
      this.#nextSlots[slot] = this.#buckets[bucket]!;
      Atomics.add(this.#versions, slot, 1);
      Atomics.store(this.#buckets, bucket, slot + 1);
    });
  }

  /** The value, unchanged, is valid for a later generation too; its cost stays. */
  advance(key: string, generation: number): void {
    this.#locked(() => {
      const slot = this.#slotOf(key, hashOf(key));
      if (slot < 0 || this.#generations[slot]! >= generation) return;
      Atomics.add(this.#versions, slot, 1);
      this.#generations[slot] = generation;
      Atomics.add(this.#versions, slot, 1);
    });
  }

  /** Milliseconds that the value cost to compute; 0 when there is none. */
  costMs(key: string): number {
    const slot = this.#slotCount === 0 ? -1 : this.#slotOf(key, hashOf(key));
    if (slot < 0) return 0;
    const blocks = Math.ceil((keyWords(key) + this.#lengths[slot]!) / BLOCK_WORDS);
    return Math.max(0, this.#densities[slot]! * blocks - COST_MIN);
  }

  get #lookUps(): number {
    return this.#header[LOOK_UPS]! >>> 0;
  }

  #copied(key: string, take: (length: number) => Uint32Array): SharedValue | null {
    const hash = hashOf(key);
    Atomics.add(this.#header, LOOK_UPS, 1);
    for (let i = 0; i < READ_TRIES; i++) {
      const slot = this.#slotOf(key, hash);
      if (slot < 0) return null;
      const version = this.#version;
      const length = this.#lengths[slot]!;
      if ((version & 1) !== 0 || !this.#isLength(length)) continue;
      const generation = this.#generations[slot]!;
      const words = take(length);
      this.#copy(slot, keyWords(key), words);
      // A read that changes nothing: the copy is complete before it.
      if (Atomics.or(this.#versions, slot, 0) !== version) continue;
      this.#uses[slot] = this.#usesAt(slot) + 1;
      this.#usedAt[slot] = this.#lookUps;
      return { words, generation };
    }
    return null;
  }

  #isLength(length: number): boolean {
    return length >= 0 && length * VALUE_SHARE_MAX <= this.#blockCount * BLOCK_WORDS;
  }

  /** -1 = none. Without the lock, the slot may hold another value already. */
  #slotOf(key: string, hash: number): number {
    let slot = Atomics.load(this.#buckets, hash & this.#bucketMask) - 1;
    for (let i = 0; slot >= 0 && slot < this.#slotCount && i < CHAIN_MAX; i++) {
      if (this.#hashes[slot] === hash) {
        this.#version = Atomics.load(this.#versions, slot);
        if (this.#hasKey(slot, key)) return slot;
      }
      slot = this.#nextSlots[slot]! - 1;
    }
    return -1;
  }

  #hasKey(slot: number, key: string): boolean {
    if (this.#keyLengths[slot] !== key.length) return false;
    let block = this.#firstBlocks[slot]! - 1;
    const length = keyWords(key);
    for (let from = 0; from < length; from += BLOCK_WORDS) {
      if (block < 0 || block >= this.#blockCount) return false;
      const base = block * BLOCK_WORDS;
      const end = Math.min(length - from, BLOCK_WORDS);
      for (let i = 0; i < end; i++)
        if (this.#words[base + i] !== keyWordAt(key, from + i)) return false;
      block = this.#nextBlocks[block]! - 1;
    }
    return true;
  }

  /** Copies words of the chain of a slot, as many as `out` holds. */
  #copy(slot: number, skip: number, out: Uint32Array): void {
    let block = this.#firstBlocks[slot]! - 1;
    let from = skip;
    for (; from >= BLOCK_WORDS && this.#isBlock(block); from -= BLOCK_WORDS)
      block = this.#nextBlocks[block]! - 1;
    for (let at = 0; at < out.length && this.#isBlock(block); ) {
      const first = block * BLOCK_WORDS + from;
      const end = Math.min(this.#runEnd(block) * BLOCK_WORDS, first + out.length - at);
      if (end - first < COPIED_SINGLY_MAX)
        for (let i = first; i < end; i++) out[at + i - first] = this.#words[i]!;
      else out.set(this.#words.subarray(first, end), at);
      at += end - first;
      from = 0;
      block = this.#nextBlocks[Math.ceil(end / BLOCK_WORDS) - 1]! - 1;
    }
  }

  /** The end of the blocks that follow each other in memory as in the chain. */
  #runEnd(block: number): number {
    let end = block + 1;
    while (this.#nextBlocks[end - 1] === end + 1 && end < this.#blockCount) end++;
    return end;
  }

  #isBlock(block: number): boolean {
    return block >= 0 && block < this.#blockCount;
  }

  /** Runs `change` alone among the threads; does not run it when another thread is at it. */
  #locked(change: () => void): void {
    if (this.#slotCount === 0) return;
    for (let i = 0; i < LOCK_TRIES; i++) {
      if (Atomics.compareExchange(this.#header, LOCK, 0, 1) !== 0) continue;
      try {
        change();
      } finally {
        Atomics.store(this.#header, LOCK, 0);
      }
      return;
    }
  }

  /** Removes values until there is room; false when all that are looked at are worth more. */
  #makeRoom(blocks: number, worth: number): boolean {
    while (this.#freeBlocks < blocks || !this.#hasFreeSlot) {
      const slot = this.#worstOfSome();
      if (slot < 0 || this.#worthOf(slot) >= worth) return false;
      this.#remove(slot);
    }
    return true;
  }

  get #freeBlocks(): number {
    return this.#limit - this.#header[BLOCKS_USED]! + this.#header[BLOCKS_FREE]!;
  }

  get #limit(): number {
    return this.#header[LIMIT]! || this.#blockCount;
  }

  get #hasFreeSlot(): boolean {
    return this.#header[FREE_SLOT]! > 0 || this.#header[SLOTS_USED]! < this.#slotCount;
  }

  /** A slot, whose version is odd from now on. */
  #takeSlot(): number {
    const free = this.#header[FREE_SLOT]! - 1;
    if (free >= 0) this.#header[FREE_SLOT] = this.#nextSlots[free]!;
    const slot = free >= 0 ? free : this.#header[SLOTS_USED]!++;
    Atomics.add(this.#versions, slot, 1);
    return slot;
  }

  /** The first block of the chain. */
  #store(key: string, parts: readonly Uint32Array[], count: number): number {
    const first = this.#takeBlocks(count);
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
        const runEnd = this.#runEnd(block);
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
  #takeBlocks(count: number): number {
    let first = -1;
    let last = -1;
    for (let i = 0; i < count; i++) {
      let block = this.#header[FREE_BLOCK]! - 1;
      if (block >= 0) {
        this.#header[FREE_BLOCK] = this.#nextBlocks[block]!;
        this.#header[BLOCKS_FREE]!--;
      } else block = this.#header[BLOCKS_USED]!++;
      if (last < 0) first = block;
      else this.#nextBlocks[last] = block + 1;
      last = block;
    }
    this.#nextBlocks[last] = 0;
    return first;
  }

  #remove(slot: number): void {
    Atomics.add(this.#versions, slot, 1);
    const bucket = this.#hashes[slot]! & this.#bucketMask;
    const next = this.#nextSlots[slot]!;
    let before = this.#buckets[bucket]! - 1;
    if (before === slot) Atomics.store(this.#buckets, bucket, next);
    else {
      while (this.#nextSlots[before] !== slot + 1) before = this.#nextSlots[before]! - 1;
      this.#nextSlots[before] = next;
    }
    this.#freeChain(this.#firstBlocks[slot]! - 1);
    this.#firstBlocks[slot] = 0;
    this.#keyLengths[slot] = -1;
    this.#nextSlots[slot] = this.#header[FREE_SLOT]!;
    this.#header[FREE_SLOT] = slot + 1;
    Atomics.add(this.#versions, slot, 1);
  }

  /** The chain keeps its order, so that its blocks stay together. */
  #freeChain(first: number): void {
    let last = first;
    let count = 1;
    for (; this.#nextBlocks[last]! > 0; count++) last = this.#nextBlocks[last]! - 1;
    this.#nextBlocks[last] = this.#header[FREE_BLOCK]!;
    this.#header[FREE_BLOCK] = first + 1;
    this.#header[BLOCKS_FREE]! += count;
  }

  #usesAt(slot: number): number {
    // The count of look-ups begins again after 2^32.
    const since = Math.max(0, this.#lookUps - this.#usedAt[slot]!);
    return this.#uses[slot]! * 2 ** (-since / HALF_LIFE);
  }

  #worthOf(slot: number): number {
    return this.#densities[slot]! * this.#usesAt(slot);
  }

  /** -1 = found none. */
  #worstOfSome(): number {
    let worst = -1;
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0, sampled = 0; i < SAMPLED_PLACES_MAX && sampled < SAMPLED; i++) {
      this.#step = (Math.imul(this.#step, 1664525) + 1013904223) >>> 0;
      const slot = Math.floor((this.#step / 2 ** 32) * this.#header[SLOTS_USED]!);
      if (this.#firstBlocks[slot]! === 0) continue;
      sampled++;
      const worth = this.#worthOf(slot);
      if (worth >= least) continue;
      worst = slot;
      least = worth;
    }
    return worst;
  }
}

/**
 * A cache of words of memory that the threads of a process share: what one thread has computed, all
 * read. Every size is fixed when the memory is made.
 *
 * A value lies in a chain of blocks (block-chains.ts); a slot says where the chain begins. Readers
 * take no lock: each slot has a version that is odd while it changes, and a copy counts only if the
 * version was even and is the same afterwards. Writers take turns by a lock; a writer that finds it
 * taken does not write, so no thread waits. Eviction samples slots, as in core/budget-cache.ts.
 */
import type { CacheFigures } from '../../core/budget-cache.ts';
import { hashFinish, hashText } from '../../core/hash.ts';
import {
  BLOCK_BYTES,
  BLOCK_WORDS,
  BlockChains,
  CHAIN_STATE_WORDS,
  keyWords,
} from './block-chains.ts';

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

/** Places in the header. Numbers of slots are stored plus one; 0 = none. */
const LOCK = 0;
const LOOK_UPS = 1;
const FREE_SLOT = 2;
const SLOTS_USED = 3;
/** Most blocks in use; 0 = all. */
const LIMIT = 4;

/** A copy of a cached value. */
export interface SharedValue {
  readonly words: Uint32Array;
  /** The generation for which it is valid. */
  readonly generation: number;
}

const blocksIn = (bytes: number): number =>
  Math.max(0, Math.floor((bytes - HEADER_WORDS * 4) / BYTES_PER_BLOCK));

const hashOf = (key: string): number => hashFinish(hashText(key)) | 0;

export class SharedCache {
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
  readonly #chains: BlockChains;
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
    this.#chains = new BlockChains(
      this.#header.subarray(HEADER_WORDS - CHAIN_STATE_WORDS),
      take(Int32Array, blocks, 4),
      take(Uint32Array, blocks * BLOCK_WORDS, 4),
    );
  }

  /** Memory for a cache of at most `bytes`; the system provides it as it is filled. */
  static memory(bytes: number): SharedArrayBuffer {
    return new SharedArrayBuffer(Math.max(HEADER_WORDS * 4, Math.floor(bytes / 8) * 8));
  }

  /** Bounds the memory of all values, if it is less than all of it. */
  limitTo(bytes: number): void {
    const blocks = Math.min(blocksIn(bytes), this.#chains.count);
    Atomics.store(this.#header, LIMIT, Math.max(1, blocks));
  }

  /** Look-ups of this thread, and the memory of all values. */
  get figures(): CacheFigures {
    return {
      hits: this.#hits,
      misses: this.#misses,
      bytes: Math.max(0, Math.ceil(this.#chains.usedCount * BYTES_PER_BLOCK)),
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
      this.#firstBlocks[slot] = this.#chains.store(key, parts, blocks) + 1;
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
      this.#chains.copy(this.#firstBlocks[slot]! - 1, keyWords(key), words);
      // A read that changes nothing: the copy is complete before it.
      if (Atomics.or(this.#versions, slot, 0) !== version) continue;
      this.#uses[slot] = this.#usesAt(slot) + 1;
      this.#usedAt[slot] = this.#lookUps;
      return { words, generation };
    }
    return null;
  }

  #isLength(length: number): boolean {
    return length >= 0 && length * VALUE_SHARE_MAX <= this.#chains.count * BLOCK_WORDS;
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
    return this.#chains.hasKey(this.#firstBlocks[slot]! - 1, key);
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
    return this.#limit - this.#chains.usedCount;
  }

  get #limit(): number {
    return this.#header[LIMIT]! || this.#chains.count;
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
    this.#chains.free(this.#firstBlocks[slot]! - 1);
    this.#firstBlocks[slot] = 0;
    this.#keyLengths[slot] = -1;
    this.#nextSlots[slot] = this.#header[FREE_SLOT]!;
    this.#header[FREE_SLOT] = slot + 1;
    Atomics.add(this.#versions, slot, 1);
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

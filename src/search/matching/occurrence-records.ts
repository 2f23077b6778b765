/**
 * Occurrences of a query node with their permitted uses, collected in any order and grouped by
 * document.
 */
import type { OccurrenceBuffer } from '../../engine/postings/occurrence-key.ts';
import { TYPED_ARRAY_POOL } from '../sets/typed-array-pool.ts';

/** Bits of a record's class: its typos in the low two, then the permitted uses. */
export const OccurrenceClass = {
  typoBits: 0b11,
  /** Instead of a number of typos: a synonym, which stays whatever the node is narrowed to. */
  synonym: 0b11,
  /** Left and right side of a pair of neighbours, and either side of a reversed one. */
  left: 1 << 2,
  right: 1 << 3,
  reversed: 1 << 4,
  /** Counts for attribute and position. */
  place: 1 << 5,
  /** The exact word or phrase. */
  exact: 1 << 6,
  /** A completion of a frequent prefix: stays when the node is narrowed to its exact word. */
  frequent: 1 << 7,
} as const;

export const CLASS_COUNT = 256;

/** Occurrences of a node by slot: records of slot `i` are `[offsets[i], offsets[i + 1])`. */
export interface NodePositions {
  readonly offsets: Uint32Array;
  /** One occurrence key per record, ascending within a slot. */
  readonly keys: Uint32Array;
  readonly classes: Uint8Array;
}

export class RecordList {
  #docs: Uint32Array = new Uint32Array(64);
  #keys: Uint32Array = new Uint32Array(64);
  #classes = new Uint8Array(64);
  #length = 0;

  append({ docs, keys, length }: OccurrenceBuffer, recordClass: number): void {
    if (length === 0) return;
    const end = this.#length + length;
    if (end > this.#docs.length) this.#grow(end);
    this.#docs.set(docs.subarray(0, length), this.#length);
    this.#keys.set(keys.subarray(0, length), this.#length);
    this.#classes.fill(recordClass, this.#length, end);
    this.#length = end;
  }

  #grow(needed: number): void {
    const size = Math.max(needed, this.#docs.length * 2);
    const docs = TYPED_ARRAY_POOL.numbers(size);
    const keys = TYPED_ARRAY_POOL.numbers(size);
    const classes = new Uint8Array(size);
    docs.set(this.#docs);
    keys.set(this.#keys);
    classes.set(this.#classes);
    TYPED_ARRAY_POOL.release(this.#docs);
    TYPED_ARRAY_POOL.release(this.#keys);
    this.#docs = docs;
    this.#keys = keys;
    this.#classes = classes;
  }

  /**
   * The records by slot of the document, then by key. The list is not to be used afterwards.
   * @param slots by DocId, ascending with the documents
   */
  groupBySlot(slots: Int32Array, slotCount: number): NodePositions {
    const offsets = TYPED_ARRAY_POOL.numbers(slotCount + 1);
    const { keys, classes } = this.#sortedBySlot(slots, offsets);
    TYPED_ARRAY_POOL.release(this.#docs);
    for (let i = 0; i < slotCount; i++) sortByKey(keys, classes, offsets[i]!, offsets[i + 1]!);
    return { offsets, keys, classes };
  }

  /** Counting sort. */
  #sortedBySlot(slots: Int32Array, offsets: Uint32Array): Omit<NodePositions, 'offsets'> {
    const n = this.#length;
    const own = TYPED_ARRAY_POOL.numbers(n);
    for (let i = 0; i < n; i++) own[i] = slots[this.#docs[i]!]!;
    offsets.fill(0);
    for (let i = 0; i < n; i++) offsets[own[i]! + 1]!++;
    for (let i = 1; i < offsets.length; i++) offsets[i]! += offsets[i - 1]!;
    const keys = TYPED_ARRAY_POOL.numbers(n);
    const classes = new Uint8Array(n);
    const next = TYPED_ARRAY_POOL.copyOf(offsets);
    for (let i = 0; i < n; i++) {
      const at = next[own[i]!]!++;
      keys[at] = this.#keys[i]!;
      classes[at] = this.#classes[i]!;
    }
    TYPED_ARRAY_POOL.release(next);
    TYPED_ARRAY_POOL.release(own);
    TYPED_ARRAY_POOL.release(this.#keys);
    return { keys, classes };
  }
}

/** Sorts the records `[from, end)`: one word has them in order, except in several fields. */
function sortByKey(keys: Uint32Array, classes: Uint8Array, from: number, end: number): void {
  let sorted = from + 1;
  while (sorted < end && keys[sorted - 1]! <= keys[sorted]!) sorted++;
  if (sorted >= end) return;
  const records = new Float64Array(end - from);
  for (let i = from; i < end; i++) records[i - from] = keys[i]! * CLASS_COUNT + classes[i]!;
  records.sort();
  for (let i = from; i < end; i++) {
    const record = records[i - from]!;
    keys[i] = Math.floor(record / CLASS_COUNT);
    classes[i] = record % CLASS_COUNT;
  }
}

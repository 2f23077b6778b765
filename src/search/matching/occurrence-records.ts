/**
 * Occurrences of a query node with their permitted uses, collected in any order and grouped by
 * document.
 */
import type { OccurrenceBuffer } from '../../engine/segment/segment.ts';
import { TYPED_ARRAY_POOL } from '../sets/typed-array-pool.ts';
import type { NodePositions } from '../snapshot/cached-values.ts';

/** Bits of a record's class: typos in the low two bits, then the permitted uses. */
export const OccurrenceClass = {
  typoBits: 0b11,
  /** Replaces the number of typos: a synonym, which stays when the node is narrowed. */
  synonym: 0b11,
  /** May be the left or right side of a pair of neighbours, or either side of a reversed pair. */
  left: 1 << 2,
  right: 1 << 3,
  reversed: 1 << 4,
  /** Counts for attributeRank and wordPosition. */
  place: 1 << 5,
  /** The exact word or phrase. */
  exact: 1 << 6,
  /** A completion of a frequent prefix; stays when the node is narrowed to its exact word. */
  kept: 1 << 7,
} as const;

export const CLASS_COUNT = 256;

export class RecordList {
  #docs: Uint32Array = new Uint32Array(64);
  #keys: Uint32Array = new Uint32Array(64);
  #classes = new Uint8Array(64);
  #length = 0;
  /** True while records arrive in ascending order of document. */
  #isAscending = true;

  append({ docs, keys, length }: OccurrenceBuffer, recordClass: number): void {
    if (length === 0) return;
    if (this.#length > 0 || !isAscending(docs, length)) this.#isAscending = false;
    const end = this.#length + length;
    if (end > this.#docs.length) this.#grow(end);
    this.#docs.set(docs.subarray(0, length), this.#length);
    this.#keys.set(keys.subarray(0, length), this.#length);
    this.#classes.fill(recordClass, this.#length, end);
    this.#length = end;
  }

  add(doc: number, key: number, recordClass: number): void {
    const at = this.#length;
    if (at === this.#docs.length) this.#grow(at + 1);
    if (at > 0 && this.#docs[at - 1]! > doc) this.#isAscending = false;
    this.#docs[at] = doc;
    this.#keys[at] = key;
    this.#classes[at] = recordClass;
    this.#length = at + 1;
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

  /** Occurrences without classes in ascending order of document; valid until more are added. */
  sorted(): OccurrenceBuffer {
    const length = this.#length;
    if (this.#isAscending) return { docs: this.#docs, keys: this.#keys, length };
    const order = Array.from({ length }, (_, i) => i).sort(
      (a, b) => this.#docs[a]! - this.#docs[b]! || a - b,
    );
    const docs = Uint32Array.from(order, (i) => this.#docs[i]!);
    return { docs, keys: Uint32Array.from(order, (i) => this.#keys[i]!), length };
  }

  /** Valid for this search only. */
  groupBySlot(slots: Int32Array, slotCount: number): NodePositions {
    const rows = TYPED_ARRAY_POOL.numbers(this.#length);
    for (let i = 0; i < rows.length; i++) rows[i] = slots[this.#docs[i]!]!;
    const offsets = TYPED_ARRAY_POOL.zeros(slotCount + 1);
    const keys = TYPED_ARRAY_POOL.copyOf(this.#keys, 0, this.#length);
    const grouped = this.#group(rows, offsets, keys);
    TYPED_ARRAY_POOL.release(rows);
    return { rows: 'slots', ...grouped };
  }

  /** Allocates its own memory. @param docIdEnd greater than all DocIds */
  groupByDocument(docIdEnd: number): NodePositions {
    const offsets = new Uint32Array(docIdEnd + 1);
    const keys = this.#keys.slice(0, this.#length);
    return { rows: 'docs', ...this.#group(this.#docs, offsets, keys) };
  }

  /**
   * Counting sort; records of one row keep their order.
   * @param offsets zeros
   * @param keys keys of the records; sorted on return
   */
  #group(rows: Uint32Array, offsets: Uint32Array, keys: Uint32Array): Omit<NodePositions, 'rows'> {
    const n = keys.length;
    const rowCount = offsets.length - 1;
    for (let i = 0; i < n; i++) offsets[rows[i]! + 1]!++;
    for (let i = 0; i < rowCount; i++) offsets[i + 1]! += offsets[i]!;
    if (this.#isAscending) return { offsets, keys, classes: this.#classes.slice(0, n) };
    const next = TYPED_ARRAY_POOL.copyOf(offsets);
    const classes = new Uint8Array(n);
    for (let i = 0; i < n; i++) {
      const at = next[rows[i]!]!++;
      keys[at] = this.#keys[i]!;
      classes[at] = this.#classes[i]!;
    }
    TYPED_ARRAY_POOL.release(next);
    return { offsets, keys, classes };
  }
}

function isAscending(docs: Uint32Array, count: number): boolean {
  for (let i = 1; i < count; i++) if (docs[i]! < docs[i - 1]!) return false;
  return true;
}

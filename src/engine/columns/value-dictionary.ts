/**
 * Distinct strings of a column, ascending by bytes, front-coded in groups of 16.
 *
 *   text         values in order: varint bytes shared with the value before (0 and absent for the first of a group), varint length of
 *                the rest, the rest
 *   textGroups   u32 × groups: where each group starts in `text`
 */
import { ByteBuffer } from '../bytes/byte-buffer.ts';
import { decodeUtf8 } from '../bytes/utf8.ts';
import { VarintCursor } from '../bytes/varint.ts';

export const TEXT_GROUP = 16;
const GROUP_SHIFT = 4;

export class ValueDictionaryWriter {
  readonly #text = new ByteBuffer(64);
  readonly #groups: number[] = [];
  readonly #before = new ByteBuffer(64);
  #count = 0;

  /** Values come in ascending order. */
  add(bytes: Uint8Array, start: number, end: number): void {
    const isFirst = (this.#count++ & (TEXT_GROUP - 1)) === 0;
    if (isFirst) this.#groups.push(this.#text.length);
    const shared = isFirst ? 0 : this.#shared(bytes, start, end);
    if (!isFirst) this.#text.pushVarint(shared);
    this.#text.pushVarint(end - start - shared);
    this.#text.pushRange(bytes, start + shared, end);
    this.#before.length = shared;
    this.#before.pushRange(bytes, start + shared, end);
  }

  #shared(bytes: Uint8Array, start: number, end: number): number {
    const before = this.#before;
    const max = Math.min(before.length, end - start);
    let shared = 0;
    while (shared < max && before.bytes[shared] === bytes[start + shared]) shared++;
    return shared;
  }

  finish(): { readonly text: Uint8Array; readonly textGroups: Uint32Array } {
    return { text: this.#text.view(), textGroups: Uint32Array.from(this.#groups) };
  }
}

export class ValueDictionary {
  readonly count: number;
  readonly #cursor: VarintCursor;
  readonly #groups: Uint32Array;
  /** The value decoded last, and where the one after it starts. */
  #value = new Uint8Array(512);
  #length = 0;
  #ordinal = -1;

  constructor(text: Uint8Array, groups: Uint32Array, count: number) {
    this.count = count;
    this.#cursor = new VarintCursor(text);
    this.#groups = groups;
  }

  text(ordinal: number): string {
    this.#seek(ordinal);
    return decodeUtf8(this.#value, 0, this.#length);
  }

  /** Valid until the next call of any method. */
  bytes(ordinal: number): Uint8Array {
    this.#seek(ordinal);
    return this.#value.subarray(0, this.#length);
  }

  find(utf8: Uint8Array): number {
    const ordinal = this.lowerBound(utf8);
    if (ordinal === this.count) return -1;
    this.#seek(ordinal);
    return this.#compare(utf8) === 0 ? ordinal : -1;
  }

  lowerBound(utf8: Uint8Array): number {
    let low = 0;
    let high = this.#groups.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      this.#seek(middle << GROUP_SHIFT);
      if (this.#compare(utf8) < 0) low = middle + 1;
      else high = middle;
    }
    if (low === 0) return 0;
    const end = Math.min(low << GROUP_SHIFT, this.count);
    let ordinal = ((low - 1) << GROUP_SHIFT) + 1;
    for (; ordinal < end; ordinal++) {
      this.#seek(ordinal);
      if (this.#compare(utf8) >= 0) break;
    }
    return ordinal;
  }

  /** Copies the value decoded last to `utf8`. */
  #compare(utf8: Uint8Array): number {
    const value = this.#value;
    const shared = Math.min(this.#length, utf8.length);
    for (let i = 0; i < shared; i++) {
      const difference = value[i]! - utf8[i]!;
      if (difference !== 0) return difference;
    }
    return this.#length - utf8.length;
  }

  #seek(ordinal: number): void {
    if (ordinal === this.#ordinal) return;
    const group = ordinal >>> GROUP_SHIFT;
    if (this.#ordinal < 0 || ordinal < this.#ordinal || this.#ordinal >>> GROUP_SHIFT !== group) {
      this.#cursor.position = this.#groups[group] ?? this.#cursor.bytes.length;
      this.#length = 0;
      this.#ordinal = (group << GROUP_SHIFT) - 1;
    }
    while (this.#ordinal < ordinal) this.#next();
  }

  #next(): void {
    const cursor = this.#cursor;
    this.#ordinal++;
    const shared =
      (this.#ordinal & (TEXT_GROUP - 1)) === 0 ? 0 : Math.min(cursor.next(), this.#length);
    const end = Math.min(cursor.bytes.length, cursor.next() + cursor.position);
    const rest = Math.max(0, end - cursor.position);
    if (shared + rest > this.#value.length) this.#grow(shared + rest);
    const value = this.#value;
    const { bytes, position } = cursor;
    for (let i = 0; i < rest; i++) value[shared + i] = bytes[position + i]!;
    this.#length = shared + rest;
    cursor.position = position + rest;
  }

  #grow(length: number): void {
    const grown = new Uint8Array(length);
    grown.set(this.#value);
    this.#value = grown;
  }
}

/**
 * Maps a segment's documents to their ids and back. Documents go by their rank in the segment
 * (ascending DocId).
 *
 *   idText      id texts one after the other, by rank
 *   idOffsets   u32 × ⌈n / 32⌉: where the id of rank 32·i starts; then u16 × n: where each starts relative to that
 *   idTable     u32 × slots, slots = ⌊1.3 n⌋ + 1: rank + 1 in the low bits, a tag of the hash in the others; 0 = empty.
 *               Slot = ⌊hash × slots / 2³²⌋, linear probing. hash = finalised CRC-32C of the id.
 */
import { assert } from '../../core/assert.ts';
import { bitWidth } from '../bytes/bitpacking.ts';
import { ByteBuffer } from '../bytes/byte-buffer.ts';
import { crc32c } from '../bytes/crc32c.ts';

const GROUP_SHIFT = 5;
const GROUP_SIZE = 1 << GROUP_SHIFT;
/** 32 ids of this many bytes still have u16 offsets in their group. */
const ID_BYTES_MAX = 2000;

export interface DocumentIdSections {
  readonly idText: Uint8Array;
  readonly idOffsets: Uint8Array;
  readonly idTable: Uint32Array;
}

function hashId(bytes: Uint8Array, start: number, end: number): number {
  const crc = crc32c(bytes, start, end);
  const mixed = Math.imul(crc ^ (crc >>> 16), 0x9e3779b1);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

const slotOf = (hash: number, slots: number): number => Math.floor((hash * slots) / 2 ** 32);

export class DocumentIdsWriter {
  readonly #text = new ByteBuffer(1 << 12);
  readonly #starts: number[] = [];

  get memoryBytes(): number {
    return this.#text.bytes.length + this.#starts.length * 8;
  }

  /** Adds the id of the next document. */
  add(id: Uint8Array): void {
    assert(id.length <= ID_BYTES_MAX, 'a document id is too long');
    this.#starts.push(this.#text.length);
    this.#text.pushBytes(id);
  }

  finish(): DocumentIdSections {
    const starts = this.#starts;
    const count = starts.length;
    const groups = (count + GROUP_SIZE - 1) >>> GROUP_SHIFT;
    const idOffsets = new Uint8Array(groups * 4 + count * 2);
    const bases = new Uint32Array(idOffsets.buffer, 0, groups);
    const relative = new Uint16Array(idOffsets.buffer, groups * 4, count);
    for (let rank = 0; rank < count; rank++) {
      if ((rank & (GROUP_SIZE - 1)) === 0) bases[rank >>> GROUP_SHIFT] = starts[rank]!;
      relative[rank] = starts[rank]! - bases[rank >>> GROUP_SHIFT]!;
    }
    return { idText: this.#text.view(), idOffsets, idTable: this.#table() };
  }

  #table(): Uint32Array {
    const starts = this.#starts;
    const count = starts.length;
    const text = this.#text.view();
    const table = new Uint32Array(Math.floor(count * 1.3) + 1);
    const rankBits = bitWidth(count);
    for (let rank = 0; rank < count; rank++) {
      const hash = hashId(text, starts[rank]!, starts[rank + 1] ?? text.length);
      let slot = slotOf(hash, table.length);
      while (table[slot] !== 0) slot = slot + 1 === table.length ? 0 : slot + 1;
      table[slot] = tagOf(hash, rankBits) + rank + 1;
    }
    return table;
  }
}

/** Low bits of the hash, above `rankBits` bits of zero. */
const tagOf = (hash: number, rankBits: number): number =>
  rankBits === 32 ? 0 : (hash << rankBits) >>> 0;

export class DocumentIds {
  readonly #text: Uint8Array;
  readonly #bases: Uint32Array;
  readonly #relative: Uint16Array;
  readonly #table: Uint32Array;
  readonly #count: number;
  readonly #rankBits: number;

  /** Throws a plain error when the offsets do not fit `count` documents. */
  constructor(sections: DocumentIdSections, count: number) {
    const { idOffsets } = sections;
    const groups = (count + GROUP_SIZE - 1) >>> GROUP_SHIFT;
    assert(idOffsets.length === groups * 4 + count * 2, 'id offsets fit the number of documents');
    this.#text = sections.idText;
    this.#bases = new Uint32Array(idOffsets.buffer, idOffsets.byteOffset, groups);
    this.#relative = new Uint16Array(idOffsets.buffer, idOffsets.byteOffset + groups * 4, count);
    this.#table = sections.idTable;
    this.#count = count;
    this.#rankBits = bitWidth(count);
  }

  /** Rank of the document with this id, or −1. */
  find(id: Uint8Array): number {
    const table = this.#table;
    const hash = hashId(id, 0, id.length);
    const tag = tagOf(hash, this.#rankBits);
    const rankMask = 2 ** this.#rankBits - 1;
    let slot = slotOf(hash, table.length);
    for (let probes = table.length; probes > 0; probes--) {
      const entry = table[slot]!;
      if (entry === 0) return -1;
      const low = (entry & rankMask) >>> 0;
      if (entry - low === tag && low > 0 && this.#equals(low - 1, id)) return low - 1;
      slot = slot + 1 === table.length ? 0 : slot + 1;
    }
    return -1;
  }

  /** The id's text, as a view. */
  text(rank: number): Uint8Array {
    return this.#text.subarray(this.#start(rank), this.#end(rank));
  }

  #start(rank: number): number {
    return this.#bases[rank >>> GROUP_SHIFT]! + this.#relative[rank]!;
  }

  #end(rank: number): number {
    return rank + 1 < this.#count ? this.#start(rank + 1) : this.#text.length;
  }

  #equals(rank: number, id: Uint8Array): boolean {
    const start = this.#start(rank);
    if (this.#end(rank) - start !== id.length) return false;
    const text = this.#text;
    for (let i = 0; i < id.length; i++) if (text[start + i] !== id[i]) return false;
    return true;
  }
}

/** The posting list of a segment that was opened last: its head, and where its parts are. Layout: posting-list-format.ts. */
import { CorruptionError } from '../../core/errors.ts';
import { bitWidth } from '../bytes/bitpacking.ts';
import { VarintCursor } from '../bytes/varint.ts';
import { BLOCK_SHIFT, BLOCK_SIZE, ENTRY_WORDS, MASK_CODE_ESCAPE } from './posting-list-format.ts';

export interface PostingSections {
  readonly postings: Uint8Array;
  /** Offset of each list, and of the end of the last. */
  readonly offsets: Uint32Array;
  readonly fieldMasks: Uint32Array;
}

export class OpenList {
  readonly #file: string;
  readonly #documentCount: number;
  readonly offsets: Uint32Array;
  readonly masks: Uint32Array;
  /** The section as words. */
  readonly words: Uint32Array;
  readonly cursor: VarintCursor;
  /** Bits of a field code of wide lists. */
  readonly wideBits: number;
  count = 0;
  isSingle = false;
  mask = 0;
  /** Word of the block table. */
  base = 0;
  blockCount = 0;
  /** Offset after the list. */
  #end = 0;

  /** @param file named in error messages */
  constructor(file: string, sections: PostingSections, documentCount: number, fieldCount: number) {
    const { postings } = sections;
    this.#file = file;
    this.#documentCount = documentCount;
    this.offsets = sections.offsets;
    this.masks = sections.fieldMasks;
    this.words = new Uint32Array(postings.buffer, postings.byteOffset, postings.length >>> 2);
    this.cursor = new VarintCursor(postings);
    this.wideBits = bitWidth(Math.max(fieldCount - 1, 0));
  }

  /** Reads the head of a list, and sets the cursor behind it. */
  open(list: number): this {
    const { cursor } = this;
    cursor.position = this.offsets[list]!;
    const head = cursor.next();
    const count = head >>> 4;
    if (count > this.#documentCount || count === 0) {
      throw this.damage(this.offsets[list]!, `1 … ${this.#documentCount} documents`, String(count));
    }
    this.count = count;
    this.isSingle = (head & 8) !== 0;
    const code = head & 7;
    this.mask = this.masks[code === MASK_CODE_ESCAPE ? cursor.next() : code] ?? 0;
    this.base = (cursor.position + 3) >>> 2;
    this.blockCount = count >>> BLOCK_SHIFT;
    this.#end = this.offsets[list + 1]!;
    return this;
  }

  /** Documents after the blocks. */
  get runCount(): number {
    return this.count & (BLOCK_SIZE - 1);
  }

  /** Sets the cursor to the documents after the blocks; after `open` it is there if there are no blocks. */
  toRun(): VarintCursor {
    if (this.blockCount > 0) this.cursor.position = (this.base + this.blockCount * ENTRY_WORDS) * 4;
    return this.cursor;
  }

  /** The first block from `from` on whose last document is not below `doc`; `blockCount` if there is none. */
  blockFrom(from: number, doc: number): number {
    const end = this.blockCount;
    let lo = from;
    let step = 1;
    while (lo + step < end && this.lastOf(lo + step - 1) < doc) {
      lo += step;
      step *= 2;
    }
    let hi = Math.min(lo + step, end);
    while (lo < hi) {
      const middle = (lo + hi) >>> 1;
      if (this.lastOf(middle) < doc) lo = middle + 1;
      else hi = middle;
    }
    return lo;
  }

  /** Last document of a block; -1 before the first one. */
  lastOf(block: number): number {
    return block < 0 ? -1 : this.words[this.base + block * ENTRY_WORDS]!;
  }

  encodingOf(block: number): number {
    return this.words[this.base + block * ENTRY_WORDS + 1]! >>> 24;
  }

  /** Word of the documents of a block, or behind those of the last one. */
  docsAt(block: number): number {
    const { base, words } = this;
    return block < this.blockCount
      ? base + (words[base + block * ENTRY_WORDS + 1]! & 0xffffff)
      : this.keysAt(0);
  }

  /** The same of the occurrences. */
  keysAt(block: number): number {
    const { base, words } = this;
    return block < this.blockCount
      ? base + words[base + block * ENTRY_WORDS + 2]!
      : (this.#end + 3) >>> 2;
  }

  damage(offset: number, expected: string, got: string): CorruptionError {
    return new CorruptionError(this.#file, offset, expected, got);
  }
}

/**
 * Posting lists of a segment, read without copying: documents, fields and positions of each term.
 * Layout: posting-list-format.ts.
 */
import { CorruptionError } from '../../core/errors.ts';
import { bitWidth, packedWordCount, unpack } from '../bytes/bitpacking.ts';
import { VarintCursor } from '../bytes/varint.ts';
import type { OccurrenceBuffer } from '../segment/segment.ts';
import { hasBit } from '../sets/bitset.ts';
import {
  holdsCandidate,
  listBitmap,
  listPacked,
  listRun,
  mayHaveCandidate,
  orBitmap,
  orPacked,
  orRun,
  placesOfCandidates,
} from './document-loops.ts';
import {
  type FieldCodes,
  type OccurrenceBlock,
  readCounted,
  readLinked,
  readSingles,
  reserve,
  takeFew,
  takeMarked,
  takeSingles,
} from './occurrence-loops.ts';
import { type TermPair, threadPairKernel } from './pair-kernel.ts';
import {
  BITMAP_ENCODING,
  BLOCK_SHIFT,
  BLOCK_SIZE,
  ENTRY_WORDS,
  MASK_CODE_ESCAPE,
  WIDE_FIELD,
} from './posting-list-format.ts';

/** The occurrences of this number of documents of a block are taken out one by one. */
const FEW_PLACES = 16;

export interface PostingSections {
  readonly postings: Uint8Array;
  /** Offset of each list, and of the end of the last. */
  readonly offsets: Uint32Array;
  readonly fieldMasks: Uint32Array;
}

export class PostingLists {
  readonly #file: string;
  readonly #offsets: Uint32Array;
  readonly #masks: Uint32Array;
  readonly #words: Uint32Array;
  readonly #cursor: VarintCursor;
  readonly #documentCount: number;
  readonly #wideBits: number;
  /** State of the list last opened. */
  #count = 0;
  #allSingle = false;
  #mask = 0;
  readonly #docs = new Uint32Array(BLOCK_SIZE);
  /** Places of candidates in `#docs`; one more is overwritten. */
  readonly #places = new Uint8Array(BLOCK_SIZE + 1);
  readonly #block: OccurrenceBlock = {
    total: 0,
    startsAt: -1,
    valuesAt: 0,
    width: 0,
    exceptionsAt: 0,
    exceptions: 0,
  };
  #values = new Uint32Array(256);
  #allDocs = new Uint32Array(0);
  /** State of the list last opened for its occurrences. */
  readonly #codes: FieldCodes = { map: new Int32Array(0), bits: 0 };
  readonly #narrowMap = new Int32Array(32);

  /** @param file named in error messages */
  constructor(file: string, sections: PostingSections, documentCount: number, fieldCount: number) {
    const { postings } = sections;
    this.#file = file;
    this.#offsets = sections.offsets;
    this.#masks = sections.fieldMasks;
    this.#words = new Uint32Array(postings.buffer, postings.byteOffset, postings.length >>> 2);
    this.#cursor = new VarintCursor(postings);
    this.#documentCount = documentCount;
    this.#wideBits = bitWidth(Math.max(fieldCount - 1, 0));
  }

  /** Contract: `SegmentReader.pairCosts`. */
  pairCosts(docs: Uint32Array, pairs: readonly TermPair[], out: Int32Array): boolean {
    const source = {
      bytes: this.#cursor.bytes,
      words: this.#words,
      offsets: this.#offsets,
      masks: this.#masks,
      wideBits: this.#wideBits,
    };
    return threadPairKernel().costs(source, docs, pairs, out);
  }

  documentFrequency(list: number): number {
    this.#cursor.position = this.#offsets[list]!;
    return this.#cursor.next() >>> 4;
  }

  fieldMask(list: number): number {
    const cursor = this.#cursor;
    cursor.position = this.#offsets[list]!;
    const code = cursor.next() & 7;
    return this.#masks[code === MASK_CODE_ESCAPE ? cursor.next() : code] ?? 0;
  }

  addDocuments(list: number, bits: Uint32Array): void {
    this.#open(list);
    if (this.#count < BLOCK_SIZE) orRun(this.#cursor, this.#count, -1, bits);
    else this.#addBlocks(bits);
  }

  addRangeDocuments(lo: number, hi: number, bits: Uint32Array): void {
    for (let list = lo; list < hi; list++) this.addDocuments(list, bits);
  }

  /** The list's documents, in scratch space that the next call overwrites. */
  readDocuments(list: number): Uint32Array {
    this.#open(list);
    const count = this.#count;
    if (this.#allDocs.length < count) this.#allDocs = new Uint32Array(count * 2);
    const all = this.#allDocs;
    const base = this.#blocksBase();
    const blockCount = count >>> BLOCK_SHIFT;
    let before = -1;
    for (let block = 0; block < blockCount; block++) {
      const entry = base + block * ENTRY_WORDS;
      this.#decodeDocs(base, entry, before);
      all.set(this.#docs, block * BLOCK_SIZE);
      before = this.#words[entry]!;
    }
    this.#toRun(base, blockCount);
    for (let i = count & -BLOCK_SIZE; i < count; i++) all[i] = before += this.#cursor.next() + 1;
    return all.subarray(0, count);
  }

  hasLiveDocument(list: number, dead: Uint32Array | null): boolean {
    this.#open(list);
    if (dead === null) return this.#count > 0;
    const base = this.#blocksBase();
    const blockCount = this.#count >>> BLOCK_SHIFT;
    let before = -1;
    for (let block = 0; block < blockCount; block++) {
      const entry = base + block * ENTRY_WORDS;
      this.#decodeDocs(base, entry, before);
      for (let i = 0; i < BLOCK_SIZE; i++) if (!hasBit(dead, this.#docs[i]!)) return true;
      before = this.#words[entry]!;
    }
    this.#toRun(base, blockCount);
    for (let i = this.#count & (BLOCK_SIZE - 1); i > 0; i--) {
      before += this.#cursor.next() + 1;
      if (!hasBit(dead, before)) return true;
    }
    return false;
  }

  /** Contract: `SegmentReader.readOccurrences`. */
  readOccurrences(
    list: number,
    candidates: Uint32Array,
    fieldMap: Int32Array,
    out: OccurrenceBuffer,
    listed: Uint32Array | null = null,
  ): void {
    this.#open(list);
    this.#mapCodes(fieldMap);
    const base = this.#blocksBase();
    const blockCount = this.#count >>> BLOCK_SHIFT;
    const before =
      listed === null
        ? this.#readBlocks(base, blockCount, candidates, out)
        : this.#readListed(base, blockCount, candidates, listed, out);
    if (listed !== null && listed.length > 0 && listed.at(-1)! <= before) return;
    this.#toRun(base, blockCount);
    this.#readRun(this.#count & (BLOCK_SIZE - 1), before, candidates, out);
  }

  /** Returns the last document of the blocks. */
  #readBlocks(
    base: number,
    blockCount: number,
    candidates: Uint32Array,
    out: OccurrenceBuffer,
  ): number {
    let before = -1;
    for (let block = 0; block < blockCount; block++) {
      const entry = base + block * ENTRY_WORDS;
      const last = this.#words[entry]!;
      if (mayHaveCandidate(candidates, before + 1, last)) {
        this.#decodeDocs(base, entry, before);
        this.#readBlock(base + this.#words[entry + 2]!, candidates, out);
      }
      before = last;
    }
    return before;
  }

  /** The same, seeking from one listed candidate to the block that may have the next. */
  #readListed(
    base: number,
    blockCount: number,
    candidates: Uint32Array,
    listed: Uint32Array,
    out: OccurrenceBuffer,
  ): number {
    const words = this.#words;
    for (let i = 0, block = 0; i < listed.length; block++) {
      block = this.#blockFrom(base, block, blockCount, listed[i]!);
      if (block === blockCount) break;
      const entry = base + block * ENTRY_WORDS;
      const last = words[entry]!;
      this.#decodeDocs(base, entry, block === 0 ? -1 : words[entry - ENTRY_WORDS]!);
      this.#readBlock(base + words[entry + 2]!, candidates, out);
      while (i < listed.length && listed[i]! <= last) i++;
    }
    return blockCount === 0 ? -1 : words[base + (blockCount - 1) * ENTRY_WORDS]!;
  }

  /**
   * The first block from `from` on whose last document is not below `doc`; `end` if there is none.
   */
  #blockFrom(base: number, from: number, end: number, doc: number): number {
    const words = this.#words;
    let lo = from;
    let step = 1;
    while (lo + step < end && words[base + (lo + step - 1) * ENTRY_WORDS]! < doc) {
      lo += step;
      step *= 2;
    }
    let hi = Math.min(lo + step, end);
    while (lo < hi) {
      const middle = (lo + hi) >>> 1;
      if (words[base + middle * ENTRY_WORDS]! < doc) lo = middle + 1;
      else hi = middle;
    }
    return lo;
  }

  readRangeOccurrences(
    lo: number,
    hi: number,
    candidates: Uint32Array,
    fieldMap: Int32Array,
    out: OccurrenceBuffer,
    listed: Uint32Array | null = null,
  ): void {
    for (let list = lo; list < hi; list++)
      if (listed === null || this.#mayHold(list, candidates))
        this.readOccurrences(list, candidates, fieldMap, out, listed);
  }

  /**
   * False when a short list has none of the candidates: true of most lists in a range if candidates
   * are few.
   */
  #mayHold(list: number, candidates: Uint32Array): boolean {
    const cursor = this.#cursor;
    cursor.position = this.#offsets[list]!;
    const head = cursor.next();
    const count = head >>> 4;
    if (count === 0 || count >= BLOCK_SIZE) return true;
    if ((head & 7) === MASK_CODE_ESCAPE) cursor.next();
    return holdsCandidate(cursor, count, candidates);
  }

  /**
   * Verifies the invariants of a list: ascending documents below `docLimit`, known fields, parts in
   * bounds.
   */
  verifyList(list: number, docLimit: number): void {
    this.#open(list);
    const offset = this.#offsets[list]!;
    const base = this.#blocksBase();
    const blockCount = this.#count >>> BLOCK_SHIFT;
    let before = -1;
    for (let block = 0; block < blockCount; block++) {
      const entry = base + block * ENTRY_WORDS;
      const last = this.#words[entry]!;
      if (last <= before || last >= docLimit)
        throw this.#damage(offset, 'ascending DocIds', String(last));
      this.#decodeDocs(base, entry, before);
      if (this.#docs[BLOCK_SIZE - 1] !== last)
        throw this.#damage(offset, `block ending at ${last}`, String(this.#docs[BLOCK_SIZE - 1]));
      before = last;
    }
    this.#toRun(base, blockCount);
    for (let i = this.#count & (BLOCK_SIZE - 1); i > 0; i--) before += this.#cursor.next() + 1;
    if (before >= docLimit) throw this.#damage(offset, `DocIds below ${docLimit}`, String(before));
    if (this.#cursor.position > this.#offsets[list + 1]!)
      throw this.#damage(offset, 'a list within its bounds', 'a longer one');
  }

  /** Reads the head; leaves the cursor behind it. */
  #open(list: number): void {
    const cursor = this.#cursor;
    cursor.position = this.#offsets[list]!;
    const head = cursor.next();
    const count = head >>> 4;
    if (count > this.#documentCount || count === 0) {
      throw this.#damage(
        this.#offsets[list]!,
        `1 … ${this.#documentCount} documents`,
        String(count),
      );
    }
    this.#count = count;
    this.#allSingle = (head & 8) !== 0;
    const code = head & 7;
    this.#mask = this.#masks[code === MASK_CODE_ESCAPE ? cursor.next() : code] ?? 0;
  }

  #damage(offset: number, expected: string, got: string): CorruptionError {
    return new CorruptionError(this.#file, offset, expected, got);
  }

  /**
   * Word number of the block table; for a list without blocks the cursor stays at the start of the
   * run.
   */
  #blocksBase(): number {
    return this.#count < BLOCK_SIZE ? -1 : (this.#cursor.position + 3) >>> 2;
  }

  #toRun(base: number, blockCount: number): void {
    if (base >= 0) this.#cursor.position = (base + blockCount * ENTRY_WORDS) * 4;
  }

  #addBlocks(bits: Uint32Array): void {
    const base = this.#blocksBase();
    const words = this.#words;
    const blockCount = this.#count >>> BLOCK_SHIFT;
    let before = -1;
    for (let block = 0; block < blockCount; block++) {
      const entry = base + block * ENTRY_WORDS;
      const last = words[entry]!;
      const place = words[entry + 1]!;
      const at = base + (place & 0xffffff);
      const width = place >>> 24;
      if (width === BITMAP_ENCODING) orBitmap(words, at, before, last, bits);
      else orPacked(words, at, width, before, this.#docs, bits);
      before = last;
    }
    this.#toRun(base, blockCount);
    orRun(this.#cursor, this.#count & (BLOCK_SIZE - 1), before, bits);
  }

  /** Fills `#docs` with the block's documents. */
  #decodeDocs(base: number, entry: number, before: number): void {
    const place = this.#words[entry + 1]!;
    const at = base + (place & 0xffffff);
    const width = place >>> 24;
    if (width === BITMAP_ENCODING)
      listBitmap(this.#words, at, before, this.#words[entry]!, this.#docs);
    else if (width <= 32) listPacked(this.#words, at, width, before, this.#docs);
    else throw this.#damage(entry * 4, 'a width of at most 32 bits', String(width));
  }

  #mapCodes(fieldMap: Int32Array): void {
    if (this.#mask >>> WIDE_FIELD === 1) {
      this.#codes.map = fieldMap;
      this.#codes.bits = this.#wideBits;
      return;
    }
    const codeMap = this.#narrowMap;
    let count = 0;
    for (let rest = this.#mask; rest !== 0; rest &= rest - 1) {
      codeMap[count++] = fieldMap[31 - Math.clz32(rest & -rest)] ?? -1;
    }
    this.#codes.map = codeMap;
    this.#codes.bits = bitWidth(count - 1);
  }

  /** Appends the occurrences of those documents of `#docs` that are candidates. */
  #readBlock(at: number, candidates: Uint32Array, out: OccurrenceBuffer): void {
    const docs = this.#docs;
    const placeCount = placesOfCandidates(docs, candidates, this.#places);
    if (placeCount === 0) return;
    const words = this.#words;
    const block = this.#openBlock(at);
    const { total, startsAt } = block;
    reserve(out, total);
    if (placeCount <= FEW_PLACES) {
      this.#reserveValues(total);
      takeFew(words, block, docs, this.#places, placeCount, this.#values, this.#codes, out);
      return;
    }
    const values = this.#unpacked(block);
    if (startsAt < 0) takeSingles(docs, values, this.#codes, candidates, out);
    else takeMarked(words, startsAt, total, docs, values, this.#codes, candidates, out);
  }

  #openBlock(at: number): OccurrenceBlock {
    const words = this.#words;
    const block = this.#block;
    const head = words[at]!;
    block.width = head & 63;
    block.exceptions = head >>> 7;
    block.total = BLOCK_SIZE;
    block.startsAt = -1;
    block.valuesAt = at + 1;
    if (head & 64) {
      block.total = words[at + 1]!;
      block.startsAt = at + 2;
      block.valuesAt = block.startsAt + ((block.total + 31) >>> 5);
    }
    block.exceptionsAt = block.valuesAt + packedWordCount(block.total, block.width);
    if (block.width > 32 || block.exceptionsAt + block.exceptions > words.length)
      throw this.#damage(at * 4, 'occurrences within the section', 'more');
    return block;
  }

  #reserveValues(total: number): void {
    if (this.#values.length < total + 3) this.#values = new Uint32Array(total * 2);
  }

  /** The values of a block. */
  #unpacked(block: OccurrenceBlock): Uint32Array {
    const { total, valuesAt, width, exceptionsAt, exceptions } = block;
    const words = this.#words;
    this.#reserveValues(total);
    const values = this.#values;
    unpack(words, valuesAt, total, width, values);
    for (let i = exceptionsAt; i < exceptionsAt + exceptions; i++) {
      const exception = words[i]!;
      values[exception >>> 16]! |= (exception & 0xffff) << width;
    }
    return values;
  }

  /** Appends from a run of `count` documents at the cursor. */
  #readRun(count: number, before: number, candidates: Uint32Array, out: OccurrenceBuffer): void {
    const wantedCount = listRun(this.#cursor, count, before, candidates, this.#docs);
    if (wantedCount === 0) return;
    reserve(out, count);
    if (this.#allSingle)
      readSingles(this.#cursor, this.#docs, wantedCount, this.#codes, candidates, out);
    else if (this.#mask >>> WIDE_FIELD === 1)
      readCounted(this.#cursor, this.#docs, wantedCount, this.#codes, candidates, out);
    else readLinked(this.#cursor, this.#docs, wantedCount, this.#codes, candidates, out);
  }
}

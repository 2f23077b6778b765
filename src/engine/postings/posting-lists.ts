/**
 * Posting lists of a segment, read without copying: documents, fields and positions of each term.
 * Layout: posting-list-format.ts.
 */
import { bitWidth, packedWordCount, unpack } from '../bytes/bitpacking.ts';
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
import type { OccurrenceBuffer } from './occurrence-key.ts';
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
import { OpenList, type PostingSections } from './open-list.ts';
import { type TermPair, threadPairKernel } from './pair-kernel.ts';
import { BITMAP_ENCODING, BLOCK_SIZE, WIDE_FIELD } from './posting-list-format.ts';

/** The occurrences of this number of documents of a block are taken out one by one. */
const FEW_PLACES = 16;

export class PostingLists {
  readonly #list: OpenList;
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
    this.#list = new OpenList(file, sections, documentCount, fieldCount);
  }

  /**
   * Writes the sum of the costs of pairs of terms in each document, `PAIR_COSTS` or less each, as the
   * lists of all fields have them; false when that would take too much memory or time.
   * @param docs ascending
   */
  pairCosts(docs: Uint32Array, pairs: readonly TermPair[], out: Int32Array): boolean {
    return threadPairKernel().costs(this.#list, docs, pairs, out);
  }

  documentFrequency(list: number): number {
    return this.#list.open(list).count;
  }

  /**
   * Bit `min(field, 31)` set for each segment-local field in which the term occurs (in dead
   * documents too).
   */
  fieldMask(list: number): number {
    return this.#list.open(list).mask;
  }

  /** Ors the list's DocIds into the bitset `bits`. */
  addDocuments(list: number, bits: Uint32Array): void {
    const open = this.#list.open(list);
    const { blockCount, words } = open;
    let before = -1;
    for (let block = 0; block < blockCount; block++) {
      const last = open.lastOf(block);
      const at = open.docsAt(block);
      const width = open.encodingOf(block);
      if (width === BITMAP_ENCODING) orBitmap(words, at, before, last, bits);
      else orPacked(words, at, width, before, this.#docs, bits);
      before = last;
    }
    orRun(open.toRun(), open.runCount, before, bits);
  }

  /** The same for all lists of `[lo, hi)`: one sequential pass. */
  addRangeDocuments(lo: number, hi: number, bits: Uint32Array): void {
    for (let list = lo; list < hi; list++) this.addDocuments(list, bits);
  }

  /** The list's ascending DocIds, dead ones included, in scratch space that the next call overwrites. */
  readDocuments(list: number): Uint32Array {
    const open = this.#list.open(list);
    const { blockCount, count } = open;
    if (this.#allDocs.length < count) this.#allDocs = new Uint32Array(count * 2);
    const all = this.#allDocs;
    for (let block = 0; block < blockCount; block++) {
      this.#decodeDocs(block);
      all.set(this.#docs, block * BLOCK_SIZE);
    }
    const cursor = open.toRun();
    let before = open.lastOf(blockCount - 1);
    for (let i = count & -BLOCK_SIZE; i < count; i++) all[i] = before += cursor.next() + 1;
    return all.subarray(0, count);
  }

  /** True when the list has a document that is not in `dead` (null = none dead). Stops at the first. */
  hasLiveDocument(list: number, dead: Uint32Array | null): boolean {
    const open = this.#list.open(list);
    if (dead === null) return true;
    const { blockCount } = open;
    for (let block = 0; block < blockCount; block++) {
      this.#decodeDocs(block);
      for (let i = 0; i < BLOCK_SIZE; i++) if (!hasBit(dead, this.#docs[i]!)) return true;
    }
    const cursor = open.toRun();
    let before = open.lastOf(blockCount - 1);
    for (let i = open.runCount; i > 0; i--) {
      before += cursor.next() + 1;
      if (!hasBit(dead, before)) return true;
    }
    return false;
  }

  /**
   * Appends to `out` every occurrence in documents whose bit is set in `candidates`, by ascending
   * DocId.
   * @param fieldMap local field → number to use in `keys`, or −1 to leave the occurrence out
   * @param listed the candidates, ascending, when there are few: documents between them are skipped
   */
  readOccurrences(
    list: number,
    candidates: Uint32Array,
    fieldMap: Int32Array,
    out: OccurrenceBuffer,
    listed: Uint32Array | null = null,
  ): void {
    const open = this.#list.open(list);
    this.#mapCodes(fieldMap);
    if (listed === null) this.#readBlocks(candidates, out);
    else this.#readListed(candidates, listed, out);
    const before = open.lastOf(open.blockCount - 1);
    if (listed !== null && listed.length > 0 && listed.at(-1)! <= before) return;
    this.#readRun(before, candidates, out);
  }

  #readBlocks(candidates: Uint32Array, out: OccurrenceBuffer): void {
    const list = this.#list;
    const { blockCount } = list;
    let before = -1;
    for (let block = 0; block < blockCount; block++) {
      const last = list.lastOf(block);
      if (mayHaveCandidate(candidates, before + 1, last)) this.#readBlock(block, candidates, out);
      before = last;
    }
  }

  /** The same, seeking from one listed candidate to the block that may have the next. */
  #readListed(candidates: Uint32Array, listed: Uint32Array, out: OccurrenceBuffer): void {
    const list = this.#list;
    for (let i = 0, block = 0; i < listed.length; block++) {
      block = list.blockFrom(block, listed[i]!);
      if (block === list.blockCount) return;
      const last = list.lastOf(block);
      this.#readBlock(block, candidates, out);
      while (i < listed.length && listed[i]! <= last) i++;
    }
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
    const { count, cursor } = this.#list.open(list);
    return count >= BLOCK_SIZE || holdsCandidate(cursor, count, candidates);
  }

  /**
   * Verifies the invariants of a list: ascending documents below `docLimit`, known fields, parts in
   * bounds.
   */
  verifyList(list: number, docLimit: number): void {
    const open = this.#list.open(list);
    const { blockCount, offsets } = open;
    const offset = offsets[list]!;
    for (let block = 0; block < blockCount; block++) {
      const last = open.lastOf(block);
      if (last <= open.lastOf(block - 1) || last >= docLimit)
        throw open.damage(offset, 'ascending DocIds', String(last));
      this.#decodeDocs(block);
      const own = this.#docs[BLOCK_SIZE - 1];
      if (own !== last) throw open.damage(offset, `block ending at ${last}`, String(own));
    }
    const cursor = open.toRun();
    let before = open.lastOf(blockCount - 1);
    for (let i = open.runCount; i > 0; i--) before += cursor.next() + 1;
    if (before >= docLimit) throw open.damage(offset, `DocIds below ${docLimit}`, String(before));
    if (cursor.position > offsets[list + 1]!)
      throw open.damage(offset, 'a list within its bounds', 'a longer one');
  }

  /** Fills `#docs` with the block's documents. */
  #decodeDocs(block: number): void {
    const list = this.#list;
    const at = list.docsAt(block);
    const before = list.lastOf(block - 1);
    const width = list.encodingOf(block);
    if (width === BITMAP_ENCODING)
      listBitmap(list.words, at, before, list.lastOf(block), this.#docs);
    else if (width <= 32) listPacked(list.words, at, width, before, this.#docs);
    else throw list.damage(list.base * 4, 'a width of at most 32 bits', String(width));
  }

  #mapCodes(fieldMap: Int32Array): void {
    const { mask, wideBits } = this.#list;
    if (mask >>> WIDE_FIELD === 1) {
      this.#codes.map = fieldMap;
      this.#codes.bits = wideBits;
      return;
    }
    const codeMap = this.#narrowMap;
    let count = 0;
    for (let rest = mask; rest !== 0; rest &= rest - 1) {
      codeMap[count++] = fieldMap[31 - Math.clz32(rest & -rest)] ?? -1;
    }
    this.#codes.map = codeMap;
    this.#codes.bits = bitWidth(count - 1);
  }

  /** Appends the occurrences of those documents of a block that are candidates. */
  #readBlock(number: number, candidates: Uint32Array, out: OccurrenceBuffer): void {
    this.#decodeDocs(number);
    const docs = this.#docs;
    const placeCount = placesOfCandidates(docs, candidates, this.#places);
    if (placeCount === 0) return;
    const { words } = this.#list;
    const block = this.#openBlock(this.#list.keysAt(number));
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
    const { words } = this.#list;
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
      throw this.#list.damage(at * 4, 'occurrences within the section', 'more');
    return block;
  }

  #reserveValues(total: number): void {
    if (this.#values.length < total + 3) this.#values = new Uint32Array(total * 2);
  }

  /** The values of a block. */
  #unpacked(block: OccurrenceBlock): Uint32Array {
    const { total, valuesAt, width, exceptionsAt, exceptions } = block;
    const { words } = this.#list;
    this.#reserveValues(total);
    const values = this.#values;
    unpack(words, valuesAt, total, width, values);
    for (let i = exceptionsAt; i < exceptionsAt + exceptions; i++) {
      const exception = words[i]!;
      values[exception >>> 16]! |= (exception & 0xffff) << width;
    }
    return values;
  }

  /** Appends from the documents after the blocks. */
  #readRun(before: number, candidates: Uint32Array, out: OccurrenceBuffer): void {
    const cursor = this.#list.toRun();
    const { runCount: count, isSingle, mask } = this.#list;
    const wantedCount = listRun(cursor, count, before, candidates, this.#docs);
    if (wantedCount === 0) return;
    reserve(out, count);
    if (isSingle) readSingles(cursor, this.#docs, wantedCount, this.#codes, candidates, out);
    else if (mask >>> WIDE_FIELD === 1)
      readCounted(cursor, this.#docs, wantedCount, this.#codes, candidates, out);
    else readLinked(cursor, this.#docs, wantedCount, this.#codes, candidates, out);
  }
}

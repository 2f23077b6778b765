/**
 * Posting lists of a segment, read without copying: documents, fields and positions of each term.
 * Layout: posting-list-format.ts.
 */
import { bitWidth, packedWordCount, unpack } from '../bytes/bitpacking.ts';
import { hasBit } from '../sets/bitset.ts';
import {
  hasCandidate,
  listBitmap,
  listPacked,
  listRun,
  orBitmap,
  orPacked,
  orRun,
} from './document-loops.ts';
import type { OccurrenceBuffer } from './occurrence-key.ts';
import {
  type FieldCodes,
  readCounted,
  readLinked,
  readSingles,
  reserve,
  takeMarked,
  takeSingles,
} from './occurrence-loops.ts';
import { OpenList, type PostingSections } from './open-list.ts';
import { type TermPair, threadPairKernel } from './pair-kernel.ts';
import { BITMAP_ENCODING, BLOCK_SIZE, WIDE_FIELD } from './posting-list-format.ts';

export class PostingLists {
  readonly #list: OpenList;
  readonly #docs = new Uint32Array(BLOCK_SIZE);
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
    const { blockCount } = this.#list;
    for (let block = 0; block < blockCount; block++) this.#readBlock(block, candidates, out);
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
      this.readOccurrences(list, candidates, fieldMap, out, listed);
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
  #readBlock(block: number, candidates: Uint32Array, out: OccurrenceBuffer): void {
    this.#decodeDocs(block);
    const docs = this.#docs;
    if (!hasCandidate(docs, candidates)) return;
    const { words } = this.#list;
    const at = this.#list.keysAt(block);
    const head = words[at]!;
    const hasStarts = (head & 64) !== 0;
    const total = hasStarts ? words[at + 1]! : BLOCK_SIZE;
    const valuesAt = hasStarts ? at + 2 + ((total + 31) >>> 5) : at + 1;
    const values = this.#unpacked(head, valuesAt, total);
    reserve(out, total);
    if (hasStarts) takeMarked(words, at + 2, total, docs, values, this.#codes, candidates, out);
    else takeSingles(docs, values, this.#codes, candidates, out);
  }

  /** The values of a block. @param head its first word: posting-list-format.ts */
  #unpacked(head: number, valuesAt: number, total: number): Uint32Array {
    const { words } = this.#list;
    const width = head & 63;
    const exceptionsAt = valuesAt + packedWordCount(total, width);
    const end = exceptionsAt + (head >>> 7);
    if (width > 32 || end > words.length)
      throw this.#list.damage(valuesAt * 4, 'occurrences within the section', 'more');
    if (this.#values.length < total + 3) this.#values = new Uint32Array(total * 2);
    const values = this.#values;
    unpack(words, valuesAt, total, width, values);
    for (let i = exceptionsAt; i < end; i++) {
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

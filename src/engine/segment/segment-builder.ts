/**
 * Builds a segment in memory from documents in ascending DocId order.
 * Memory: 8 bytes an occurrence while documents arrive, twice that in `finish`, plus terms and stored documents.
 */

import { assert } from '../../core/assert.ts';
import { doubled } from '../bytes/doubled.ts';
import { TermDictionaryWriter } from '../dictionary/term-dictionary-writer.ts';
import { PostingListWriter } from '../postings/posting-list-writer.ts';
import type { SegmentBuilder } from './segment.ts';
import { byFrequency, type SegmentBody, SegmentParts, type TermSections } from './segment-writer.ts';
import { TermInterner } from './term-interner.ts';

/** Field numbers take 16 bits. */
const FIELDS_MAX = 65_536;

/** @param id names the segment in error messages only; the file does not hold it */
export function createSegmentBuilder(id: string): SegmentBuilder {
  return new InMemorySegmentBuilder(id, true);
}

/** Builds a segment but for its stored documents, whose bytes are not looked at. */
export interface SegmentBodyBuilder extends Omit<SegmentBuilder, 'finish'> {
  finishBody(): SegmentBody;
}

export function createSegmentBodyBuilder(id: string): SegmentBodyBuilder {
  return new InMemorySegmentBuilder(id, false);
}

class InMemorySegmentBuilder implements SegmentBuilder, SegmentBodyBuilder {
  readonly #id: string;
  readonly #storesDocuments: boolean;
  readonly #fieldNumbers = new Map<string, number>();
  readonly #fields: string[] = [];
  readonly #interner = new TermInterner();
  readonly #parts = new SegmentParts();
  /** Occurrence `i` is term `terms[i]` at `keys[i]`; those of the document of rank `r` end at `documentEnds[r]`. */
  #terms = new Uint32Array(1 << 12);
  #keys = new Uint32Array(1 << 12);
  #count = 0;
  #documentEnds = new Uint32Array(256);
  /** Words of the current document by field, and the fields that have any. */
  #fieldWords = new Uint32Array(16);
  #touchedFields: number[] = [];
  #open = false;
  #finished = false;

  constructor(id: string, storesDocuments: boolean) {
    this.#id = id;
    this.#storesDocuments = storesDocuments;
  }

  get documentCount(): number {
    return this.#parts.documentCount;
  }

  get memoryBytes(): number {
    const occurrences = this.#terms.byteLength + this.#keys.byteLength + this.#documentEnds.byteLength;
    return occurrences + this.#interner.memoryBytes + this.#parts.memoryBytes;
  }

  fieldNumber(path: string): number {
    const known = this.#fieldNumbers.get(path);
    if (known !== undefined) return known;
    const number = this.#fields.length;
    assert(number < FIELDS_MAX, `segment ${this.#id} has at most ${FIELDS_MAX} fields`);
    this.#fields.push(path);
    this.#fieldNumbers.set(path, number);
    if (number >= this.#fieldWords.length) this.#fieldWords = doubled(this.#fieldWords);
    return number;
  }

  beginDocument(docId: number): void {
    assert(!this.#open && !this.#finished, 'a document begins after the one before has ended');
    this.#open = true;
    this.#parts.addDocId(docId);
  }

  word(bytes: Uint8Array, length: number, hash: number, field: number, position: number): void {
    if (this.#count === this.#terms.length) this.#growOccurrences();
    const at = this.#count++;
    this.#terms[at] = this.#interner.intern(bytes, length, hash);
    this.#keys[at] = (field << 16) | position;
    if (this.#fieldWords[field]!++ === 0) this.#touchedFields.push(field);
  }

  endDocument(id: Uint8Array, json: Uint8Array, topLevelFields: readonly string[]): void {
    assert(this.#open, 'a document ends after it has begun');
    this.#open = false;
    const parts = this.#parts;
    const rank = parts.documentCount - 1;
    const docId = parts.docId(rank);
    for (const field of this.#touchedFields) {
      parts.wordCounts.add(field, this.#fieldWords[field]!, docId);
      this.#fieldWords[field] = 0;
    }
    this.#touchedFields.length = 0;
    if (rank === this.#documentEnds.length) this.#documentEnds = doubled(this.#documentEnds);
    this.#documentEnds[rank] = this.#count;
    parts.ids.add(id);
    parts.shapes.add(topLevelFields);
    if (this.#storesDocuments) parts.stored.add(json);
  }

  finish(): Uint8Array[] {
    this.#close();
    return this.#parts.finish(this.#fields, this.#finishTerms());
  }

  finishBody(): SegmentBody {
    this.#close();
    return this.#parts.finishBody(this.#fields, this.#finishTerms());
  }

  #close(): void {
    assert(!this.#open && !this.#finished, 'a segment is finished once, between documents');
    this.#finished = true;
  }

  #growOccurrences(): void {
    this.#terms = doubled(this.#terms);
    this.#keys = doubled(this.#keys);
  }

  #finishTerms(): TermSections {
    const interner = this.#interner;
    const termCount = interner.count;
    const { ends, docs, keys, masks } = this.#groupByTerm();
    const writer = new PostingListWriter(this.#fields.length, byFrequency(masks));
    const dictionary = new TermDictionaryWriter();
    const postingOffsets = new Uint32Array(termCount + 1);
    let ordinal = 0;
    for (const term of interner.sorted()) {
      dictionary.add(interner.arena, interner.start(term), interner.end(term));
      postingOffsets[ordinal++] = writer.length;
      writer.write(docs, keys, term === 0 ? 0 : ends[term - 1]!, ends[term]!);
    }
    postingOffsets[termCount] = writer.length;
    return { termCount, dictionary: dictionary.finish(), postingOffsets, ...writer.finish() };
  }

  /** Counting sort of the occurrences by term; stable, so documents stay in order. Frees the unsorted ones. */
  #groupByTerm(): { ends: Uint32Array; docs: Uint32Array; keys: Uint32Array; masks: Uint32Array } {
    const count = this.#count;
    const terms = this.#terms;
    const termCount = this.#interner.count;
    const masks = new Uint32Array(termCount);
    const next = new Uint32Array(termCount + 1);
    for (let i = 0; i < count; i++) next[terms[i]! + 1]!++;
    for (let term = 0; term < termCount; term++) next[term + 1]! += next[term]!;
    const docs = new Uint32Array(count);
    const keys = new Uint32Array(count);
    const documentCount = this.#parts.documentCount;
    for (let rank = 0, i = 0; rank < documentCount; rank++) {
      const docId = this.#parts.docId(rank);
      for (const end = this.#documentEnds[rank]!; i < end; i++) {
        const term = terms[i]!;
        const key = this.#keys[i]!;
        const at = next[term]!++;
        docs[at] = docId;
        keys[at] = key;
        masks[term]! |= 1 << Math.min(key >>> 16, 31);
      }
    }
    this.#terms = new Uint32Array(0);
    this.#keys = new Uint32Array(0);
    return { ends: next, docs, keys, masks };
  }
}

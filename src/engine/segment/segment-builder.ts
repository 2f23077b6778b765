/**
 * Builds a segment, except its stored documents, in memory from documents in ascending DocId order.
 * Memory: 8 bytes an occurrence while documents arrive, up to twice that in `finish`, plus terms.
 */

import { assert } from '../../core/assert.ts';
import { doubled } from '../../core/doubled.ts';
import { NumberList } from '../bytes/number-list.ts';
import { TermInterner } from '../bytes/term-interner.ts';
import type { SortedTerms } from '../dictionary/sorted-terms.ts';
import { TermDictionaryWriter } from '../dictionary/term-dictionary-writer.ts';
import { fieldOfOccurrence, occurrenceKey } from '../postings/occurrence-key.ts';
import { PostingListWriter } from '../postings/posting-list-writer.ts';
import { OccurrenceList } from './occurrence-list.ts';
import { FrequentRanges } from './range-digests-writer.ts';
import {
  byFrequency,
  SEGMENT_LIMITS,
  type SegmentBody,
  type SegmentLimits,
  SegmentParts,
  type TermSections,
  type TextSections,
  TextWriter,
} from './segment-writer.ts';

/** Occurrences by term: those of term `t` end at `ends[t]`. */
interface GroupedOccurrences {
  readonly ends: Uint32Array;
  readonly docs: Uint32Array;
  readonly keys: Uint32Array;
  /** Fields of each term, as bits. */
  readonly masks: Uint32Array;
  readonly text: TextSections;
}

/** Field numbers take 16 bits. */
const FIELDS_MAX = 65_536;

/**
 * Takes documents in ascending DocId order and yields a segment except its stored documents, which
 * `StoredDocumentsWriter` takes. Single use.
 */
export class SegmentBuilder {
  readonly #id: string;
  readonly #fieldNumbers = new Map<string, number>();
  readonly #fields: string[] = [];
  readonly #interner = new TermInterner();
  readonly #limits: SegmentLimits;
  readonly #parts: SegmentParts;
  readonly #occurrences = new OccurrenceList();
  /** Occurrences of the document of rank `r` end at `documentEnds[r]`. */
  readonly #documentEnds = new NumberList();
  /** Words of the current document by field, and the fields that have words. */
  #fieldWords = new Uint32Array(16);
  #touchedFields: number[] = [];
  #open = false;
  #finished = false;

  /** @param id names the segment in error messages only; it is not stored in the file */
  constructor(id: string, limits = SEGMENT_LIMITS) {
    this.#id = id;
    this.#limits = limits;
    this.#parts = new SegmentParts(limits);
  }

  get documentCount(): number {
    return this.#parts.documentCount;
  }

  /** Bytes held now, for the caller's memory budget. */
  get memoryBytes(): number {
    const occurrences = this.#occurrences.memoryBytes + this.#documentEnds.items.byteLength;
    return occurrences + this.#interner.memoryBytes + this.#parts.memoryBytes;
  }

  /** Number of the field with this path, assigned at first use. */
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

  /** An indexed word; arguments as `WordSink.word` plus its field. Fields may come in any order. */
  word(bytes: Uint8Array, length: number, hash: number, field: number, position: number): void {
    this.chunk(bytes, length, hash, field, position);
    if (this.#fieldWords[field]!++ === 0) this.#touchedFields.push(field);
  }

  /** A chunk: as `word`, but not one of the words that the field's length counts. */
  chunk(bytes: Uint8Array, length: number, hash: number, field: number, position: number): void {
    this.#occurrences.add(
      this.#interner.intern(bytes, length, hash),
      occurrenceKey(field, position),
    );
  }

  /**
   * @param id the id's text in UTF-8
   * @param topLevelFields names in document order
   */
  endDocument(id: Uint8Array, topLevelFields: readonly string[]): void {
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
    this.#documentEnds.push(this.#occurrences.count);
    parts.ids.add(id);
    parts.shapes.add(topLevelFields);
  }

  finish(): SegmentBody {
    assert(!this.#open && !this.#finished, 'a segment is finished once, between documents');
    this.#finished = true;
    return this.#parts.finishBody(this.#fields, this.#finishTerms());
  }

  #finishTerms(): TermSections {
    const interner = this.#interner;
    const termCount = interner.count;
    const order = interner.sorted();
    const dictionary = new TermDictionaryWriter();
    for (const term of order)
      dictionary.add(interner.arena, interner.start(term), interner.end(term));
    const { ends, docs, keys, masks, text } = this.#groupByTerm(order, dictionary.terms);
    const writer = new PostingListWriter(this.#fields.length, byFrequency(masks));
    const ranges = new FrequentRanges(this.#limits);
    const postingOffsets = new Uint32Array(termCount + 1);
    let ordinal = 0;
    for (const term of order) {
      const from = term === 0 ? 0 : ends[term - 1]!;
      const end = ends[term]!;
      ranges.add(interner.arena, interner.start(term), interner.end(term), end - from);
      postingOffsets[ordinal++] = writer.length;
      writer.write(docs, keys, from, end);
    }
    postingOffsets[termCount] = writer.length;
    return {
      termCount,
      dictionary: dictionary.finish(),
      postingOffsets,
      ...writer.finish(),
      text,
      frequent: ranges.finish(),
    };
  }

  /**
   * Counting sort of the occurrences by term; stable, so documents stay in order. Writes the
   * sections of texts while it reads the unsorted occurrences, and frees them as it goes.
   * @param order numbers of the terms by ascending bytes
   */
  #groupByTerm(order: Uint32Array, terms: SortedTerms): GroupedOccurrences {
    const { count } = this.#occurrences;
    const chunks = this.#occurrences.take();
    const termCount = this.#interner.count;
    const masks = new Uint32Array(termCount);
    const ordinals = new Uint32Array(termCount);
    order.forEach((term, ordinal) => {
      ordinals[term] = ordinal;
    });
    const next = new Uint32Array(termCount + 1);
    for (const pairs of chunks) for (let i = 0; i < pairs.length; i += 2) next[pairs[i]! + 1]!++;
    const occurrences = order.map((term) => next[term + 1]!);
    const documents =
      count < this.#limits.pairSegmentWordsMin ? null : this.#documentCounts(chunks, ordinals);
    const text = new TextWriter(terms, { occurrences, documents }, this.#parts);
    for (let term = 0; term < termCount; term++) next[term + 1]! += next[term]!;
    const docs = new Uint32Array(count);
    const keys = new Uint32Array(count);
    const { items: documentEnds } = this.#documentEnds;
    let rank = 0;
    let before = 0;
    for (let pairs = chunks.shift(); pairs !== undefined; pairs = chunks.shift()) {
      for (let i = 0; i < pairs.length; ) {
        for (; documentEnds[rank]! <= before + i / 2; rank++) text.endDocument();
        const docId = this.#parts.docId(rank);
        const end = Math.min(pairs.length, (documentEnds[rank]! - before) * 2);
        for (; i < end; i += 2) {
          const term = pairs[i]!;
          const key = pairs[i + 1]!;
          const at = next[term]!++;
          docs[at] = docId;
          keys[at] = key;
          masks[term]! |= 1 << Math.min(fieldOfOccurrence(key), 31);
          text.add(ordinals[term]!, key);
        }
      }
      before += pairs.length / 2;
    }
    for (; rank < this.#parts.documentCount; rank++) text.endDocument();
    return { ends: next, docs, keys, masks, text: text.finish(this.#parts) };
  }
  /** Documents of each term by ordinal. @param ordinals by term */
  #documentCounts(chunks: readonly Uint32Array[], ordinals: Uint32Array): Uint32Array {
    const documents = new Uint32Array(ordinals.length);
    /** By term: rank + 1 of the last document with it. */
    const last = new Uint32Array(ordinals.length);
    const { items: documentEnds } = this.#documentEnds;
    let rank = 0;
    let before = 0;
    for (const pairs of chunks) {
      for (let i = 0; i < pairs.length; i += 2) {
        while (documentEnds[rank]! <= before + i / 2) rank++;
        const term = pairs[i]!;
        if (last[term] === rank + 1) continue;
        last[term] = rank + 1;
        documents[ordinals[term]!]!++;
      }
      before += pairs.length / 2;
    }
    return documents;
  }
}

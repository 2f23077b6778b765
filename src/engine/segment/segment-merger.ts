/**
 * Merges several segments into one, without their dead documents. Documents keep their DocIds;
 * terms and fields without a live document are dropped. Reads the inputs without copying them:
 * memory is that of the output, plus one term's occurrences.
 */

import { assert } from '../../core/assert.ts';
import { trainTokens } from '../bytes/token-trainer.ts';
import { compareBytes } from '../bytes/utf8.ts';
import type { SortedTerms } from '../dictionary/sorted-terms.ts';
import { TermDictionaryWriter } from '../dictionary/term-dictionary-writer.ts';
import {
  fieldOfOccurrence,
  newOccurrences,
  type OccurrenceBuffer,
  occurrenceKey,
  positionOfOccurrence,
} from '../postings/occurrence-key.ts';
import { PostingListWriter } from '../postings/posting-list-writer.ts';
import { hasBit, makeBitset, setBit } from '../sets/bitset.ts';
import { isLive } from '../sets/tombstones.ts';
import type { TermCounts } from './frequent-pairs.ts';
import type { SegmentWithDead } from './live-documents.ts';
import { FrequentRanges } from './range-digests-writer.ts';
import type { SegmentReader } from './segment-reader.ts';
import {
  SEGMENT_LIMITS,
  type SegmentLimits,
  SegmentParts,
  type TermSections,
  type TextSections,
  TextWriter,
} from './segment-writer.ts';
import { COMPRESSED_BYTES_MIN, SAMPLE_BYTES, SAMPLE_TEXT_MAX } from './stored-documents.ts';

/** A token table serves this many times the text it was learnt for. */
const TABLE_GROWTH_MAX = 2;

/**
 * One input being read: its live documents, its field numbers in the output, and its current term.
 */
class Source {
  readonly reader: SegmentReader;
  readonly live: Uint32Array;
  readonly liveIds: Uint32Array;
  /** Number in the output of each field, or −1 when no live document has it. */
  readonly fieldMap: Int32Array;
  /** Ordinal in the output of each term that a live document has. */
  readonly termMap: Uint32Array;
  /** Ordinal and bytes of the current term; null after the last. */
  term = 0;
  termBytes: Uint8Array | null = null;

  constructor({ reader, dead }: SegmentWithDead) {
    this.reader = reader;
    this.liveIds =
      dead === null ? reader.docIds : reader.docIds.filter((docId) => isLive(docId, dead));
    this.live = makeBitset((this.liveIds.at(-1) ?? -1) + 1);
    for (const docId of this.liveIds) setBit(this.live, docId);
    this.fieldMap = new Int32Array(reader.fields.length).fill(-1);
    this.termMap = new Uint32Array(reader.terms.termCount);
    this.#load();
  }

  nextTerm(): void {
    this.term++;
    this.#load();
  }

  #load(): void {
    const { terms } = this.reader;
    this.termBytes = this.term < terms.termCount ? terms.bytes(this.term) : null;
  }

  /** Fields that live documents have words in. */
  liveFields(): Set<number> {
    const fields = new Set<number>();
    const { reader, live, liveIds } = this;
    if (liveIds.length === 0) return fields;
    if (liveIds.length === reader.documentCount) return new Set(reader.fields.keys());
    const scratch = newOccurrences(256);
    const identity = Int32Array.from(reader.fields.keys());
    for (
      let term = 0;
      term < reader.terms.termCount && fields.size < reader.fields.length;
      term++
    ) {
      if (!mayAddField(reader.postings.fieldMask(term), fields)) continue;
      scratch.length = 0;
      reader.postings.readOccurrences(term, live, identity, scratch);
      for (let i = 0; i < scratch.length; i++) fields.add(fieldOfOccurrence(scratch.keys[i]!));
    }
    return fields;
  }
}

/** False when every field of the mask is known already. */
function mayAddField(mask: number, known: ReadonlySet<number>): boolean {
  if (mask >>> 31 === 1) return true;
  for (let rest = mask; rest !== 0; rest &= rest - 1)
    if (!known.has(31 - Math.clz32(rest & -rest))) return true;
  return false;
}

/** The bytes of the merged segment's file in order. No document may be alive in two inputs. */
export function mergeSegments(
  id: string,
  inputs: readonly SegmentWithDead[],
  limits = SEGMENT_LIMITS,
): Uint8Array[] {
  const sources = inputs.map((input) => new Source(input));
  const fields = mergeFields(sources);
  const parts = new SegmentParts(limits);
  const copied = chooseTable(sources, parts);
  mergeDocuments(id, sources, parts, copied);
  mergeWordCounts(sources, parts);
  return parts.finish(fields, mergeTerms(sources, parts, fields.length, limits));
}

function mergeFields(sources: readonly Source[]): string[] {
  const numbers = new Map<string, number>();
  for (const source of sources) {
    const live = source.liveFields();
    for (const [local, path] of source.reader.fields.entries()) {
      if (!live.has(local)) continue;
      const number = numbers.get(path) ?? numbers.size;
      numbers.set(path, number);
      source.fieldMap[local] = number;
    }
  }
  return [...numbers.keys()];
}

/**
 * Chooses the encoding of stored documents. Keeps the largest input's table and copies its
 * documents unchanged, unless the output is so much larger than the text the table was learnt for
 * that a new table pays. Returns the input to copy from, or null.
 */
function chooseTable(sources: readonly Source[], parts: SegmentParts): SegmentReader | null {
  const liveBytes = sources.map(
    ({ reader, liveIds }) =>
      reader.storedBytes * (liveIds.length / Math.max(reader.documentCount, 1)),
  );
  const allBytes = liveBytes.reduce((sum, bytes) => sum + bytes, 0);
  if (allBytes < COMPRESSED_BYTES_MIN) return null;
  const largest = sources[liveBytes.indexOf(Math.max(...liveBytes))]!.reader;
  const table = largest.storedTable;
  if (table !== null && table.learntKilobytes * 1024 * TABLE_GROWTH_MAX >= allBytes) {
    parts.stored.useTable(table);
    return largest;
  }
  parts.stored.useTable(trainTokens(sampleDocuments(sources, allBytes), allBytes));
  return null;
}

/** A sample of documents spread over all inputs. */
function sampleDocuments(sources: readonly Source[], allBytes: number): Uint8Array[] {
  const sample: Uint8Array[] = [];
  const share = Math.min(1, SAMPLE_BYTES / allBytes);
  for (const { reader, liveIds } of sources) {
    for (let i = 0; i < liveIds.length; i = Math.max(i + 1, Math.floor(i + 1 / share))) {
      sample.push(reader.readDocument(liveIds[i]!).slice(0, SAMPLE_TEXT_MAX));
    }
  }
  return sample;
}

function mergeDocuments(
  id: string,
  sources: readonly Source[],
  parts: SegmentParts,
  copied: SegmentReader | null,
): void {
  let before = -1;
  for (const [{ reader }, docId] of documentsInOrder(sources)) {
    assert(docId > before, `document ${docId} is alive in two of the segments merged into ${id}`);
    before = docId;
    parts.addDocId(docId);
    parts.ids.add(reader.documentId(docId));
    parts.shapes.add(reader.shapes[reader.shapeOf(docId)]!);
    if (reader === copied) copied.copyStored(docId, parts.stored);
    else parts.stored.add(reader.readDocument(docId));
  }
}

/** Live documents of all inputs by ascending DocId. */
function* documentsInOrder(sources: readonly Source[]): Generator<readonly [Source, number]> {
  const next = sources.map(() => 0);
  for (;;) {
    let chosen = -1;
    let docId = Number.POSITIVE_INFINITY;
    for (let i = 0; i < sources.length; i++) {
      const candidate = sources[i]!.liveIds[next[i]!];
      if (candidate === undefined || candidate >= docId) continue;
      docId = candidate;
      chosen = i;
    }
    if (chosen < 0) return;
    next[chosen]!++;
    yield [sources[chosen]!, docId];
  }
}

/** null when an input has no forward index. */
function mergeTexts(
  sources: readonly Source[],
  parts: SegmentParts,
  terms: SortedTerms,
  counts: TermCounts,
): TextSections | null {
  if (sources.some(({ reader }) => reader.forward === null)) return null;
  const writer = new TextWriter(terms, counts, parts);
  for (const [{ reader, termMap, fieldMap }, docId] of documentsInOrder(sources)) {
    reader.forward!.forEachWord(reader.ranks.rankOf(docId), (ordinal, key) =>
      writer.add(
        termMap[ordinal]!,
        occurrenceKey(fieldMap[fieldOfOccurrence(key)]!, positionOfOccurrence(key)) >>> 0,
      ),
    );
    writer.endDocument();
  }
  return writer.finish(parts);
}

function mergeWordCounts(sources: readonly Source[], parts: SegmentParts): void {
  for (const { reader, live, fieldMap } of sources)
    reader.wordCounts.forEachLength((field, length, docIds) => {
      const target = fieldMap[field]!;
      if (target < 0) return;
      for (const docId of docIds)
        if (hasBit(live, docId)) parts.wordCounts.add(target, length, docId);
    });
}

function mergeTerms(
  sources: readonly Source[],
  parts: SegmentParts,
  fieldCount: number,
  limits: SegmentLimits,
): TermSections {
  const writer = new PostingListWriter(fieldCount, frequentMasks(sources));
  const dictionary = new TermDictionaryWriter();
  const ranges = new FrequentRanges(limits);
  const offsets: number[] = [];
  const occurrences: number[] = [];
  const documents: number[] = [];
  const merger = new OccurrenceMerger();
  for (let bytes = leastTerm(sources); bytes !== null; bytes = leastTerm(sources)) {
    merger.clear();
    for (const source of sources) {
      if (
        source.termBytes === null ||
        (source.termBytes !== bytes && compareBytes(source.termBytes, bytes) !== 0)
      )
        continue;
      source.reader.postings.readOccurrences(
        source.term,
        source.live,
        source.fieldMap,
        merger.input,
      );
      source.termMap[source.term] = offsets.length;
      merger.endRun();
      source.nextTerm();
    }
    if (merger.input.length === 0) continue;
    offsets.push(writer.length);
    occurrences.push(merger.input.length);
    const { docs, keys, length } = merger.sorted();
    documents.push(writer.write(docs, keys, 0, length));
    dictionary.add(bytes, 0, bytes.length);
    ranges.add(bytes, 0, bytes.length, length);
  }
  const termCount = offsets.length;
  offsets.push(writer.length);
  return {
    termCount,
    dictionary: dictionary.finish(),
    postingOffsets: Uint32Array.from(offsets),
    ...writer.finish(),
    text: mergeTexts(sources, parts, dictionary.terms, {
      occurrences: Uint32Array.from(occurrences),
      documents: Uint32Array.from(documents),
    }),
    frequent: ranges.finish(),
  };
}

function leastTerm(sources: readonly Source[]): Uint8Array | null {
  let least: Uint8Array | null = null;
  for (const { termBytes } of sources) {
    if (termBytes !== null && (least === null || compareBytes(termBytes, least) < 0))
      least = termBytes;
  }
  return least;
}

/** The most frequent field masks of a sample of terms, in numbers of the output. */
function frequentMasks(sources: readonly Source[]): number[] {
  const counts = new Map<number, number>();
  for (const { reader, fieldMap } of sources) {
    const step = Math.max(1, Math.floor(reader.terms.termCount / 4096));
    for (let term = 0; term < reader.terms.termCount; term += step) {
      let mask = 0;
      for (let rest = reader.postings.fieldMask(term); rest !== 0; rest &= rest - 1) {
        const target = fieldMap[31 - Math.clz32(rest & -rest)]!;
        if (target >= 0) mask |= 1 << Math.min(target, 31);
      }
      if (mask !== 0) counts.set(mask >>> 0, (counts.get(mask >>> 0) ?? 0) + step);
    }
  }
  return [...counts].sort((a, b) => b[1] - a[1]).map(([mask]) => mask);
}

/** Brings occurrences that were read input by input into DocId order. */
class OccurrenceMerger {
  readonly input = newOccurrences(1024);
  readonly #output = newOccurrences(1024);
  /** Where each input's run ends. */
  readonly #ends: number[] = [];

  clear(): void {
    this.input.length = 0;
    this.#ends.length = 0;
  }

  /** Marks the end of one input's occurrences. */
  endRun(): void {
    const { length } = this.input;
    if (length > (this.#ends.at(-1) ?? 0)) this.#ends.push(length);
  }

  sorted(): OccurrenceBuffer {
    const { docs } = this.input;
    const ends = this.#ends;
    for (let run = 0; run < ends.length - 1; run++) {
      if (docs[ends[run]! - 1]! > docs[ends[run]!]!) return this.#merge();
    }
    return this.input;
  }

  #merge(): OccurrenceBuffer {
    const { docs, keys, length } = this.input;
    const output = this.#output;
    if (output.docs.length < length) {
      output.docs = new Uint32Array(docs.length);
      output.keys = new Uint32Array(docs.length);
    }
    const ends = this.#ends;
    const heads = [0, ...ends.slice(0, -1)];
    for (let at = 0; at < length; ) {
      let chosen = -1;
      let docId = Number.POSITIVE_INFINITY;
      for (let run = 0; run < heads.length; run++) {
        const head = heads[run]!;
        if (head === ends[run] || docs[head]! >= docId) continue;
        docId = docs[head]!;
        chosen = run;
      }
      let head = heads[chosen]!;
      for (const end = ends[chosen]!; head < end && docs[head] === docId; head++, at++) {
        output.docs[at] = docId;
        output.keys[at] = keys[head]!;
      }
      heads[chosen] = head;
    }
    output.length = length;
    return output;
  }
}

/** Compares a segment with the documents it should hold, question by question. */
import { expect } from 'vitest';
import { encodeUtf8 } from '../../../../src/engine/bytes/utf8.ts';
import { listOf } from '../../../../src/engine/segment/frequent-pairs.ts';
import { SegmentReader } from '../../../../src/engine/segment/segment-reader.ts';
import { lengthCode, lengthOfCode } from '../../../../src/engine/segment/word-counts.ts';
import { hasBit, makeBitset, setBit, toArray } from '../../../../src/engine/sets/bitset.ts';
import { DIGEST_ALL, SegmentFileBuilder } from '../../../support/segment-file.ts';
import {
  feed,
  joinParts,
  type ModelDocument,
  modelOccurrences,
  modelTerms,
  newBuffer,
} from './segment-model.ts';

export function build(documents: readonly ModelDocument[], digests = DIGEST_ALL): SegmentReader {
  const builder = new SegmentFileBuilder('s', digests);
  feed(builder, documents);
  return new SegmentReader('s', joinParts(builder.finish()));
}

/** Thousands of times as fast as `toEqual` on long lists that are equal. */
function expectEqual(found: readonly string[], expected: readonly string[]): void {
  if (found.join('\n') !== expected.join('\n')) expect(found).toEqual(expected);
}

const decoder = new TextDecoder();
const limitOf = (documents: readonly ModelDocument[]): number => (documents.at(-1)?.docId ?? 0) + 1;
const identity = (reader: SegmentReader): Int32Array => Int32Array.from(reader.fields.keys());

function readAll(
  reader: SegmentReader,
  lo: number,
  hi: number,
  candidates: Uint32Array,
  fieldMap: Int32Array,
  listed: Uint32Array | null = null,
): string[] {
  const out = newBuffer();
  if (hi === lo + 1) reader.postings.readOccurrences(lo, candidates, fieldMap, out, listed);
  else reader.postings.readRangeOccurrences(lo, hi, candidates, fieldMap, out, listed);
  const found: string[] = [];
  for (let i = 0; i < out.length; i++) {
    const key = out.keys[i] as number;
    found.push(`${out.docs[i]}/${reader.fields[key >>> 16]}/${key & 0xffff}`);
  }
  return found.sort();
}

function checkTerms(reader: SegmentReader, documents: readonly ModelDocument[]): void {
  const terms = modelTerms(documents);
  const occurrences = modelOccurrences(documents);
  const limit = limitOf(documents);
  const everything = makeBitset(limit).fill(0xffffffff);
  const some = makeBitset(limit);
  for (const { docId } of documents) if (docId % 3 === 0) setBit(some, docId);
  const dropTitle = Int32Array.from(reader.fields, (field, number) =>
    field === 'title' ? -1 : number,
  );
  expect(reader.terms.termCount).toBe(terms.length);
  for (const [ordinal, term] of terms.entries()) {
    const bytes = encodeUtf8(term);
    expect(reader.terms.find(bytes)).toBe(ordinal);
    expect(reader.terms.lowerBound(bytes)).toBe(ordinal);
    expect(reader.terms.text(ordinal)).toBe(term);
    expect(reader.terms.bytes(ordinal)).toEqual(bytes);
    const expected = occurrences.get(term)!;
    const docs = [...new Set(expected.map((text) => Number(text.split('/')[0])))].sort(
      (a, b) => a - b,
    );
    expect(reader.postings.documentFrequency(ordinal)).toBe(docs.length);
    const bits = makeBitset(limit);
    reader.postings.addDocuments(ordinal, bits);
    expect([...toArray(bits)]).toEqual(docs);
    expect(reader.postings.hasLiveDocument(ordinal, null)).toBe(true);
    expect(reader.postings.hasLiveDocument(ordinal, bits)).toBe(false);
    bits[(docs.at(-1) as number) >>> 5] = 0;
    expect(reader.postings.hasLiveDocument(ordinal, bits)).toBe(true);
    const fields = new Set(
      expected.map((text) => reader.fields.indexOf(text.split('/')[1] as string)),
    );
    expect(reader.postings.fieldMask(ordinal)).toBe(
      [...fields].reduce((mask, field) => mask | (1 << Math.min(field, 31)), 0) >>> 0,
    );
    expectEqual(readAll(reader, ordinal, ordinal + 1, everything, identity(reader)), expected);
    const kept = expected.filter(
      (text) => hasBit(some, Number(text.split('/')[0])) && text.split('/')[1] !== 'title',
    );
    expectEqual(readAll(reader, ordinal, ordinal + 1, some, dropTitle), kept);
    const listed = toArray(some);
    expectEqual(readAll(reader, ordinal, ordinal + 1, some, dropTitle, listed), kept);
  }
}

function checkPrefixes(reader: SegmentReader, documents: readonly ModelDocument[]): void {
  const terms = modelTerms(documents);
  const occurrences = modelOccurrences(documents);
  const limit = limitOf(documents);
  const everything = makeBitset(limit).fill(0xffffffff);
  for (const prefix of ['', 'a', 'ab', 'c', 'cat', 'é', '日', 'zzz', '\u{10ffff}']) {
    const { lo, hi } = reader.terms.prefixRange(encodeUtf8(prefix));
    expect(terms.slice(lo, hi)).toEqual(terms.filter((term) => term.startsWith(prefix)));
    const bits = makeBitset(limit);
    reader.postings.addRangeDocuments(lo, hi, bits);
    const docs = documents
      .filter(({ words }) => words.some(({ term }) => term.startsWith(prefix)))
      .map(({ docId }) => docId);
    expect([...toArray(bits)]).toEqual(docs);
    if (hi - lo !== 1) {
      const expected = terms.slice(lo, hi).flatMap((term) => occurrences.get(term)!);
      expectEqual(readAll(reader, lo, hi, everything, identity(reader)), expected.sort());
      const few = makeBitset(limit);
      for (const { docId } of documents) if (docId % 5 === 0) setBit(few, docId);
      expectEqual(
        readAll(reader, lo, hi, few, identity(reader), toArray(few)),
        expected.filter((text) => hasBit(few, Number(text.split('/')[0]))),
      );
    }
  }
}

/** Beginnings of one, two or three characters, and terms, which `DIGEST_ALL` has digests of. */
const DIGESTED = ['a', 'ab', 'c', 'cat', 'é', '日', 'b𝒳'];

function checkDigests(reader: SegmentReader, documents: readonly ModelDocument[]): void {
  for (const text of DIGESTED) {
    const bytes = encodeUtf8(text);
    const { lo, hi } = reader.terms.prefixRange(bytes);
    if (lo < hi) checkDigest(reader, documents, lo, hi, (term) => term.startsWith(text));
    const own = reader.terms.find(bytes);
    if (own >= 0) checkDigest(reader, documents, own, own + 1, (term) => term === text);
  }
}

function checkDigest(
  reader: SegmentReader,
  documents: readonly ModelDocument[],
  lo: number,
  hi: number,
  isMeant: (term: string) => boolean,
): void {
  const digest = reader.rangeDigest(lo, hi);
  if (reader.fields.length > 28) {
    expect(digest).toBeNull();
    return;
  }
  const expected = documents.flatMap(({ docId, words }) => {
    const own = words.filter(({ term }) => isMeant(term));
    if (own.length === 0) return [];
    const fields = own.reduce((mask, { field }) => mask | (1 << reader.fields.indexOf(field)), 0);
    return [{ docId, fields, position: Math.min(...own.map(({ position }) => position)) }];
  });
  const { fieldPositionClasses, addDocuments, documentCount, addClass, readClass } = digest!;
  const all = makeBitset(limitOf(documents));
  addDocuments(all);
  expect([...toArray(all)]).toEqual(expected.map(({ docId }) => docId));
  fieldPositionClasses.forEach(({ fields, least, most }, n) => {
    const meant = expected.filter(
      (one) => one.fields === fields && one.position >= least && one.position <= most,
    );
    const docs = meant.map(({ docId }) => docId);
    expect(docs).not.toEqual([]);
    expect([...readClass(n)]).toEqual(docs);
    expect(documentCount(n)).toBe(docs.length);
    const bits = makeBitset(limitOf(documents));
    addClass(n, bits);
    expect([...toArray(bits)]).toEqual(docs);
  });
}

function checkForward(reader: SegmentReader, documents: readonly ModelDocument[]): void {
  const forward = reader.forward!;
  for (const { docId, words } of documents) {
    const nameOf = (term: string, key: number): string =>
      `${term}/${reader.fields[key >>> 16]}/${key & 0xffff}`;
    const rank = reader.ranks.rankOf(docId);
    const found: string[] = [];
    forward.forEachWord(rank, (ordinal, key) => {
      found.push(nameOf(reader.terms.text(ordinal), key));
    });
    const all = words.map(({ term, field, position }) => ({
      term,
      place: `${field}/${position}`,
    }));
    expect(found.sort()).toEqual(all.map(({ term, place }) => `${term}/${place}`).sort());
  }
}

function checkJoined(reader: SegmentReader, documents: readonly ModelDocument[]): void {
  const terms = new Set(modelTerms(documents));
  const expected = new Map<string, Set<number>>();
  for (const { docId, words } of documents) {
    words.forEach(({ term, field, position }, i) => {
      const before = words[i - 1];
      const isNext = before?.field === field && before.position + 1 === position;
      if (!isNext || !terms.has(before.term + term)) return;
      const name = `${before.term}|${term}`;
      expected.set(name, (expected.get(name) ?? new Set()).add(docId));
    });
  }
  const joined = reader.joined!;
  const found = new Map<string, Set<number>>();
  const miscounted: string[] = [];
  eachPair(reader, [...terms], new Set(expected.keys()), (name, first, second) => {
    const pair = joined.pair(first, second);
    const docs = joined.documents(pair);
    if (joined.count(pair) !== docs.length) miscounted.push(name);
    if (docs.length > 0) found.set(name, new Set(docs));
  });
  expect(miscounted).toEqual([]);
  expect(found).toEqual(expected);
}

/**
 * Visits the pairs of two terms named `left|right`: those of `names`, and every 32nd of all others.
 * All of them are millions where terms are thousands.
 */
function eachPair(
  reader: SegmentReader,
  terms: readonly string[],
  names: ReadonlySet<string>,
  visit: (name: string, left: number, right: number) => void,
): void {
  const ordinals = terms.map((term) => reader.terms.find(encodeUtf8(term)));
  terms.forEach((left, i) => {
    terms.forEach((right, j) => {
      const name = `${left}|${right}`;
      if (names.has(name) || (i * terms.length + j) % 32 === 0)
        visit(name, ordinals[i] as number, ordinals[j] as number);
    });
  });
}

/** Least distances of two terms in each document, where there are lists of all pairs. */
function checkPairs(reader: SegmentReader, documents: readonly ModelDocument[]): void {
  const expected = new Set<string>();
  const names = new Set<string>();
  for (const { docId, words } of documents) {
    const least = new Map<string, number>();
    words.forEach(({ term, field, position }, i) => {
      for (const left of words.slice(Math.max(0, i - 3), i)) {
        const distance = position - left.position;
        if (left.field !== field || distance < 1 || distance > 3) continue;
        names.add(`${left.term}|${term}`);
        const name = `${left.term}|${term}|${docId}`;
        least.set(name, Math.min(least.get(name) ?? 3, distance));
      }
    });
    for (const [name, distance] of least) expected.add(`${name}|${distance}`);
  }
  const pairs = reader.frequentPairs!;
  const found: string[] = [];
  const miscounted: string[] = [];
  const terms = modelTerms(documents);
  const ordinals = terms.map((term) => reader.terms.find(encodeUtf8(term))).sort((a, b) => a - b);
  for (const ordinal of ordinals) {
    const partners = [...pairs.partnersOf(ordinal)].sort((a, b) => a - b);
    if (partners.join() !== ordinals.join()) expect(partners).toEqual(ordinals);
  }
  eachPair(reader, terms, names, (name, first, second) => {
    const pair = pairs.pair(first, second);
    for (const distance of [1, 2, 3]) {
      const docs = pairs.documents(listOf(pair, distance));
      if (pairs.count(listOf(pair, distance)) !== docs.length)
        miscounted.push(`${name}|${distance}`);
      for (const docId of docs) found.push(`${name}|${docId}|${distance}`);
    }
  });
  expect(miscounted).toEqual([]);
  expectEqual(found.sort(), [...expected].sort());
}

function checkDocuments(reader: SegmentReader, documents: readonly ModelDocument[]): void {
  expect(reader.documentCount).toBe(documents.length);
  expect([...reader.docIds]).toEqual(documents.map(({ docId }) => docId));
  expect(reader.storedBytes).toBe(
    documents.reduce((sum, { json }) => sum + encodeUtf8(json).length, 0),
  );
  for (const document of documents) {
    const id = encodeUtf8(document.id);
    expect(reader.findDocument(id)).toBe(document.docId);
    expect(decoder.decode(reader.documentId(document.docId))).toBe(document.id);
    expect(decoder.decode(reader.readDocument(document.docId))).toBe(document.json);
    expect([...(reader.shapes[reader.shapeOf(document.docId)] as string[])].sort()).toEqual(
      [...document.names].sort(),
    );
  }
  expect(reader.findDocument(encodeUtf8('id-'))).toBe(-1);
  expect(reader.findDocument(encodeUtf8('id-1'))).toBe(-1);
  expect(() => reader.readDocument(limitOf(documents) + 1)).toThrow(RangeError);
}

function checkWordCounts(reader: SegmentReader, documents: readonly ModelDocument[]): void {
  for (const [number, field] of reader.fields.entries()) {
    for (let count = 0; count <= 31; count++) {
      const bits = makeBitset(limitOf(documents));
      reader.wordCounts.addDocuments(number, count, bits);
      const docs = documents.filter(
        ({ words }) => words.filter((word) => word.field === field).length === count,
      );
      expect([...toArray(bits)]).toEqual(
        count === 0 || count > 30 ? [] : docs.map(({ docId }) => docId),
      );
    }
  }
}

/** Of every document's every field, short or long. */
function checkLengths(reader: SegmentReader, documents: readonly ModelDocument[]): void {
  const found: string[] = [];
  reader.wordCounts.forEachLength((number, length, docIds) => {
    for (const docId of docIds) found.push(`${docId} ${reader.fields[number]} ${length}`);
  });
  const expected = documents.flatMap(({ docId, words }) =>
    [...new Set(words.map(({ field }) => field))].map((field) => {
      const length = words.filter((word) => word.field === field).length;
      return `${docId} ${field} ${lengthOfCode(lengthCode(length))}`;
    }),
  );
  expect(found.sort()).toEqual(expected.sort());
}

export function checkSegment(reader: SegmentReader, documents: readonly ModelDocument[]): void {
  reader.verify();
  checkTerms(reader, documents);
  checkPrefixes(reader, documents);
  checkDigests(reader, documents);
  checkForward(reader, documents);
  checkJoined(reader, documents);
  checkPairs(reader, documents);
  checkDocuments(reader, documents);
  checkWordCounts(reader, documents);
  checkLengths(reader, documents);
}

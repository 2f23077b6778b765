/**
 * Goal: damage to a segment file is reported and never causes a crash, a hang or memory beyond the
 * file's size. Method: cuts and bit flips.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CorruptionError } from '../../../../src/core/errors.ts';
import { encodeUtf8 } from '../../../../src/engine/bytes/utf8.ts';
import { listOf } from '../../../../src/engine/segment/frequent-pairs.ts';
import { SegmentReader } from '../../../../src/engine/segment/segment-reader.ts';
import { makeBitset } from '../../../../src/engine/sets/bitset.ts';
import { amount } from '../../../support/run-length.ts';
import { DIGEST_ALL, SegmentFileBuilder } from '../../../support/segment-file.ts';
import { feed, joinParts, type ModelDocument, newBuffer } from './segment-model.ts';

const LIMIT = 1200;

/** Enough of everything: blocks, short lists, gaps between DocIds, a token table. */
function sampleFile(): Uint8Array {
  const documents = Array.from(
    { length: 400 },
    (_, i): ModelDocument => ({
      docId: i * 2 + (i > 200 ? 300 : 0),
      id: `doc-${i}`,
      json: JSON.stringify({
        id: i,
        title: `common words ${i % 17}`,
        overview: 'the same sentence again and again '.repeat(12),
      }),
      names: i % 2 === 0 ? ['id', 'title'] : ['id', 'title', 'overview'],
      words: [
        { term: 'common', field: 'title', position: 0 },
        { term: `rare${i % 97}`, field: 'title', position: 1 },
        { term: `einzig${i}`, field: 'overview', position: i % 9 },
        { term: 'common', field: 'overview', position: 10 },
        { term: 'com', field: 'overview', position: 11 },
        { term: 'mon', field: 'overview', position: 12 },
      ],
      chunks: [`ab-${i}-xy`, 'foo_bar'],
    }),
  );
  const builder = new SegmentFileBuilder('s', DIGEST_ALL);
  feed(builder, documents);
  return joinParts(builder.finish());
}

const file = sampleFile();
const tableBytes = 16 + new DataView(file.buffer).getUint32(12, true) * 24 + 4;

function flipped(offset: number, bit: number): Uint8Array {
  const copy = file.slice();
  copy[offset]! ^= 1 << bit;
  return copy;
}

/** Calls every reading method; damage may be reported or give wrong answers. */
function readEverything(reader: SegmentReader): void {
  const attempt = (read: () => void): void => {
    try {
      read();
    } catch (error) {
      expect(error).toBeInstanceOf(Error);
    }
  };
  const everything = makeBitset(LIMIT).fill(0xffffffff);
  const docs = Uint32Array.from({ length: LIMIT }, (_, i) => i);
  const fieldMap = Int32Array.from(reader.fields.keys());
  const { terms } = reader;
  attempt(() => terms.prefixRange(encodeUtf8('ra')));
  for (let term = 0; term < terms.termCount; term++) {
    attempt(() => terms.find(terms.bytes(term)));
    attempt(() => reader.postings.fieldMask(term) + reader.postings.documentFrequency(term));
    attempt(() => reader.postings.addDocuments(term, makeBitset(LIMIT)));
    attempt(() => reader.postings.hasLiveDocument(term, everything));
    attempt(() => reader.postings.readOccurrences(term, everything, fieldMap, newBuffer()));
    const side = [{ lo: term, hi: term + 1, isNext: true, isReversed: true }];
    attempt(() =>
      reader.postings.pairCosts(docs, [{ left: side, right: side }], new Int32Array(LIMIT)),
    );
  }
  for (const [lo, hi] of [
    [0, 1],
    [1, reader.terms.termCount],
  ] as const) {
    const digest = reader.rangeDigest(lo, hi);
    attempt(() => digest?.addDocuments(makeBitset(LIMIT)));
    attempt(() => digest?.addClass(0, makeBitset(LIMIT)));
    attempt(() => digest?.readClass(0));
  }
  for (const prefix of [true, false]) {
    attempt(() =>
      terms.visitSimilar('comon', { maxDistance: 2, maxDistanceOtherFirst: 1, prefix }, () => true),
    );
  }
  for (const part of ['ab-', 'b-1', 'o_bar'])
    attempt(() =>
      terms.visitChunks(
        encodeUtf8(part),
        () => true,
        () => undefined,
      ),
    );
  attempt(() => reader.wordCounts.forEachLength(() => undefined));
  for (let term = 0; term < terms.termCount; term++) {
    const next = (term + 1) % terms.termCount;
    attempt(() => reader.joined?.documents(reader.joined.pair(term, next)));
    const pairs = reader.frequentPairs;
    attempt(() => pairs?.documents(listOf(pairs.pair(term, next), 1 + (term % 3))));
  }
  for (const docId of [0, 2, 398, 1098]) {
    attempt(() => reader.readDocument(docId));
    attempt(() => reader.findDocument(reader.documentId(docId)));
    attempt(() => reader.shapes[reader.shapeOf(docId)]);
  }
}

describe('a damaged segment file', () => {
  it('is whole before the damage', () => {
    new SegmentReader('s', file).verify();
  });

  it('is refused when cut anywhere or longer than it was', () => {
    for (let length = 0; length < file.length; length += length < 2000 ? 7 : 997) {
      expect(() => new SegmentReader('s', file.slice(0, length)), String(length)).toThrow(
        CorruptionError,
      );
    }
    expect(() => new SegmentReader('s', joinParts([file, new Uint8Array(8)]))).toThrow(
      CorruptionError,
    );
  });

  it('is refused when any bit of header, table or trailer differs', () => {
    for (let offset = 0; offset < tableBytes; offset++) {
      expect(() => new SegmentReader('s', flipped(offset, offset % 8)), String(offset)).toThrow(
        CorruptionError,
      );
    }
    for (let offset = file.length - 16; offset < file.length; offset++) {
      expect(() => new SegmentReader('s', flipped(offset, offset % 8)), String(offset)).toThrow(
        CorruptionError,
      );
    }
  });

  it('says where, what was expected and what was found', () => {
    expect(() => new SegmentReader('abc', flipped(0, 1))).toThrow(
      /^abc is damaged at byte 0: expected GANNETSG, found /,
    );
  });

  it('fails verification for any flipped bit, and reading it neither hangs nor crashes', () => {
    fc.assert(
      fc.property(fc.nat(file.length - 1), fc.nat(7), (offset, bit) => {
        const damaged = flipped(offset, bit);
        expect(() => new SegmentReader('s', damaged).verify()).toThrow(CorruptionError);
        let reader: SegmentReader;
        try {
          reader = new SegmentReader('s', damaged);
        } catch {
          return;
        }
        readEverything(reader);
      }),
      { numRuns: amount(20, 600) },
    );
  });

  it('survives whole runs of foreign bytes', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: tableBytes + 4, max: file.length - 64 }),
        fc.uint8Array({ minLength: 8, maxLength: 48 }),
        (offset, bytes) => {
          const damaged = file.slice();
          damaged.set(bytes, offset);
          let reader: SegmentReader;
          try {
            reader = new SegmentReader('s', damaged);
          } catch (error) {
            expect(error).toBeInstanceOf(CorruptionError);
            return;
          }
          readEverything(reader);
        },
      ),
      { numRuns: amount(15, 400) },
    );
  });

  it('opens from memory that is not aligned', () => {
    const shifted = new Uint8Array(file.length + 3).subarray(3);
    shifted.set(file);
    new SegmentReader('s', shifted).verify();
  });
});

/**
 * Goal: a segment read back answers as its documents say. Method: random documents against a naive
 * model.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../../../../src/engine/bytes/utf8.ts';
import { SegmentReader } from '../../../../src/engine/segment/segment-reader.ts';
import { amount } from '../../../support/run-length.ts';
import { SegmentFileBuilder } from '../../../support/segment-file.ts';
import { build, checkSegment } from './check-segment.ts';
import { documentsArbitrary, feed, joinParts } from './segment-model.ts';

describe('a segment', () => {
  it('answers every question as the documents it was built from say', () => {
    fc.assert(
      fc.property(documentsArbitrary(30), (documents) => checkSegment(build(documents), documents)),
      { numRuns: amount(6, 160) },
    );
  });

  it('answers the same for lists of several blocks, dense and sparse', () => {
    fc.assert(
      fc.property(documentsArbitrary(700), (documents) =>
        checkSegment(build(documents), documents),
      ),
      { numRuns: amount(2, 24) },
    );
  });

  it('can be empty', () => {
    checkSegment(build([]), []);
  });

  it('tells fields beyond the 31st apart, and hundreds of occurrences in one document', () => {
    const words = Array.from({ length: 600 }, (_, i) => ({
      term: i % 3 === 0 ? 'x' : 'y',
      field: `f${i % 40}`,
      position: (i * 97) % 65_536,
    }));
    const documents = Array.from({ length: 300 }, (_, i) => ({
      docId: i * 5,
      id: String(i),
      json: '{}',
      names: ['n'],
      words: i % 50 === 0 ? words : words.slice(0, 2),
    }));
    checkSegment(build(documents), documents);
  });

  it('holds DocIds up to the greatest', () => {
    const builder = new SegmentFileBuilder('s');
    const last = 2 ** 32 - 2;
    for (const docId of [7, last]) {
      builder.beginDocument(docId);
      builder.word(encodeUtf8('w'), 1, 1, builder.fieldNumber('f'), 0);
      builder.endDocument(encodeUtf8(String(docId)), encodeUtf8('{}'), []);
    }
    const reader = new SegmentReader('s', joinParts(builder.finish()));
    reader.verify();
    expect([...reader.docIds]).toEqual([7, last]);
    expect(reader.findDocument(encodeUtf8(String(last)))).toBe(last);
  });

  it('refuses documents out of order', () => {
    const builder = new SegmentFileBuilder('s');
    builder.beginDocument(3);
    builder.endDocument(encodeUtf8('3'), encodeUtf8('{}'), []);
    expect(() => builder.beginDocument(3)).toThrow('ascending');
  });

  it('grows its memory figure with what it holds', () => {
    const builder = new SegmentFileBuilder('s');
    const before = builder.memoryBytes;
    feed(builder, [
      { docId: 0, id: '0', json: `"${'x'.repeat(1_000_000)}"`, names: [], words: [] },
    ]);
    expect(builder.memoryBytes).toBeGreaterThan(before + 400_000);
    expect(builder.documentCount).toBe(1);
  });
});

/**
 * Goal: a merged segment equals one built from the live documents alone. Method: random documents
 * dealt to random inputs.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeSegments } from '../../../../src/engine/segment/segment-merger.ts';
import { SegmentReader } from '../../../../src/engine/segment/segment-reader.ts';
import { fromArray } from '../../../support/bits.ts';
import { amount } from '../../../support/run-length.ts';
import { DIGEST_ALL } from '../../../support/segment-file.ts';
import { build, checkSegment } from './check-segment.ts';
import { documentsArbitrary, joinParts, type ModelDocument } from './segment-model.ts';

/**
 * Deals the documents to `inputCount` segments; those for which `isDead` says so are dead in
 * theirs.
 */
function merge(
  documents: readonly ModelDocument[],
  inputCount: number,
  isDead: (index: number) => boolean,
  runLength: number,
) {
  const inputs = Array.from({ length: inputCount }, (_, input) => {
    const mine = documents.filter(
      (_document, index) => Math.floor(index / runLength) % inputCount === input,
    );
    const dead = mine
      .filter((document) => isDead(documents.indexOf(document)))
      .map(({ docId }) => docId);
    return {
      reader: build(mine),
      dead: dead.length === 0 ? null : fromArray(dead, Math.max(...dead) + 1),
    };
  });
  return new SegmentReader('merged', joinParts(mergeSegments('merged', inputs, DIGEST_ALL)));
}

describe('merging segments', () => {
  it('gives the segment of all live documents, however they were spread', () => {
    const plan = fc.record({
      documents: documentsArbitrary(40),
      inputCount: fc.integer({ min: 1, max: 4 }),
      runLength: fc.constantFrom(1, 3, 20),
      deadEvery: fc.integer({ min: 1, max: 6 }),
    });
    fc.assert(
      fc.property(plan, ({ documents, inputCount, runLength, deadEvery }) => {
        const isDead = (index: number): boolean => deadEvery < 6 && index % deadEvery === 0;
        const live = documents.filter((_, index) => !isDead(index));
        checkSegment(merge(documents, inputCount, isDead, runLength), live);
      }),
      { numRuns: amount(8, 160) },
    );
  });

  it('keeps long lists right', () => {
    fc.assert(
      fc.property(documentsArbitrary(900), (documents) => {
        checkSegment(
          merge(documents, 3, () => false, 100),
          documents,
        );
        checkSegment(
          merge(documents, 2, (index) => index % 7 === 0, 1),
          documents.filter((_, index) => index % 7 !== 0),
        );
      }),
      { numRuns: amount(1, 12) },
    );
  });

  it('drops fields and terms that only dead documents have', () => {
    const document = (docId: number, field: string): ModelDocument => ({
      docId,
      id: String(docId),
      json: '{}',
      names: [],
      words: [{ term: field, field, position: 0 }],
    });
    const documents = [document(0, 'alive'), document(1, 'gone')];
    const merged = merge(documents, 1, (index) => index === 1, 1);
    expect(merged.fields).toEqual(['alive']);
    expect(merged.terms.termCount).toBe(1);
  });

  it('joins segments with more than 31 fields', () => {
    const documents = Array.from(
      { length: 200 },
      (_, index): ModelDocument => ({
        docId: index,
        id: String(index),
        json: '{}',
        names: [],
        words: Array.from({ length: 4 }, (_unused, i) => ({
          term: 'w',
          field: `f${(index * 3 + i * 11) % 60}`,
          position: i,
        })),
      }),
    );
    checkSegment(
      merge(documents, 3, (index) => index % 5 === 0, 2),
      documents.filter((_, index) => index % 5 !== 0),
    );
  });

  it('refuses a document that is alive in two inputs', () => {
    const one = build([{ docId: 4, id: 'x', json: '{}', names: [], words: [] }]);
    const inputs = [
      { reader: one, dead: null },
      { reader: one, dead: null },
    ];
    expect(() => mergeSegments('m', inputs)).toThrow('alive in two');
  });

  it('keeps documents intact when their encoding is kept, and when it is trained again', () => {
    const document = (docId: number): ModelDocument => ({
      docId,
      id: String(docId),
      json: JSON.stringify({
        id: docId,
        text: `some words that come back ${docId % 50} times `.repeat(6),
      }),
      names: ['id', 'text'],
      words: [],
    });
    const documents = Array.from({ length: 6000 }, (_, index) => document(index));
    const sizes = [
      [3000, 6000],
      [700, 6000],
      [50, 6000],
    ] as const;
    for (const [first, last] of sizes) {
      const inputs = [
        { reader: build(documents.slice(0, first)), dead: fromArray([0, 5], 32) },
        ...Array.from({ length: 6 }, (_, i) => {
          const step = Math.ceil((last - first) / 6);
          return {
            reader: build(documents.slice(first + i * step, first + (i + 1) * step)),
            dead: null,
          };
        }),
      ];
      const merged = new SegmentReader('merged', joinParts(mergeSegments('merged', inputs)));
      merged.verify();
      expect(merged.documentCount).toBe(5998);
      for (const { docId, json } of documents) {
        if (docId !== 0 && docId !== 5)
          expect(Buffer.from(merged.readDocument(docId)).toString()).toBe(json);
      }
    }
  });
});

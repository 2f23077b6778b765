/**
 * Random writes, merges and reopened files against documents in memory: a search of all segments at
 * full effort finds the same as a comparison of all vectors.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes } from '../../src/core/concat-bytes.ts';
import { makeBitset, setBit } from '../../src/engine/sets/bitset.ts';
import { mergeVectors } from '../../src/engine/vectors/merge-vectors.ts';
import { nearestInFiles } from '../../src/engine/vectors/nearest-in-files.ts';
import { vectorSpace } from '../../src/engine/vectors/vector-space.ts';
import type { VectorSpace } from '../../src/engine/vectors/vectors.ts';
import { VectorsFile } from '../../src/engine/vectors/vectors-reader.ts';
import { amount } from '../support/run-length.ts';
import { keptVector, modelNearest, vectorFile } from '../support/vector-model.ts';

const DOC_IDS = 24;
const DIMENSIONS = 5;
const INTERLEAVINGS = amount(250, 5_000);

const anyVector = fc
  .array(fc.integer({ min: -3, max: 3 }), { minLength: DIMENSIONS, maxLength: DIMENSIONS })
  .map((values) => Float32Array.from(values));
const anyVectors = fc.array(anyVector, { minLength: 1, maxLength: 2 });
const anyDocId = fc.nat(DOC_IDS - 1);

type Step =
  | { readonly kind: 'write'; readonly documents: ReadonlyMap<number, readonly Float32Array[]> }
  | { readonly kind: 'delete'; readonly docIds: readonly number[] }
  | { readonly kind: 'merge'; readonly from: number }
  | { readonly kind: 'quantize' };

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      documents: fc
        .array(fc.tuple(anyDocId, anyVectors), { minLength: 1, maxLength: 6 })
        .map((entries) => new Map(entries)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('delete' as const),
      docIds: fc.array(anyDocId, { minLength: 1, maxLength: 6 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('merge' as const), from: fc.nat(3) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'quantize' as const }) },
);

/** Segments of one embedder, as in an index. */
class Segments {
  space: VectorSpace = { dimensions: DIMENSIONS, metric: 'cosine', precision: 'float' };
  readonly model = new Map<number, readonly Float32Array[]>();
  #segments: { reader: VectorsFile; dead: Uint32Array }[] = [];

  apply(step: Step): void {
    if (step.kind === 'write') this.#write(step.documents);
    else if (step.kind === 'delete') this.#kill(step.docIds);
    else if (step.kind === 'merge') this.#merge(step.from);
    else this.#quantize();
  }

  #write(documents: ReadonlyMap<number, readonly Float32Array[]>): void {
    this.#kill([...documents.keys()]);
    for (const [docId, vectors] of documents) this.model.set(docId, vectors);
    this.#open(vectorFile(documents, this.space));
  }

  #kill(docIds: readonly number[]): void {
    for (const docId of docIds) {
      this.model.delete(docId);
      for (const { dead } of this.#segments) setBit(dead, docId);
    }
  }

  /** Merges the segments, starting at the given one. */
  #merge(from: number): void {
    const inputs = this.#segments.splice(from);
    if (inputs.length > 0) this.#open(concatBytes(mergeVectors(inputs, this.space)));
  }

  /** Rewrites every segment with bytes instead of floats. */
  #quantize(): void {
    this.space = { ...this.space, precision: 'byte' };
    for (const input of this.#segments.splice(0))
      this.#open(concatBytes(mergeVectors([input], this.space)));
    for (const [docId, vectors] of this.model)
      this.model.set(
        docId,
        vectors.map((vector) => keptVector(vector, this.space)),
      );
  }

  #open(bytes: Uint8Array): void {
    const reader = new VectorsFile('segment', bytes);
    reader.verify();
    this.#segments.push({ reader, dead: makeBitset(DOC_IDS) });
  }

  nearest(query: Float32Array, k: number) {
    return this.#segments
      .flatMap(({ reader, dead }) =>
        nearestInFiles([{ file: reader, universe: dead.map((word) => ~word) }], query, k, Infinity),
      )
      .sort((a, b) => b.similarity - a.similarity || a.docId - b.docId)
      .slice(0, k);
  }
}

describe('segments of vectors', () => {
  it('answer after any writes, deletes, merges and quantization as documents in memory do', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 12 }), anyVector, (steps, query) => {
        const segments = new Segments();
        for (const step of steps) segments.apply(step);
        expect(segments.nearest(query, 5)).toEqual(
          modelNearest(segments.model, segments.space, query, 5),
        );
      }),
      { numRuns: INTERLEAVINGS },
    );
  });

  it('of an embedder that compares signs are found by signs', () => {
    const space = vectorSpace({ dimensions: 3, metric: 'cosine', binaryQuantized: true });
    const model = new Map([
      [1, [Float32Array.of(1, -1, 1)]],
      [2, [Float32Array.of(1, 1, 1)]],
    ]);
    const reader = new VectorsFile('signs', vectorFile(model, space));
    const found = nearestInFiles([{ file: reader, universe: null }], Float32Array.of(9, -2, 5), 2);
    expect(found).toEqual([
      { docId: 1, similarity: 1 },
      { docId: 2, similarity: 1 - 1 / 64 },
    ]);
  });
});

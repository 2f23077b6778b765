/** A file of vectors holds what was added, and finds what comparing everything finds. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes } from '../../../../src/core/concat-bytes.ts';
import { CorruptionError } from '../../../../src/core/errors.ts';
import { toArray } from '../../../../src/engine/sets/bitset.ts';
import { mergeVectors } from '../../../../src/engine/vectors/merge-vectors.ts';
import { nearestInFiles } from '../../../../src/engine/vectors/nearest-in-files.ts';
import { vectorSpace } from '../../../../src/engine/vectors/vector-space.ts';
import type { VectorSpace } from '../../../../src/engine/vectors/vectors.ts';
import { VectorsFile } from '../../../../src/engine/vectors/vectors-reader.ts';
import { fromArray } from '../../../support/bits.ts';
import {
  keptVector,
  modelNearest,
  openModel,
  type VectorModel,
  vectorFile,
} from '../../../support/vector-model.ts';

const DOC_IDS = 200;

const anySpace: fc.Arbitrary<VectorSpace> = fc
  .record({
    dimensions: fc.integer({ min: 1, max: 40 }),
    metric: fc.constantFrom('cosine', 'euclidean', 'dot', 'hamming'),
    precision: fc.constantFrom('float', 'byte'),
  })
  .map((space) =>
    space.metric === 'hamming' ? { ...space, precision: 'bit' } : space,
  ) as fc.Arbitrary<VectorSpace>;

const anyVector = (dimensions: number) =>
  fc
    .array(fc.integer({ min: -8, max: 8 }), { minLength: dimensions, maxLength: dimensions })
    .map((values) => Float32Array.from(values, (value) => value / 4));

const anyModel = (dimensions: number): fc.Arbitrary<VectorModel> =>
  fc
    .array(
      fc.tuple(
        fc.nat(DOC_IDS - 1),
        fc.array(anyVector(dimensions), { minLength: 1, maxLength: 3 }),
      ),
      { maxLength: 30 },
    )
    .map((entries) => new Map(entries));

const inSpace = <T>(make: (space: VectorSpace) => fc.Arbitrary<T>) =>
  anySpace.chain((space) => fc.tuple(fc.constant(space), make(space)));

const anySet = fc.uniqueArray(fc.nat(DOC_IDS - 1)).map((ids) => fromArray(ids, DOC_IDS));

describe('a file of vectors', () => {
  it('gives back the documents and vectors that were added', () => {
    fc.assert(
      fc.property(
        inSpace(({ dimensions }) => anyModel(dimensions)),
        ([space, model]) => {
          const reader = openModel(model, space);
          reader.verify();
          expect(reader.space).toEqual(space);
          expect(reader.documentCount).toBe(model.size);
          expect(reader.vectorCount).toBe([...model.values()].flat().length);
          expect([...toArray(reader.documents)]).toEqual([...model.keys()].sort((a, b) => a - b));
          for (let docId = 0; docId < DOC_IDS; docId++)
            expect(reader.vectorsOf(docId)).toEqual(
              (model.get(docId) ?? []).map((vector) => keptVector(vector, space)),
            );
        },
      ),
    );
  });

  it('finds with full effort what comparing every vector of the universe finds', () => {
    fc.assert(
      fc.property(
        inSpace(({ dimensions }) => fc.tuple(anyModel(dimensions), anyVector(dimensions))),
        fc.integer({ min: 0, max: 40 }),
        fc.option(anySet),
        ([space, [model, query]], k, universe) => {
          const found = nearestInFiles(
            [{ file: openModel(model, space), universe }],
            query,
            k,
            Infinity,
          );
          const members = universe && new Set(toArray(universe));
          expect(found).toEqual(
            modelNearest(model, space, query, k, (docId) => members?.has(docId) ?? true),
          );
        },
      ),
    );
  });

  it('is refused when its header is damaged, and found out by verify when anything else is', () => {
    const space: VectorSpace = { dimensions: 3, metric: 'dot', precision: 'float' };
    const model = new Map([
      [1, [Float32Array.of(1, 2, 3)]],
      [5, [Float32Array.of(4, 5, 6), Float32Array.of(7, 8, 9)]],
    ]);
    const bytes = vectorFile(model, space);
    const accepted: number[] = [];
    for (let at = 0; at < bytes.length; at++) {
      const damaged = bytes.slice();
      damaged[at]! ^= 1;
      try {
        new VectorsFile('damaged', damaged).verify();
        accepted.push(at);
      } catch (error) {
        if (!(error instanceof CorruptionError)) throw error;
      }
    }
    expect(accepted).toEqual([]);
  });
});

describe('merging files of vectors', () => {
  it('keeps the living documents of all, each where it lives', () => {
    fc.assert(
      fc.property(
        inSpace(({ dimensions }) => fc.array(anyModel(dimensions), { minLength: 1, maxLength: 4 })),
        fc.array(anySet, { minLength: 4, maxLength: 4 }),
        ([space, models], deaths) => {
          const living = new Map<number, readonly Float32Array[]>();
          const inputs = models.map((model, i) => {
            const dead = new Set(toArray(deaths[i] as Uint32Array));
            for (const [docId, vectors] of model) {
              if (living.has(docId)) dead.add(docId);
              if (!dead.has(docId)) living.set(docId, vectors);
            }
            return { reader: openModel(model, space), dead: fromArray([...dead], DOC_IDS) };
          });
          const merged = concatBytes(mergeVectors(inputs, space));
          if (space.precision === 'float') expect(merged).toEqual(vectorFile(living, space));
          const reader = new VectorsFile('merged', merged);
          reader.verify();
          for (const [docId, vectors] of living)
            expect(reader.vectorsOf(docId)).toEqual(
              vectors.map((vector) => keptVector(vector, space)),
            );
          expect(reader.documentCount).toBe(living.size);
        },
      ),
    );
  });

  it('to less precision keeps what quantizing the vectors themselves would keep', () => {
    const from = vectorSpace({ dimensions: 3, metric: 'cosine', binaryQuantized: false });
    const to = vectorSpace({ dimensions: 3, metric: 'cosine', binaryQuantized: true });
    const few = new Map([[2, [Float32Array.of(0.5, -2, 0)]]]);
    // Enough vectors for codes and a cluster, in the old space.
    const many = new Map(
      Array.from({ length: 1_100 }, (_, docId) => [
        docId,
        [Float32Array.of(Math.sin(docId), Math.cos(docId * 3), Math.sin(docId * 7))],
      ]),
    );
    for (const model of [few, many]) {
      const merged = mergeVectors([{ reader: openModel(model, from), dead: null }], to);
      expect(Buffer.compare(concatBytes(merged), vectorFile(model, to))).toBe(0);
    }
  });
});

describe('the space of an embedder', () => {
  it.each([
    [{ dimensions: 384, metric: 'cosine', binaryQuantized: false }, 'cosine', 'float'],
    [{ dimensions: 384, metric: 'cosine', binaryQuantized: true }, 'cosine', 'byte'],
    [{ dimensions: 128, metric: 'cosine', binaryQuantized: true }, 'hamming', 'bit'],
    [{ dimensions: 384, metric: 'hamming', binaryQuantized: false }, 'hamming', 'bit'],
  ] as const)('of %o compares by %s what is kept as %s', (embedder, metric, precision) => {
    expect(vectorSpace(embedder)).toEqual({ dimensions: embedder.dimensions, metric, precision });
  });
});

/** The kernels against plain TypeScript that does the same the slow way. */
import { describe, expect, it } from 'vitest';
import { AssignmentMemory } from '../../../../src/engine/vectors/assignment-memory.ts';
import { CodeSpace } from '../../../../src/engine/vectors/code-space.ts';
import { Kernels } from '../../../../src/engine/vectors/kernels.ts';
import type { VectorSpace } from '../../../../src/engine/vectors/vectors.ts';
import { sequenceOfNormals } from '../../../support/vector-model.ts';

const DIMENSIONS = [1, 3, 8, 20, 100, 384, 1030];

const normal = sequenceOfNormals(11);
const randomVector = (dimensions: number) => Float32Array.from({ length: dimensions }, normal);
const product = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((sum, value, i) => sum + value * b[i]!, 0);
const lengthOf = (a: ArrayLike<number>) => Math.sqrt(product(a, a));

function placedIn(codes: CodeSpace, kernels: Kernels, vector: Float32Array): Float32Array {
  const [signs, at] = kernels.areas([codes.signBytes, codes.vectorBytes]);
  codes.writeSigns(kernels, signs);
  codes.place(vector, kernels, at, signs);
  return kernels.floats.slice(at / 4, at / 4 + codes.dimensions);
}

const space = (dimensions: number, metric: VectorSpace['metric'] = 'euclidean'): VectorSpace => ({
  dimensions,
  metric,
  precision: metric === 'hamming' ? 'bit' : 'float',
});

describe('fieldPositionClass vectors in the space of codes', () => {
  it.each(DIMENSIONS)('keeps products of %i dimensions', (dimensions) => {
    const kernels = new Kernels();
    const codes = new CodeSpace(space(dimensions));
    const [a, b] = [randomVector(dimensions), randomVector(dimensions)];
    const turned = product(placedIn(codes, kernels, a), placedIn(codes, kernels, b));
    expect(turned).toBeCloseTo(product(a, b), 3);
  });

  it('spreads a single value over many dimensions', () => {
    const vector = new Float32Array(384);
    vector[5] = 1;
    const placed = placedIn(new CodeSpace(space(384)), new Kernels(), vector);
    expect(Math.max(...placed.map(Math.abs))).toBeLessThan(0.3);
  });

  it('makes cosines and signs to products of unit vectors', () => {
    const [a, b] = [randomVector(64), randomVector(64)];
    const cosine = product(a, b) / lengthOf(a) / lengthOf(b);
    const placed = (metric: VectorSpace['metric'], vector: Float32Array) =>
      placedIn(new CodeSpace(space(64, metric)), new Kernels(), vector);
    expect(product(placed('cosine', a), placed('cosine', b))).toBeCloseTo(cosine, 4);
    const agreeing = a.filter((value, i) => value > 0 === b[i]! > 0).length;
    const ofSigns = product(placed('hamming', a), placed('hamming', b));
    expect(ofSigns).toBeCloseTo((2 * agreeing - 64) / 64, 4);
  });
});

/** Levels of a record, moved so that they are around zero (assembly/codes.ts). */
function levelsOf(record: Uint8Array, codes: CodeSpace): Float64Array {
  const { bits, dimensions } = codes;
  return Float64Array.from({ length: dimensions }, (_, d) => {
    let level = 0;
    for (let bit = 0; bit < bits; bit++)
      level += ((record[8 + ((bit * dimensions + d) >>> 3)]! >>> (d & 7)) & 1) << bit;
    return level - (2 ** bits - 1) / 2;
  });
}

describe.each(DIMENSIONS)('codes of %i dimensions', (dimensions) => {
  const codes = new CodeSpace(space(dimensions));
  const kernels = new Kernels();
  const memory = new AssignmentMemory(kernels, codes, 1);
  const vectors = Array.from({ length: 32 }, () => randomVector(dimensions));
  memory.loadCentroids(new Uint8Array(codes.vectorBytes));
  memory.place({ count: 32, read: (i, into) => into.set(vectors[i]!) }, [...vectors.keys()]);
  const placed = vectors.map((_, i) => {
    const first = memory.vectors / 4 + i * codes.dimensions;
    return kernels.floats.slice(first, first + codes.dimensions);
  });
  const records = vectors.map((_, i) => {
    memory.encode(i);
    return memory.recordBytes().slice();
  });

  it('have the factors that make estimates of the vector itself exact', () => {
    for (const [i, record] of records.entries()) {
      const [offset, factor] = new Float32Array(record.buffer, 0, 2);
      const square = product(placed[i]!, placed[i]!);
      const estimate = offset! + factor! * product(levelsOf(record, codes), placed[i]!);
      expect(estimate).toBeCloseTo(square / 2, 2);
    }
  });

  it('give scanned in a block and alone what their levels give', () => {
    const query = placedIn(codes, kernels, randomVector(dimensions));
    const [head, block, loose, pairs, sums, vector] = kernels.areas([
      16 + codes.vectorBytes,
      codes.blockBytes,
      32 * codes.recordBytes,
      32 * 8,
      128,
      codes.vectorBytes,
    ]);
    const table = head + 16;
    kernels.bytes.fill(0, block, block + codes.blockBytes);
    for (const [i, record] of records.entries()) {
      kernels.bytes.set(record, loose + i * codes.recordBytes);
      kernels.run.pack(loose + i * codes.recordBytes, block, i, codes.groups);
    }
    kernels.floats.set(query, vector / 4);
    kernels.run.lookUp(vector, codes.dimensions, table);
    const { bits } = codes;
    const all = Number.NEGATIVE_INFINITY;
    const found = kernels.run.scan(block, 1, table, codes.dimensions, bits, all, 7, pairs, sums);
    expect(found).toBe(32);
    const scanned = Array.from({ length: 32 }, (_, i) => {
      expect(kernels.words[pairs / 4 + i * 2]).toBe(7 + i);
      return kernels.floats[pairs / 4 + i * 2 + 1]!;
    });
    kernels.run.estimate(loose, 32, codes.recordBytes, table, codes.dimensions, bits, pairs);
    const tolerance = 0.02 * lengthOf(query);
    for (const [i, record] of records.entries()) {
      const [offset, factor] = new Float32Array(record.buffer, 0, 2);
      const plain = offset! + factor! * product(levelsOf(record, codes), query);
      const allowed = Math.max(1e-3, tolerance * factor! * Math.sqrt(codes.dimensions));
      expect(Math.abs(scanned[i]! - plain)).toBeLessThan(allowed);
      expect(kernels.floats[pairs / 4 + i]).toBeCloseTo(scanned[i]!, 3);
    }
  });
});

describe('assigning vectors to centroids', () => {
  it('finds the nearest one nearly always, and else one as near', () => {
    const codes = new CodeSpace(space(96));
    const kernels = new Kernels();
    const clusters = 50;
    const memory = new AssignmentMemory(kernels, codes, clusters);
    const centroids = Array.from({ length: clusters + 1 }, () => randomVector(96));
    const rows = Float32Array.from(centroids.flatMap((row) => [...row]));
    memory.loadCentroids(new Uint8Array(rows.buffer));
    const vectors = Array.from({ length: 100 }, () => randomVector(96));
    memory.place({ count: 100, read: (i, into) => into.set(vectors[i]!) }, [...vectors.keys()]);
    const assigned = memory.assign(100);
    let right = 0;
    for (let i = 0; i < 100; i++) {
      const first = memory.vectors / 4 + i * 96;
      const placed = kernels.floats.subarray(first, first + 96);
      const distances = centroids
        .slice(0, clusters)
        .map((centroid) => lengthOf(centroid.map((value, d) => value - placed[d]!)));
      if (distances.indexOf(Math.min(...distances)) === assigned[i]) right += 1;
      expect(distances[assigned[i]!]! / Math.min(...distances)).toBeLessThan(1.1);
    }
    expect(right).toBeGreaterThan(80);
  });
});

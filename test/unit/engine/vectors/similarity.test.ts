import { describe, expect, it } from 'vitest';
import { nearestInFiles } from '../../../../src/engine/vectors/nearest-in-files.ts';
import type { VectorMetric, VectorPrecision } from '../../../../src/engine/vectors/vectors.ts';
import { openModel } from '../../../support/vector-model.ts';

function similarity(
  metric: VectorMetric,
  a: readonly number[],
  b: readonly number[],
  precision: VectorPrecision = metric === 'hamming' ? 'bit' : 'float',
): number {
  const model = new Map([[3, [Float32Array.from(b)]]]);
  const reader = openModel(model, { dimensions: b.length, metric, precision });
  return nearestInFiles([{ file: reader, universe: null }], Float32Array.from(a), 1)[0]!.similarity;
}

describe('similarity', () => {
  it('of cosine is 1 for the same direction, .5 for a right angle, 0 for the opposite', () => {
    expect(similarity('cosine', [1, 2, 3], [2, 4, 6])).toBe(1);
    expect(similarity('cosine', [1, 0], [0, 5])).toBe(0.5);
    expect(similarity('cosine', [1, 0], [-3, 0])).toBe(0);
  });

  it('of cosine is .5 for a zero vector', () => {
    expect(similarity('cosine', [1, 2], [0, 0])).toBe(0.5);
  });

  it('of cosine is a 32-bit float', () => {
    const value = similarity('cosine', [0.3, 0.7, 0.1], [0.9, 0.2, 0.4]);
    expect(value).toBe(Math.fround(value));
  });

  it('of hamming counts differing signs of dimensions rounded up to 64', () => {
    const a = [1, -1, 1, 1, -1, 1, 1, 1];
    expect(similarity('hamming', a, [1, -1, 1, 1, -1, 1, 1, -1])).toBe(0.984375);
    const b = Array.from({ length: 100 }, (_, i) => (i < 10 ? 1 : 0));
    expect(similarity('hamming', new Array(100).fill(0), b)).toBe(0.921875);
  });

  it('of hamming takes zero as not set', () => {
    expect(similarity('hamming', [0, 1], [-0.5, 2])).toBe(1);
  });

  it('of euclidean falls with the distance', () => {
    expect(similarity('euclidean', [1, 2, 3], [1, 2, 3])).toBe(1);
    expect(similarity('euclidean', [0, 0], [3, 4])).toBe(Math.fround(1 / 6));
  });

  it('of dot grows with the product and stays within 0 and 1', () => {
    expect(similarity('dot', [1, 1], [-1, 1])).toBe(0.5);
    expect(similarity('dot', [1, 0, 0], [1, 9, 9])).toBe(0.75);
    expect(similarity('dot', [1e3, 0], [-1e3, 0])).toBeGreaterThanOrEqual(0);
  });

  it.each(['cosine', 'euclidean', 'dot'] as const)(
    'of %s to a vector kept in bytes is near that to the vector itself',
    (metric) => {
      const a = Array.from({ length: 37 }, (_, i) => Math.sin(i * 1.7));
      const b = Array.from({ length: 37 }, (_, i) => Math.cos(i * 2.3));
      const exact = similarity(metric, a, b);
      expect(Math.abs(similarity(metric, a, b, 'byte') - exact)).toBeLessThan(0.005);
    },
  );
});

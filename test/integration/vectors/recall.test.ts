/** What search at usual effort finds of the true neighbours, on real vectors and after churn. */

import { describe, expect, it } from 'vitest';
import {
  hasVectorSets,
  readVectorSet,
  type VectorSetName,
} from '../../../load-tests/bench/vector-sets.ts';
import { concatBytes } from '../../../src/core/concat-bytes.ts';
import { addRange, clearBit, makeBitset, setBit } from '../../../src/engine/sets/bitset.ts';
import { mergeVectors } from '../../../src/engine/vectors/merge-vectors.ts';
import { nearestInFiles } from '../../../src/engine/vectors/nearest-in-files.ts';
import { vectorSpace } from '../../../src/engine/vectors/vector-space.ts';
import { VectorsFile } from '../../../src/engine/vectors/vectors-reader.ts';
import { fromArray } from '../../support/bits.ts';
import { openModel, sequenceOfNormals } from '../../support/vector-model.ts';

const skipped = hasVectorSets ? '' : ' (skipped: no ../shared/data/vectors)';

function recallOf(name: VectorSetName, binaryQuantized: boolean): number {
  const { metric, vectors, queries } = readVectorSet(name);
  const space = vectorSpace({ dimensions: vectors[0]!.length, metric, binaryQuantized });
  const reader = openModel(new Map(vectors.map((vector, i) => [i, [vector]])), space);
  let right = 0;
  let wanted = 0;
  for (const { vector, except, truth } of queries) {
    const universe = makeBitset(vectors.length);
    addRange(universe, 0, vectors.length);
    if (except >= 0) clearBit(universe, except);
    const found = new Set(
      nearestInFiles([{ file: reader, universe }], vector, 10).map(({ docId }) => docId),
    );
    right += truth.filter((row) => found.has(row)).length;
    wanted += truth.length;
  }
  return right / wanted;
}

describe.skipIf(!hasVectorSets)(`recall@10 on real vectors${skipped}`, () => {
  it.each([
    ['minilm_movies', 0.99],
    ['minilm_arxiv', 0.99],
    ['lsa_movies', 0.99],
    ['bigann10k', 0.97],
  ] as const)('of %s is at least %f', (name, least) => {
    expect(recallOf(name, false)).toBeGreaterThanOrEqual(least);
  });

  it.each(['minilm_movies', 'minilm_arxiv'] as const)(
    'of %s is at least .95 when it is binary-quantized',
    (name) => {
      expect(recallOf(name, true)).toBeGreaterThanOrEqual(0.95);
    },
  );
});

const DIMENSIONS = 48;
const DOCUMENTS = 12_000;
const CHURN_SPACE = { dimensions: DIMENSIONS, metric: 'cosine', precision: 'float' } as const;

/** Vectors around common centres, as those of texts are. */
function clusteredVectors(seed: number): () => Float32Array {
  const normal = sequenceOfNormals(seed);
  const centres = Array.from({ length: 60 }, () => Array.from({ length: DIMENSIONS }, normal));
  return () => {
    const centre = centres[Math.floor(Math.abs(normal()) * 1e6) % centres.length]!;
    return Float32Array.from(centre, (value) => value + 0.7 * normal());
  };
}

/** Share of the ten true neighbours that are found at usual effort. */
function recallAmong(
  reader: VectorsFile,
  queries: readonly Float32Array[],
  universe: Uint32Array | null = null,
): number {
  let right = 0;
  for (const query of queries) {
    const found = nearestInFiles([{ file: reader, universe }], query, 10).map(({ docId }) => docId);
    const truth = nearestInFiles([{ file: reader, universe }], query, 10, Infinity);
    right += truth.filter(({ docId }) => found.includes(docId)).length / truth.length;
  }
  return right / queries.length;
}

describe('recall@10 of clusters', () => {
  const next = clusteredVectors(3);
  const vectors = Array.from({ length: DOCUMENTS }, next);
  const queries = Array.from({ length: 60 }, next);
  const model = new Map(vectors.map((vector, docId) => [docId, [vector]]));
  const fresh = openModel(model, CHURN_SPACE);

  it.each([1, 2, 10, 100, 1_000])('among one of %i documents is at least .98', (every) => {
    const universe = makeBitset(DOCUMENTS);
    for (let docId = 0; docId < DOCUMENTS; docId += every) setBit(universe, docId);
    expect(recallAmong(fresh, queries, universe)).toBeGreaterThanOrEqual(0.98);
  });

  it.each([
    ['euclidean', 'float'],
    ['dot', 'float'],
    ['cosine', 'byte'],
    ['hamming', 'bit'],
  ] as const)('by %s of vectors kept as %s is at least .98', (metric, precision) => {
    const reader = openModel(model, { dimensions: DIMENSIONS, metric, precision });
    expect(recallAmong(reader, queries)).toBeGreaterThanOrEqual(0.98);
  });

  it('is that of a new file, less .005, after half of it is replaced twice by merges', () => {
    const living = new Map(model);
    let reader = fresh;
    for (const half of [0, 1]) {
      const replaced = new Map<number, Float32Array[]>();
      for (let docId = half; docId < DOCUMENTS; docId += 2) replaced.set(docId, [next()]);
      const dead = fromArray([...replaced.keys()], DOCUMENTS);
      for (const [docId, given] of replaced) living.set(docId, given);
      const inputs = [
        { reader, dead },
        { reader: openModel(replaced, CHURN_SPACE), dead: null },
      ];
      reader = new VectorsFile('merged', concatBytes(mergeVectors(inputs, CHURN_SPACE)));
    }
    reader.verify();
    const anew = recallAmong(openModel(living, CHURN_SPACE), queries);
    expect(recallAmong(reader, queries)).toBeGreaterThan(anew - 0.005);
  });

  it('finds as many documents as are wanted when each has several vectors', () => {
    const several = new Map(
      Array.from({ length: 1_500 }, (_, docId) => [docId, Array.from({ length: 8 }, next)]),
    );
    const reader = openModel(several, CHURN_SPACE);
    expect(reader.clusters).not.toBeNull();
    expect(recallAmong(reader, queries)).toBeGreaterThanOrEqual(0.98);
    for (const k of [10, 300, 1_500, 2_000])
      expect(nearestInFiles([{ file: reader, universe: null }], queries[0]!, k)).toHaveLength(
        Math.min(k, 1_500),
      );
  });
});

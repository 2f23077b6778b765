/** Vectors of documents in memory, and the definition of nearest neighbours over them. */
import { concatBytes } from '../../src/core/concat-bytes.ts';
import { similarityOfBits, similarityOfSums } from '../../src/engine/vectors/similarity.ts';
import { rowBytesOf, VectorRows, writeRow } from '../../src/engine/vectors/vector-rows.ts';
import type { Neighbour, VectorMetric, VectorSpace } from '../../src/engine/vectors/vectors.ts';
import { VectorsFile } from '../../src/engine/vectors/vectors-reader.ts';
import { VectorsWriter } from '../../src/engine/vectors/vectors-writer.ts';

export type VectorModel = ReadonlyMap<number, readonly Float32Array[]>;

export function vectorFile(model: VectorModel, space: VectorSpace): Uint8Array {
  const writer = new VectorsWriter(space);
  for (const [docId, vectors] of [...model].sort(([a], [b]) => a - b)) writer.add(docId, vectors);
  return concatBytes(writer.finish());
}

export const openModel = (model: VectorModel, space: VectorSpace): VectorsFile =>
  new VectorsFile('test', vectorFile(model, space));

/** A vector as it is kept. */
export function keptVector(vector: Float32Array, { precision, dimensions }: VectorSpace) {
  const bytes = new Uint8Array(rowBytesOf(precision, dimensions));
  writeRow(precision, vector, bytes, 0);
  const kept = new Float32Array(dimensions);
  new VectorRows(precision, dimensions, bytes).read(0, kept);
  return kept;
}

/** Σ a × b in the order of additions that assembly/rows.ts defines. */
function sumOfProducts(a: Float32Array, b: Float32Array): number {
  const sums: [number, number, number, number] = [0, 0, 0, 0];
  for (let i = 0; i < a.length; i++) sums[i & 3]! += a[i]! * b[i]!;
  return sums[0] + sums[2] + (sums[1] + sums[3]);
}

/** The twin of the kernels in plain TypeScript. */
export function plainSimilarity(
  metric: VectorMetric,
  query: Float32Array,
  kept: Float32Array,
): number {
  if (metric === 'hamming') {
    const differing = kept.filter((value, i) => value > 0 !== query[i]! > 0).length;
    return similarityOfBits(differing, kept.length);
  }
  const square = (vector: Float32Array) => sumOfProducts(vector, vector);
  return similarityOfSums(metric, sumOfProducts(query, kept), square(query), square(kept));
}

/** Compares everything with everything. */
export function modelNearest(
  model: VectorModel,
  space: VectorSpace,
  query: Float32Array,
  k: number,
  isWanted: (docId: number) => boolean = () => true,
): Neighbour[] {
  return [...model]
    .filter(([docId]) => isWanted(docId))
    .map(([docId, vectors]) => ({
      docId,
      similarity: Math.max(
        ...vectors.map((vector) => plainSimilarity(space.metric, query, keptVector(vector, space))),
      ),
    }))
    .sort((a, b) => b.similarity - a.similarity || a.docId - b.docId)
    .slice(0, k);
}

/** Normally distributed numbers, the same for a seed. */
export function sequenceOfNormals(seed: number): () => number {
  let state = seed >>> 0;
  const uniform = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 1) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

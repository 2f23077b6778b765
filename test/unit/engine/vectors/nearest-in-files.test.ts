/** Several files of vectors searched together, against each searched to its end. */
import { describe, expect, it } from 'vitest';
import { mergeVectors } from '../../../../src/engine/vectors/merge-vectors.ts';
import { nearestInFiles } from '../../../../src/engine/vectors/nearest-in-files.ts';
import type { Neighbour, VectorSpace } from '../../../../src/engine/vectors/vectors.ts';
import { VectorsFile } from '../../../../src/engine/vectors/vectors-reader.ts';
import { VectorsWriter } from '../../../../src/engine/vectors/vectors-writer.ts';

const SPACE: VectorSpace = { dimensions: 64, metric: 'cosine', precision: 'float' };
const K = 10;

let state = 7;
const random = (): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32 - 0.5;
};
const randomVector = (): Float32Array => Float32Array.from({ length: 64 }, random);
const centres = Array.from({ length: 40 }, randomVector);
const near = (centre: number): Float32Array => centres[centre]!.map((v) => v + random() * 0.8);

/** @param centreOf what documents of the file are like */
function fileOf(first: number, count: number, centreOf: (docId: number) => number): VectorsFile {
  const writer = new VectorsWriter(SPACE);
  for (let docId = first; docId < first + count; docId++)
    writer.add(docId, [near(centreOf(docId))]);
  return new VectorsFile(`file ${first}`, Uint8Array.from(Buffer.concat(writer.finish())));
}

/** The last one has no codes; the second is all about one thing. */
const files = [
  fileOf(0, 6_000, (docId) => docId % 40),
  fileOf(6_000, 1_200, () => 3),
  fileOf(7_200, 3_000, (docId) => docId % 7),
  fileOf(10_200, 200, (docId) => docId % 40),
];
const inOneFile = (readers: readonly VectorsFile[]): VectorsFile => {
  const inputs = readers.map((reader) => ({ reader, dead: null }));
  return new VectorsFile('whole', Uint8Array.from(Buffer.concat(mergeVectors(inputs, SPACE))));
};
const whole = inOneFile(files);
const DOCUMENTS = 10_400;
const queries = Array.from({ length: 40 }, (_, n) => near(n));

const everyNth = (n: number): Uint32Array | null => {
  if (n === 1) return null;
  const bits = new Uint32Array(Math.ceil(DOCUMENTS / 32));
  for (let docId = 0; docId < DOCUMENTS; docId += n) bits[docId >>> 5]! |= 1 << (docId & 31);
  return bits;
};

describe('files that are searched together', () => {
  it.each([1, 3, 50, 2_000])('of which one document in %i counts give the nearest of all', (n) => {
    const universe = everyNth(n);
    let [found, foundInOne] = [0, 0];
    for (const query of queries) {
      const truth = files
        .flatMap((file) => nearestInFiles([{ file, universe }], query, K, Infinity))
        .sort((a, b) => b.similarity - a.similarity || a.docId - b.docId)
        .slice(0, K);
      const searched = files.map((file) => ({ file, universe }));
      expect(nearestInFiles(searched, query, K, Infinity)).toEqual(truth);
      const usual = nearestInFiles(searched, query, K, 1);
      expect(usual).toHaveLength(truth.length);
      expect(usual.map(({ similarity }) => similarity)).toEqual(
        usual.map(({ similarity }) => similarity).sort((a, b) => b - a),
      );
      const docIds = new Set(usual.map(({ docId }) => docId));
      found += truth.filter(({ docId }) => docIds.has(docId)).length;
      const inOne = new Set(
        nearestInFiles([{ file: whole, universe }], query, K).map(({ docId }) => docId),
      );
      foundInOne += truth.filter(({ docId }) => inOne.has(docId)).length;
    }
    expect(found).toBeGreaterThanOrEqual(foundInOne * 0.98);
  });

  it('are searched as well as one file of all, together with a larger one', () => {
    const large = fileOf(20_000, 11_000, (docId) => docId % 40);
    const readers = [large, ...files];
    const together = readers.map((file) => ({ file, universe: null }));
    const merged = inOneFile(readers);
    let [found, foundInOne] = [0, 0];
    for (const query of queries) {
      const truth = nearestInFiles(together, query, K, Infinity);
      const countOf = (neighbours: readonly Neighbour[]): number => {
        const docIds = new Set(neighbours.map(({ docId }) => docId));
        return truth.filter(({ docId }) => docIds.has(docId)).length;
      };
      found += countOf(nearestInFiles(together, query, K, 1));
      foundInOne += countOf(nearestInFiles([{ file: merged, universe: null }], query, K));
    }
    expect(found).toBeGreaterThanOrEqual(foundInOne * 0.98);
  });

  it('of a topic each are compared by what their codes are relative to', () => {
    const topics = Array.from({ length: 8 }, (_, topic) =>
      fileOf(40_000 + topic * 1_500, 1_500, () => topic),
    );
    const searched = topics.map((file) => ({ file, universe: null }));
    let found = 0;
    for (const query of queries.slice(0, topics.length)) {
      const truth = nearestInFiles(searched, query, K, Infinity);
      const docIds = new Set(nearestInFiles(searched, query, K, 1).map(({ docId }) => docId));
      found += truth.filter(({ docId }) => docIds.has(docId)).length;
    }
    expect(found).toBeGreaterThanOrEqual(topics.length * K * 0.98);
  });

  it('give nothing where there are none', () => {
    expect(nearestInFiles([], queries[0]!, K, 1)).toEqual([]);
    const none = new Uint32Array(Math.ceil(DOCUMENTS / 32));
    const searched = files.map((file) => ({ file, universe: none }));
    expect(nearestInFiles(searched, queries[0]!, K, 1)).toEqual([]);
  });

  it('give as many as are wanted, from whatever files', () => {
    const searched = files.map((file) => ({ file, universe: null }));
    expect(nearestInFiles(searched, queries[3]!, 2_500, 1)).toHaveLength(2_500);
    expect(nearestInFiles(searched, queries[3]!, 20_000, 1)).toHaveLength(DOCUMENTS);
  });
});

/**
 * Recall@10 of vector search at usual effort on the real vectors of ../shared/data/vectors, as a
 * table: full precision and binary-quantized, with the processor time of building and of a search
 * on one thread.
 */
import { addRange, clearBit, makeBitset } from '../../src/engine/sets/bitset.ts';
import { nearestInFiles } from '../../src/engine/vectors/nearest-in-files.ts';
import { vectorSpace } from '../../src/engine/vectors/vector-space.ts';
import { VectorsFile } from '../../src/engine/vectors/vectors-reader.ts';
import { VectorsWriter } from '../../src/engine/vectors/vectors-writer.ts';
import { hasVectorSets, readVectorSet, VECTOR_SETS, type VectorSet } from '../bench/vector-sets.ts';

const K = 10;

const print = (cells: readonly (string | number)[]): void =>
  console.log(
    cells
      .map((cell) => String(cell).padEnd(15))
      .join('')
      .trimEnd(),
  );

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
}

function build({ metric, vectors }: VectorSet, binaryQuantized: boolean): VectorsFile {
  const dimensions = vectors[0]!.length;
  const writer = new VectorsWriter(vectorSpace({ dimensions, metric, binaryQuantized }));
  for (const [docId, vector] of vectors.entries()) writer.add(docId, [vector]);
  return new VectorsFile('bench', new Uint8Array(Buffer.concat(writer.finish())));
}

/** Share of the true neighbours that are found. */
function recallOf(reader: VectorsFile, { vectors, queries }: VectorSet): number {
  let right = 0;
  let wanted = 0;
  const universe = makeBitset(vectors.length);
  for (const { vector, except, truth } of queries) {
    addRange(universe, 0, vectors.length);
    if (except >= 0) clearBit(universe, except);
    const found = new Set(
      nearestInFiles([{ file: reader, universe }], vector, K).map(({ docId }) => docId),
    );
    right += truth.filter((row) => found.has(row)).length;
    wanted += truth.length;
  }
  return right / wanted;
}

if (!hasVectorSets) console.log('no ../shared/data/vectors');
else {
  print(['set', 'vectors', 'dimensions', 'kept as', 'recall@10', 'vectors/s', 'ms a search']);
  for (const name of VECTOR_SETS) {
    const set = readVectorSet(name);
    for (const binaryQuantized of [false, true]) {
      const start = cpuMs();
      const reader = build(set, binaryQuantized);
      const builtMs = cpuMs() - start;
      recallOf(reader, set);
      const warm = cpuMs();
      const recall = recallOf(reader, set);
      const searchMs = (cpuMs() - warm) / set.queries.length;
      print([
        name,
        set.vectors.length,
        set.vectors[0]!.length,
        binaryQuantized ? 'bits' : 'floats',
        recall.toFixed(4),
        Math.round((set.vectors.length / builtMs) * 1e3),
        searchMs.toFixed(3),
      ]);
    }
  }
}

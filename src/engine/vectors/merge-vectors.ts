/** Merges several files of vectors into one, without dead documents. */
import { countAnd, hasBit, nextSetBit, orInto } from '../sets/bitset.ts';
import { isLive } from '../sets/tombstones.ts';
import { clusterCountFor, type KnownClusters, NOWHERE } from './cluster-builder.ts';
import type { VectorSpace } from './vectors.ts';
import type { VectorsFile } from './vectors-reader.ts';
import { VectorsWriter } from './vectors-writer.ts';

export interface VectorsWithDead {
  readonly reader: VectorsFile;
  /** Bitset of DocIds; null = all are alive. */
  readonly dead: Uint32Array | null;
}

/**
 * The bytes of a file with the live documents of all inputs; no document is alive in two inputs.
 * Clusters and codes of the largest input are kept when it has at least half of the vectors.
 * @param space the space of the inputs, or one with less precision
 * @returns parts, some of which are views of the inputs: write them before closing the inputs
 */
export function mergeVectors(inputs: readonly VectorsWithDead[], space: VectorSpace): Uint8Array[] {
  const writer = new VectorsWriter(space);
  const known = knownClustersOf(inputs, space);
  const copier = new RowCopier(writer, space);
  const words = Math.max(0, ...inputs.map(({ reader }) => reader.documents.length));
  const all = new Uint32Array(words);
  for (const { reader } of inputs) orInto(all, reader.documents);
  for (let docId = nextSetBit(all, 0); docId >= 0; docId = nextSetBit(all, docId + 1)) {
    const input = inputs.find(
      ({ reader, dead }) => hasBit(reader.documents, docId) && isLive(docId, dead),
    );
    if (input === undefined) continue;
    const { owners } = input.reader;
    const rank = owners.ranks.rankOf(docId);
    writer.addDocument(docId, copier.count);
    for (let ordinal = owners.startOf(rank); ordinal < owners.startOf(rank + 1); ordinal++) {
      if (input.reader.clusters === known?.clusters) known.newOrdinals[ordinal] = copier.count;
      if (input.reader.fragments !== null)
        writer.fragments.set(copier.count, input.reader.fragments.nameOf(ordinal));
      copier.copy(input.reader, ordinal);
    }
  }
  copier.flush();
  return writer.finish(known);
}

/** The clusters of the largest input, if they fit the result. */
function knownClustersOf(
  inputs: readonly VectorsWithDead[],
  { metric }: VectorSpace,
): KnownClusters | null {
  const living = inputs.map(({ reader, dead }) => {
    const dying = dead === null ? 0 : countAnd(reader.documents, dead);
    return reader.vectorCount * (1 - dying / Math.max(1, reader.documentCount));
  });
  const total = living.reduce((sum, count) => sum + count, 0);
  const largest = inputs[living.indexOf(Math.max(...living))]?.reader;
  if (!largest?.clusters || largest.space.metric !== metric) return null;
  const hasHalf = Math.max(...living) * 2 >= total;
  const wanted = clusterCountFor(Math.round(total));
  const { count } = largest.clusters;
  if (!hasHalf || wanted > count * 2 || wanted * 2 < count) return null;
  return {
    clusters: largest.clusters,
    newOrdinals: new Uint32Array(largest.vectorCount).fill(NOWHERE),
  };
}

/** Copies rows in runs that are contiguous in one input. */
class RowCopier {
  readonly #writer: VectorsWriter;
  readonly #space: VectorSpace;
  readonly #vector: Float32Array;
  #reader: VectorsFile | null = null;
  #start = 0;
  #length = 0;

  constructor(writer: VectorsWriter, space: VectorSpace) {
    this.#writer = writer;
    this.#space = space;
    this.#vector = new Float32Array(space.dimensions);
  }

  /** Number of rows so far. */
  get count(): number {
    return this.#writer.rows.count + this.#length;
  }

  copy(reader: VectorsFile, ordinal: number): void {
    if (reader !== this.#reader || ordinal !== this.#start + this.#length) {
      this.flush();
      this.#reader = reader;
      this.#start = ordinal;
    }
    this.#length += 1;
  }

  flush(): void {
    const length = this.#length;
    this.#length = 0;
    if (this.#reader === null || length === 0) return;
    const { rows } = this.#reader;
    if (rows.precision === this.#space.precision) {
      this.#writer.rows.addRows(rows.rowsAt(this.#start, length));
      return;
    }
    for (let ordinal = this.#start; ordinal < this.#start + length; ordinal++) {
      rows.read(ordinal, this.#vector);
      this.#writer.rows.add(this.#vector);
    }
  }
}

/** Collects the vectors of documents and writes their file (vectors-format.ts). */
import { frameSections, type SectionData } from '../segment/segment-format.ts';
import { buildClusters, type ClusterSections, type KnownClusters } from './cluster-builder.ts';
import { RowList } from './row-list.ts';
import { FragmentList } from './vector-fragments.ts';
import type { VectorSpace } from './vectors.ts';
import {
  METRICS,
  PRECISIONS,
  VECTORS_MAGIC,
  VECTORS_META_WORDS,
  VectorsSection,
} from './vectors-format.ts';

/** Memory of a document's two numbers in their lists. */
const DOCUMENT_BYTES = 16;

/** Takes documents in ascending DocId order and yields the bytes of a file. Single use. */
export class VectorsWriter {
  readonly rows: RowList;
  readonly fragments = new FragmentList();
  readonly #space: VectorSpace;
  readonly #docIds: number[] = [];
  /** Ordinal of the first vector of each document. */
  readonly #starts: number[] = [];

  constructor(space: VectorSpace) {
    this.#space = space;
    this.rows = new RowList(space);
  }

  /** Bytes held now, for the caller's memory budget. */
  get memoryBytes(): number {
    const { rows, fragments } = this;
    return rows.memoryBytes + fragments.memoryBytes + this.#docIds.length * DOCUMENT_BYTES;
  }

  /**
   * @param vectors one or several, `space.dimensions` finite numbers each; copied. A document
   * without vectors is not added.
   * @param fragments names of the vectors' fragments, one each; none = no fragments
   */
  add(docId: number, vectors: readonly Float32Array[], fragments: readonly string[] = []): void {
    if (vectors.length === 0) return;
    this.addDocument(docId, this.rows.count);
    for (const [n, vector] of vectors.entries()) {
      this.fragments.set(this.rows.count, fragments[n] ?? null);
      this.rows.add(vector);
    }
  }

  /** @param start ordinal of its first vector, which the caller adds to `rows` */
  addDocument(docId: number, start: number): void {
    this.#docIds.push(docId);
    this.#starts.push(start);
  }

  /** The file's bytes in order. */
  finish(known: KnownClusters | null = null): Uint8Array[] {
    const { dimensions, metric, precision } = this.#space;
    const documents = this.#docIds.length;
    const vectors = this.rows.count;
    const first = this.#docIds[0] ?? 0;
    const isConsecutive = documents === 0 || this.#docIds.at(-1) === first + documents - 1;
    const clusters = buildClusters(this.#space, this.rows, known);
    const meta = new Uint32Array(VECTORS_META_WORDS);
    meta.set([
      dimensions,
      METRICS.indexOf(metric),
      PRECISIONS.indexOf(precision),
      vectors,
      documents,
      first,
      clusters?.clusters ?? 0,
    ]);
    const starts = vectors === documents ? [] : [...this.#starts, vectors];
    return frameSections(
      [
        [VectorsSection.meta, meta],
        [VectorsSection.docIds, Uint32Array.from(isConsecutive ? [] : this.#docIds)],
        [VectorsSection.starts, Uint32Array.from(starts)],
        [VectorsSection.rows, this.rows.parts()],
        ...(clusters === null ? [] : sectionsOf(clusters)),
        ...this.fragments.sections(vectors),
      ],
      VECTORS_MAGIC,
    );
  }
}

const sectionsOf = (clusters: ClusterSections): [number, SectionData][] => [
  [VectorsSection.centroids, clusters.centroids],
  [VectorsSection.centroidBlocks, clusters.centroidBlocks],
  [VectorsSection.clusterStarts, clusters.clusterStarts],
  [VectorsSection.ordinals, clusters.ordinals],
  [VectorsSection.records, clusters.records],
  [VectorsSection.blocks, clusters.blocks],
];

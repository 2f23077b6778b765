/** Opens a file of vectors (vectors-format.ts). */
import { SegmentFrame } from '../segment/segment-format.ts';
import { hasBit, makeBitset, setBit } from '../sets/bitset.ts';
import { DocumentRanks } from '../sets/document-ranks.ts';
import type { Clusters } from './cluster-search.ts';
import { CodeSpace } from './code-space.ts';
import { VectorFragments } from './vector-fragments.ts';
import { VectorOwners } from './vector-owners.ts';
import { rowBytesOf, VectorRows } from './vector-rows.ts';
import type { VectorSpace } from './vectors.ts';
import {
  METRICS,
  PRECISIONS,
  VECTORS_MAGIC,
  VECTORS_META_WORDS,
  VectorsSection,
} from './vectors-format.ts';

/** An open file of vectors. Its sections are public for merging. */
export class VectorsFile {
  readonly id: string;
  readonly space: VectorSpace;
  readonly vectorCount: number;
  /** Documents with at least one vector, dead ones included. */
  readonly documentCount: number;
  readonly rows: VectorRows;
  readonly owners: VectorOwners;
  /** null in a small file. */
  readonly clusters: Clusters | null;
  /** null = no vector was made of one. */
  readonly fragments: VectorFragments | null;
  readonly #frame: SegmentFrame;

  /**
   * @param id of the segment, for messages
   * @param bytes the whole file, mapped; throws `CorruptionError` when header or lengths are wrong
   */
  constructor(id: string, bytes: Uint8Array) {
    this.id = id;
    const frame = new SegmentFrame(id, bytes, VECTORS_MAGIC);
    const meta = frame.words(VectorsSection.meta, VECTORS_META_WORDS);
    this.#frame = frame;
    this.space = spaceOf(frame, meta);
    this.vectorCount = meta[3]!;
    this.documentCount = meta[4]!;
    this.owners = ownersOf(frame, meta);
    const { precision, dimensions } = this.space;
    const rows = frame.section(VectorsSection.rows);
    const expected = this.vectorCount * rowBytesOf(precision, dimensions);
    if (rows.length !== expected)
      throw frame.damage(VectorsSection.rows, `${expected} bytes of rows`, `${rows.length}`);
    this.rows = new VectorRows(precision, dimensions, rows);
    this.clusters = clustersOf(frame, this.space, meta);
    this.fragments = fragmentsOf(frame, this.vectorCount);
  }

  /** Bitset of those documents; owned by the reader. */
  get documents(): Uint32Array {
    return this.owners.documents;
  }

  /** Number of vectors of these documents. @param documents bitset of DocIds */
  countVectorsOf(documents: Uint32Array): number {
    return this.owners.countIn(documents);
  }

  /** Bytes of the file by purpose. */
  get bytes(): { readonly vectors: number; readonly search: number } {
    const vectors = this.rows.bytes.length;
    return { vectors, search: this.#frame.bytes.length - vectors };
  }

  /** The document's vectors as stored (bytes are approximations, bits are 1 and 0). */
  vectorsOf(docId: number): Float32Array[] {
    const rank = this.owners.ranks.rankOf(docId);
    if (rank < 0) return [];
    const start = this.owners.startOf(rank);
    return Array.from({ length: this.owners.startOf(rank + 1) - start }, (_, i) => {
      const vector = new Float32Array(this.space.dimensions);
      this.rows.read(start + i, vector);
      return vector;
    });
  }

  /** Names of the vectors' fragments, in the same order; empty = none. */
  fragmentsOf(docId: number): readonly string[] {
    const rank = this.owners.ranks.rankOf(docId);
    if (rank < 0 || this.fragments === null) return [];
    const names: string[] = [];
    for (let at = this.owners.startOf(rank); at < this.owners.startOf(rank + 1); at++) {
      const name = this.fragments.nameOf(at);
      if (name !== null) names.push(name);
    }
    return names;
  }

  /** Bitset of the documents with a vector of that fragment, dead ones included. */
  documentsOfFragment(name: string): Uint32Array {
    const { documents } = this.owners;
    return this.fragments?.documentsOf(name, this.owners) ?? new Uint32Array(documents.length);
  }

  /** Compares every byte with its checksum; throws `CorruptionError`. */
  verifyChecksums(): void {
    this.#frame.verifyChecksums();
  }

  /** The same, and verifies that all parts fit together, which takes thirty times as long. */
  verify(): void {
    this.verifyChecksums();
    const frame = this.#frame;
    const { ranks, starts } = this.owners;
    if (ranks.docIds !== null) checkAscending(frame, VectorsSection.docIds, ranks.docIds);
    if (starts !== null) {
      checkAscending(frame, VectorsSection.starts, starts);
      checkEnds(frame, VectorsSection.starts, starts, this.vectorCount);
    }
    if (this.clusters !== null) checkClusters(frame, this.clusters, this.vectorCount);
    const stray = this.fragments?.strayNumber ?? null;
    if (stray !== null)
      throw frame.damage(VectorsSection.fragments, 'numbers of names', `${stray}`);
  }
}

function spaceOf(frame: SegmentFrame, meta: Uint32Array): VectorSpace {
  const dimensions = meta[0]!;
  const metric = METRICS[meta[1]!];
  const precision = PRECISIONS[meta[2]!];
  if (metric === undefined || precision === undefined || dimensions === 0)
    throw frame.damage(VectorsSection.meta, 'a vector space', meta.subarray(0, 3).join(', '));
  return { dimensions, metric, precision };
}

function ownersOf(frame: SegmentFrame, meta: Uint32Array): VectorOwners {
  const [vectors, documents, first] = meta.subarray(3) as unknown as [number, number, number];
  const isConsecutive = frame.section(VectorsSection.docIds).length === 0;
  const docIds = isConsecutive ? null : frame.words(VectorsSection.docIds, documents);
  const starts = vectors === documents ? null : frame.words(VectorsSection.starts, documents + 1);
  return new VectorOwners(new DocumentRanks(documents, first, docIds), starts);
}

function clustersOf(frame: SegmentFrame, space: VectorSpace, meta: Uint32Array): Clusters | null {
  const count = meta[6]!;
  if (count === 0) return null;
  const codes = new CodeSpace(space);
  const sized = (section: number, length: number): Uint8Array => {
    const bytes = frame.section(section);
    if (bytes.length !== length) throw frame.damage(section, `${length} bytes`, `${bytes.length}`);
    return bytes;
  };
  const vectors = meta[3]!;
  return {
    count,
    codes,
    centroids: sized(VectorsSection.centroids, (count + 1) * codes.vectorBytes),
    centroidBlocks: sized(VectorsSection.centroidBlocks, codes.centroidBytes(count)),
    starts: frame.words(VectorsSection.clusterStarts, count + 1),
    ordinals: frame.words(VectorsSection.ordinals, vectors),
    records: sized(VectorsSection.records, vectors * codes.recordBytes),
    blocks: sized(VectorsSection.blocks, Math.ceil(vectors / 32) * codes.blockBytes),
  };
}

function fragmentsOf(frame: SegmentFrame, vectors: number): VectorFragments | null {
  if (!frame.has(VectorsSection.fragments)) return null;
  const names = frame.json(VectorsSection.fragmentNames) as string[];
  const bytes = frame.section(VectorsSection.fragments);
  if (bytes.length !== vectors * 2)
    throw frame.damage(VectorsSection.fragments, `${vectors * 2} bytes`, `${bytes.length}`);
  const numbers = new Uint16Array(bytes.buffer, bytes.byteOffset, vectors);
  return new VectorFragments(names, numbers);
}

function checkAscending(frame: SegmentFrame, section: number, numbers: Uint32Array): void {
  for (let i = 1; i < numbers.length; i++) {
    if (numbers[i]! <= numbers[i - 1]!)
      throw frame.damage(section, 'ascending numbers', `${numbers[i]} after ${numbers[i - 1]}`);
  }
}

function checkEnds(frame: SegmentFrame, section: number, starts: Uint32Array, end: number): void {
  const last = starts[starts.length - 1];
  if (starts[0] !== 0 || last !== end)
    throw frame.damage(section, `numbers 0 … ${end}`, `${starts[0]} … ${last}`);
}

/** Clusters follow each other, and each vector is in one place. */
function checkClusters(frame: SegmentFrame, { starts, ordinals }: Clusters, vectors: number): void {
  checkEnds(frame, VectorsSection.clusterStarts, starts, vectors);
  for (let i = 1; i < starts.length; i++) {
    if (starts[i]! < starts[i - 1]!)
      throw frame.damage(VectorsSection.clusterStarts, 'ascending places', `${starts[i]}`);
  }
  const seen = makeBitset(vectors);
  for (const ordinal of ordinals) {
    if (ordinal >= vectors || hasBit(seen, ordinal))
      throw frame.damage(VectorsSection.ordinals, 'each vector once', `${ordinal}`);
    setBit(seen, ordinal);
  }
}

/**
 * The documents of a file in the order of their DocIds: DocId ↔ rank, and all live documents as
 * bits. Consecutive DocIds cost nothing. DocIds of a merged file are often consecutive in runs,
 * which are detected at first use.
 */
import { addRange, setBit } from './bitset.ts';
import { indexOfSorted, lowerBound, lowerBoundIn } from './sorted.ts';
import { isLive } from './tombstones.ts';

/** Consecutive DocIds from `first` on, whose ranks start at `rank`. */
export interface DocIdRun {
  readonly first: number;
  readonly rank: number;
  readonly count: number;
}

/** Average number of documents per run that makes runs worth storing. */
const RUN_COUNT_MIN = 64;

export class DocumentRanks {
  readonly count: number;
  readonly first: number;
  /** null when the DocIds are consecutive. */
  readonly docIds: Uint32Array | null;
  #runs: readonly DocIdRun[] | null | undefined;
  /** Last DocId of each run. */
  #runEnds = new Uint32Array(0);

  /** @param docIds ascending; unused when they are consecutive */
  constructor(count: number, first: number, docIds: Uint32Array | null) {
    this.count = count;
    this.first = first;
    this.docIds = docIds;
  }

  /** Least number above all DocIds; 0 = no documents. */
  get end(): number {
    return this.count === 0 ? 0 : this.docIdAt(this.count - 1) + 1;
  }

  /**
   * Places in an ascending list of DocIds, as a half-open range: all others are before the first
   * document or after the last.
   */
  spanIn(docs: Uint32Array): readonly [from: number, end: number] {
    if (this.count === 0) return [0, 0];
    const from = lowerBound(docs, this.docIdAt(0));
    return [from, lowerBoundIn(docs, this.end, from, docs.length)];
  }

  /** All documents as runs, ascending; null when they are too many. */
  get runs(): readonly DocIdRun[] | null {
    if (this.#runs === undefined) {
      this.#runs =
        this.docIds === null
          ? [{ first: this.first, rank: 0, count: this.count }]
          : runsOf(this.docIds);
      this.#runEnds = Uint32Array.from(this.#runs ?? [], ({ first, count }) => first + count - 1);
    }
    return this.#runs;
  }

  docIdAt(rank: number): number {
    return this.docIds === null ? this.first + rank : this.docIds[rank]!;
  }

  /** Rank of the document, or −1. */
  rankOf(docId: number): number {
    if (this.docIds !== null) return this.#rankIn(this.docIds, docId);
    const rank = docId - this.first;
    return rank >= 0 && rank < this.count ? rank : -1;
  }

  #rankIn(docIds: Uint32Array, docId: number): number {
    const { runs } = this;
    if (runs === null) return indexOfSorted(docIds, docId);
    const run = runs[lowerBound(this.#runEnds, docId)];
    return run !== undefined && docId >= run.first ? run.rank + docId - run.first : -1;
  }

  /**
   * Adds the documents that are not in `dead` to `bits`: a run takes one step for each 32
   * documents.
   */
  addLive(dead: Uint32Array | null, bits: Uint32Array): void {
    const { runs, docIds } = this;
    if (runs !== null)
      for (const { first, count } of runs) addRange(bits, first, first + count, dead);
    else if (docIds !== null)
      for (const docId of docIds) if (dead === null || isLive(docId, dead)) setBit(bits, docId);
  }
}

function runsOf(docIds: Uint32Array): DocIdRun[] | null {
  const runs: DocIdRun[] = [];
  const runsMax = docIds.length / RUN_COUNT_MIN;
  for (let start = 0; start < docIds.length; ) {
    let end = start + 1;
    while (end < docIds.length && docIds[end] === docIds[end - 1]! + 1) end++;
    if (runs.length >= runsMax) return null;
    runs.push({ first: docIds[start]!, rank: start, count: end - start });
    start = end;
  }
  return runs;
}

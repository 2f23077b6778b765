/**
 * Documents by distance from a point; near-equal distances share a bucket; documents without a
 * point come last (relevance.md 3.11).
 */
import type { GeoPoint } from '../../../engine/columns/haversine.ts';
import { haversineMetres } from '../../../engine/columns/haversine.ts';
import type { SortDirection } from '../../../model/sort-criterion.ts';
import { DocSet } from '../../sets/doc-set.ts';
import {
  GeoPlaces,
  type NextDocuments,
  type PlacedDocument,
} from '../../values/nearest-documents.ts';
import type { Bucket, BucketSource, RankDetail, RankingRule, RuleInput } from './ranking-rule.ts';

/**
 * Universes with fewer points are sorted at once, by whole metres; larger ones in batches of this
 * size.
 */
const BATCH_DOCUMENTS = 1000;
/**
 * A bucket of a larger universe ends after this many documents, and before the first document that
 * is more than `BUCKET_METRES` farther than its first one.
 */
const BUCKET_DOCUMENTS_MAX = 1000;
const BUCKET_METRES = 1;

export interface GeoValue {
  readonly point: GeoPoint;
  readonly metres: number;
}

export function geoSort(
  center: GeoPoint,
  direction: SortDirection,
  detailOf: (value: GeoValue | null) => RankDetail,
): RankingRule {
  return {
    start: ({ snapshot }, input) =>
      new GeoSortBuckets(new GeoPlaces(snapshot), input, { center, direction, detailOf }),
  };
}

interface GeoOrder {
  readonly center: GeoPoint;
  readonly direction: SortDirection;
  readonly detailOf: (value: GeoValue | null) => RankDetail;
}

class GeoSortBuckets implements BucketSource {
  readonly #places: GeoPlaces;
  readonly #input: RuleInput;
  readonly #order: GeoOrder;
  /** The next documents, in order. */
  #queue: PlacedDocument[] = [];
  /** Source of further documents; null before the first batch and when all points are known. */
  #source: NextDocuments | null = null;
  /** Documents of the batch that the source has not yet yielded. */
  #batchLeft = 0;
  #isExhausted = false;

  constructor(places: GeoPlaces, input: RuleInput, order: GeoOrder) {
    this.#places = places;
    this.#input = input;
    this.#order = order;
  }

  next(universe: DocSet): Bucket | null {
    if (universe.isEmpty) return null;
    this.#queue = this.#queue.filter(({ doc }) => universe.has(doc));
    while (this.#queue.length === 0 && !this.#isExhausted) {
      if (this.#batchLeft === 0) this.#startBatch(universe);
      this.#read(universe);
    }
    if (this.#queue.length === 0) return this.#bucket(universe, null);
    const count = this.#bucketLength(universe);
    const [first] = this.#queue as [PlacedDocument];
    const docs = Uint32Array.from(this.#queue.splice(0, count), ({ doc }) => doc).sort();
    return this.#bucket(DocSet.fromList(docs, universe.bitsetLength), {
      point: this.#places.pointOf(first.doc)!,
      metres: first.metres,
    });
  }

  #bucket(docs: DocSet, value: GeoValue | null): Bucket {
    const { graph, positions } = this.#input;
    return { docs, graph, detail: this.#order.detailOf(value), positions };
  }

  /** Number of near-equal documents at the head of the queue. */
  #bucketLength(universe: DocSet): number {
    const { metres } = this.#queue[0]!;
    let count = 1;
    for (; count < BUCKET_DOCUMENTS_MAX; count++) {
      while (count === this.#queue.length && this.#batchLeft > 0) this.#read(universe);
      if (
        count === this.#queue.length ||
        Math.abs(this.#queue[count]!.metres - metres) > BUCKET_METRES
      )
        break;
    }
    return count;
  }

  /** The last documents, if fewer than a batch, are read at once. */
  #startBatch(universe: DocSet): void {
    const placed = this.#places.placed(universe, BATCH_DOCUMENTS);
    if (placed.length < BATCH_DOCUMENTS) {
      this.#queue = this.#byWholeMetres(placed);
      this.#isExhausted = true;
      return;
    }
    const { center, direction } = this.#order;
    this.#source ??= this.#places.nearest(
      universe,
      direction === 'asc' ? center : antipode(center),
    );
    this.#batchLeft = BATCH_DOCUMENTS;
  }

  #byWholeMetres(docs: readonly number[]): PlacedDocument[] {
    const placed = docs.map((doc) => ({ doc, metres: this.#metresOf(doc) }));
    placed.sort((a, b) => Math.trunc(a.metres) - Math.trunc(b.metres) || a.doc - b.doc);
    return this.#order.direction === 'asc' ? placed : placed.reverse();
  }

  /** Reads the next documents of the batch; skips documents that have left the universe since. */
  #read(universe: DocSet): void {
    if (this.#batchLeft === 0) return;
    const found = this.#source!();
    this.#batchLeft = found.length === 0 ? 0 : Math.max(0, this.#batchLeft - found.length);
    for (const { doc, metres } of found) {
      if (!universe.has(doc)) continue;
      this.#queue.push({
        doc,
        metres: this.#order.direction === 'asc' ? metres : this.#metresOf(doc),
      });
    }
  }

  #metresOf(doc: number): number {
    return haversineMetres(this.#order.center, this.#places.pointOf(doc)!);
  }
}

const antipode = ({ lat, lng }: GeoPoint): GeoPoint => ({
  lat: -lat,
  lng: lng > 0 ? lng - 180 : lng + 180,
});

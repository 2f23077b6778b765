/** Documents by distance from a point; near equals share a bucket; those without a place come last (relevance.md 3.11). */
import type { GeoPoint, GeoPoints } from '../../engine/columns/columns.ts';
import { haversineMetres } from '../../engine/columns/haversine.ts';
import { hasBit } from '../../engine/sets/bitset.ts';
import type { SortDirection } from '../../model/sort-criterion.ts';
import { DocSet } from '../doc-set.ts';
import type { IndexSnapshot } from '../index-snapshot.ts';
import type { Bucket, BucketSource, RankDetail, RankingRule, RuleInput } from './ranking-rule.ts';

/** Universes of fewer placed documents are sorted whole, by whole metres; larger ones this many at a time. */
const WHOLE_SORT_DOCUMENTS = 1000;
const BUCKET_DOCUMENTS_MAX = 1000;
const BUCKET_METRES = 1;

export interface GeoValue {
  readonly point: GeoPoint;
  readonly metres: number;
}

interface Placed {
  readonly doc: number;
  readonly metres: number;
}

interface GeoPart {
  readonly points: GeoPoints;
  readonly dead: Uint32Array | null;
}

export function geoSort(
  center: GeoPoint,
  direction: SortDirection,
  detailOf: (value: GeoValue | null) => RankDetail,
): RankingRule {
  return { start: ({ snapshot }, input) => new GeoSortBuckets(snapshot, input, center, direction, detailOf) };
}

export function geoParts(snapshot: IndexSnapshot): GeoPart[] {
  return snapshot.columns.flatMap((files, s) =>
    files.flatMap((file) => (file.geo ? [{ points: file.geo, dead: snapshot.dead[s]! }] : [])),
  );
}

/** The place of a living document, or null. */
export function pointOf(parts: readonly GeoPart[], doc: number): GeoPoint | null {
  for (const { points, dead } of parts) {
    const point = dead !== null && hasBit(dead, doc) ? null : points.pointOf(doc);
    if (point) return point;
  }
  return null;
}

class GeoSortBuckets implements BucketSource {
  readonly #input: RuleInput;
  readonly #center: GeoPoint;
  readonly #direction: SortDirection;
  readonly #detailOf: (value: GeoValue | null) => RankDetail;
  readonly #parts: readonly GeoPart[];
  /** Documents known to come next, in order. */
  #queue: Placed[] = [];
  #isExhausted = false;

  constructor(
    snapshot: IndexSnapshot,
    input: RuleInput,
    center: GeoPoint,
    direction: SortDirection,
    detailOf: (value: GeoValue | null) => RankDetail,
  ) {
    this.#input = input;
    this.#center = center;
    this.#direction = direction;
    this.#detailOf = detailOf;
    this.#parts = geoParts(snapshot);
  }

  next(universe: DocSet): Bucket | null {
    if (universe.isEmpty) return null;
    this.#queue = this.#queue.filter(({ doc }) => universe.has(doc));
    if (this.#queue.length === 0 && !this.#isExhausted) this.#queue = this.#fetch(universe);
    if (this.#queue.length === 0) {
      this.#isExhausted = true;
      return this.#bucket(universe, null);
    }
    const first = this.#queue[0]!;
    let count = 1;
    while (
      count < Math.min(this.#queue.length, BUCKET_DOCUMENTS_MAX) &&
      Math.abs(this.#queue[count]!.metres - first.metres) <= BUCKET_METRES
    )
      count++;
    const docs = Uint32Array.from(this.#queue.splice(0, count), ({ doc }) => doc).sort();
    return this.#bucket(DocSet.fromList(docs, universe.words), {
      point: pointOf(this.#parts, first.doc)!,
      metres: first.metres,
    });
  }

  #bucket(docs: DocSet, value: GeoValue | null): Bucket {
    return { docs, graph: this.#input.graph, detail: this.#detailOf(value), positions: this.#input.positions };
  }

  /** The next documents in order; none when all placed ones have been dealt. */
  #fetch(universe: DocSet): Placed[] {
    const near = this.#nearest(
      universe,
      this.#direction === 'asc' ? this.#center : antipode(this.#center),
      WHOLE_SORT_DOCUMENTS,
    );
    if (near.length >= WHOLE_SORT_DOCUMENTS) return near;
    this.#isExhausted = true;
    const whole = near.map(({ doc, metres }) => ({ doc, metres: Math.trunc(metres) }));
    whole.sort((a, b) => a.metres - b.metres || a.doc - b.doc);
    return this.#direction === 'asc' ? whole : whole.reverse();
  }

  /** Up to `countMax` documents of the universe, nearest to `from` first, each with its distance to the centre. */
  #nearest(universe: DocSet, from: GeoPoint, countMax: number): Placed[] {
    const found: (Placed & { readonly order: number })[] = [];
    for (const { points, dead } of this.#parts) {
      let count = 0;
      points.nearest(from, (doc, distance) => {
        if (!universe.has(doc) || (dead !== null && hasBit(dead, doc))) return true;
        const metres = this.#direction === 'asc' ? distance : haversineMetres(this.#center, points.pointOf(doc)!);
        found.push({ doc, metres, order: distance });
        return ++count < countMax;
      });
    }
    return found.sort((a, b) => a.order - b.order || a.doc - b.doc).slice(0, countMax);
  }
}

const antipode = ({ lat, lng }: GeoPoint): GeoPoint => ({ lat: -lat, lng: lng > 0 ? lng - 180 : lng + 180 });

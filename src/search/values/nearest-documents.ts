/**
 * The documents of a set that have a geo point, by distance from a point, over all segments of a
 * snapshot.
 */
import type { GeoPoints } from '../../engine/columns/geo-points.ts';
import type { GeoPoint } from '../../engine/columns/haversine.ts';
import { haversineMetres } from '../../engine/columns/haversine.ts';
import { hasBit } from '../../engine/sets/bitset.ts';
import type { DocSet } from '../sets/doc-set.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { walksToPage } from './walk-or-look-up.ts';

export interface PlacedDocument {
  readonly doc: number;
  readonly metres: number;
}

interface GeoPart {
  readonly points: GeoPoints;
  /** Deleted documents of the segment. */
  readonly dead: Uint32Array | null;
}

/** Cost of computing the distance of one document, in steps of a walk from the point outwards. */
const DISTANCE_COST = 1 / 4;

/** Geo points of the live documents. */
export class GeoPlaces {
  readonly #parts: readonly GeoPart[];
  readonly #pointCount: number;

  constructor({ columns, dead }: IndexSnapshot) {
    this.#parts = columns.flatMap((files, s) =>
      files.flatMap((file) =>
        file.geo && file.geo.count > 0 ? [{ points: file.geo, dead: dead[s]! }] : [],
      ),
    );
    this.#pointCount = this.#parts.reduce((sum, { points }) => sum + points.count, 0);
  }

  /** null when the document has no point. */
  pointOf(doc: number): GeoPoint | null {
    for (const { points, dead } of this.#parts) {
      const point = dead !== null && hasBit(dead, doc) ? null : points.pointOf(doc);
      if (point) return point;
    }
    return null;
  }

  /** The first `limit` documents of the set that have a point, unordered. */
  placed(docs: DocSet, limit: number): number[] {
    const found: number[] = [];
    if (docs.count < this.#pointCount) {
      for (const doc of docs.toList()) {
        if (found.length === limit) break;
        if (this.pointOf(doc)) found.push(doc);
      }
      return found;
    }
    for (const { points, dead } of this.#parts) {
      points.forEachDocument((doc) => {
        if (docs.has(doc) && (dead === null || !hasBit(dead, doc))) found.push(doc);
        return found.length < limit;
      });
      if (found.length === limit) break;
    }
    return found;
  }

  /** Documents of the set by distance; equal distances by DocId. */
  nearest(docs: DocSet, center: GeoPoint): NextDocuments {
    return walksToPage(docs.count, this.#pointCount, DISTANCE_COST)
      ? mergedWalks(this.#parts, docs, center)
      : sortedDistances(this, docs, center);
  }
}

/** Returns the next documents, all at the same distance; empty at the end. */
export type NextDocuments = () => readonly PlacedDocument[];

function sortedDistances(places: GeoPlaces, docs: DocSet, center: GeoPoint): NextDocuments {
  const sorted: PlacedDocument[] = [];
  for (const doc of docs.toList()) {
    const point = places.pointOf(doc);
    if (point) sorted.push({ doc, metres: haversineMetres(center, point) });
  }
  sorted.sort((a, b) => a.metres - b.metres || a.doc - b.doc);
  let at = 0;
  return () => {
    const start = at;
    while (at < sorted.length && sorted[at]!.metres === sorted[start]!.metres) at++;
    return sorted.slice(start, at);
  };
}

/** Walks all segments outwards in parallel. */
function mergedWalks(parts: readonly GeoPart[], docs: DocSet, center: GeoPoint): NextDocuments {
  // Each walk is at its next live document of the set.
  const walks = parts.map(({ points, dead }) => ({ points: points.nearest(center), dead }));
  const advance = ({ points, dead }: (typeof walks)[number]): boolean => {
    while (points.next())
      if (docs.has(points.docId) && (dead === null || !hasBit(dead, points.docId))) return true;
    return false;
  };
  let open = walks.filter(advance);
  return () => {
    let metres = Number.POSITIVE_INFINITY;
    for (const { points } of open) metres = Math.min(metres, points.metres);
    const group: PlacedDocument[] = [];
    open = open.filter((walk) => {
      const { points } = walk;
      while (points.metres === metres) {
        group.push({ doc: points.docId, metres });
        if (!advance(walk)) return false;
      }
      return true;
    });
    return group.sort((a, b) => a.doc - b.doc);
  };
}

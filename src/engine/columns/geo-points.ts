/**
 * Reads the section of `geo-points-writer.ts` without copying: points by document, by radius, by
 * box, and by distance from a point.
 */
import { assert } from '../../core/assert.ts';
import { setBit } from '../sets/bitset.ts';
import { indexOfSorted } from '../sets/sorted.ts';
import { BoxTree, FANOUT, treeFloats, Verdict } from './box-tree.ts';
import { GEO_POINTS_FORMAT } from './geo-points-writer.ts';
import { unpackSection } from './geo-section.ts';
import {
  cosDegrees,
  type GeoPoint,
  haversineBetween,
  haversineOfMetres,
  haversineToBox,
  metresOfHaversine,
} from './haversine.ts';
import { MinHeap } from './min-heap.ts';

/**
 * Within this difference of a limit, distances are computed as the contract says; other distances
 * are compared as haversines.
 */
const SLACK_METRES = 1;

/** Rounding error of bounds and distances, as a haversine. */
const SLACK_HAVERSINE = 1e-14;

interface Box {
  readonly north: number;
  readonly south: number;
  readonly west: number;
  readonly east: number;
}

/** How much of `box` lies in `area`, which may cross the antimeridian. */
function verdictOf({ north, south, west, east }: Box, box: Box): Verdict {
  if (box.south > north || box.north < south) return Verdict.none;
  const wraps = west > east;
  const misses = wraps ? box.west > east && box.east < west : box.west > east || box.east < west;
  if (misses) return Verdict.none;
  const spans = wraps ? box.east <= east || box.west >= west : box.west >= west && box.east <= east;
  return spans && box.south >= south && box.north <= north ? Verdict.all : Verdict.some;
}

/** `_geo` of the segment's documents: one point each, from numbers or numeric strings. */
export class GeoPoints {
  readonly count: number;
  readonly #coordinates: Float64Array;
  readonly #tree: BoxTree;
  readonly #docIds: Uint32Array;
  readonly #order: Uint32Array;

  /** Throws a plain error when the section is malformed. */
  constructor(section: Uint8Array) {
    let inTree = 0;
    const { floats, words } = unpackSection(
      section,
      'points',
      GEO_POINTS_FORMAT,
      ([, count, treeCount]) => {
        assert(treeCount <= count, 'a tree of points has no more than all of them');
        inTree = treeCount;
        return { floats: [count * 2, treeFloats(treeCount)], words: [count, count] };
      },
    );
    this.#coordinates = floats[0]!;
    this.#tree = new BoxTree(floats[1]!, inTree);
    this.#docIds = words[0]!;
    this.#order = words[1]!;
    this.count = this.#docIds.length;
  }

  /** Throws a plain error when the parts contradict each other. */
  verify(): void {
    const seen = new Uint8Array(this.count);
    for (let i = 0; i < this.count; i++) {
      const point = this.#order[i]!;
      assert(point < this.count && seen[point] === 0, 'each point is in the tree once');
      seen[point] = 1;
      assert(i === 0 || this.#docIds[i]! > this.#docIds[i - 1]!, 'documents of points ascend');
    }
    assert(
      this.#coordinates.every((value) => Number.isFinite(value)),
      'coordinates are finite',
    );
  }

  pointOf(docId: number): GeoPoint | null {
    const docIds = this.#docIds;
    const rank = docId - (docIds[0] ?? 0);
    const place = docIds[rank] === docId ? rank : indexOfSorted(docIds, docId);
    return place < 0 ? null : this.#pointAt(place);
  }

  /**
   * Ors documents at haversine distance ≤ `radiusMetres` (relevance.md 3.11, 5.3). Uses the index,
   * not a scan.
   */
  addWithinRadius(center: GeoPoint, radiusMetres: number, bits: Uint32Array): void {
    if (!(radiusMetres >= 0)) return;
    const cosLat = cosDegrees(center.lat);
    const antipode = {
      lat: -center.lat,
      lng: center.lng > 0 ? center.lng - 180 : center.lng + 180,
    };
    const sure =
      radiusMetres > SLACK_METRES
        ? haversineOfMetres(radiusMetres - SLACK_METRES) - SLACK_HAVERSINE
        : -1;
    const possible = haversineOfMetres(radiusMetres + SLACK_METRES) + SLACK_HAVERSINE;
    const { boxes } = this.#tree;
    const judge = (box: number): Verdict => {
      if (haversineToBox(center, cosLat, boxes, box) > possible) return Verdict.none;
      return 1 - haversineToBox(antipode, cosLat, boxes, box) <= sure ? Verdict.all : Verdict.some;
    };
    const isWithin = (point: number): boolean => {
      const h = haversineBetween(
        center,
        cosLat,
        this.#coordinates[point * 2]!,
        this.#coordinates[point * 2 + 1]!,
      );
      if (h <= sure) return true;
      return h <= possible && metresOfHaversine(h) <= radiusMetres;
    };
    this.#add(judge, isWithin, bits);
  }

  /** Inclusive; `west > east` wraps over the antimeridian. */
  addWithinBox(area: Box, bits: Uint32Array): void {
    const { north, south, west, east } = area;
    const { boxes } = this.#tree;
    const wraps = west > east;
    const judge = (at: number): Verdict =>
      verdictOf(area, {
        south: boxes[at]!,
        west: boxes[at + 1]!,
        north: boxes[at + 2]!,
        east: boxes[at + 3]!,
      });
    const isWithin = (point: number): boolean => {
      const [lat, lng] = [this.#coordinates[point * 2]!, this.#coordinates[point * 2 + 1]!];
      if (lat < south || lat > north) return false;
      return wraps ? lng >= west || lng <= east : lng >= west && lng <= east;
    };
    this.#add(judge, isWithin, bits);
  }

  /** Documents that have a point, ascending, until `visit` returns false. */
  forEachDocument(visit: (docId: number) => boolean): void {
    for (const docId of this.#docIds) if (!visit(docId)) return;
  }

  nearest(center: GeoPoint): NearestPoints {
    return new NearestPoints(
      {
        tree: this.#tree,
        order: this.#order,
        coordinates: this.#coordinates,
        docIds: this.#docIds,
      },
      center,
    );
  }

  #pointAt(point: number): GeoPoint {
    return { lat: this.#coordinates[point * 2]!, lng: this.#coordinates[point * 2 + 1]! };
  }

  #add(
    judge: (box: number) => Verdict,
    isWithin: (point: number) => boolean,
    bits: Uint32Array,
  ): void {
    const order = this.#order;
    const docIds = this.#docIds;
    this.#tree.search(judge, (start, end, isWhole) => {
      for (let place = start; place < end; place++) {
        const point = order[place]!;
        if (isWhole || isWithin(point)) setBit(bits, docIds[point]!);
      }
    });
    for (let place = this.#tree.itemCount; place < this.count; place++) {
      const point = order[place]!;
      if (isWithin(point)) setBit(bits, docIds[point]!);
    }
  }
}

interface PackedPoints {
  readonly tree: BoxTree;
  readonly order: Uint32Array;
  readonly coordinates: Float64Array;
  readonly docIds: Uint32Array;
}

/** Tag of a point among the nodes of the tree, which are tagged by level. */
const POINT = -1;

/**
 * Opens the nearest box or point next, by haversine; metres are computed only for visited points.
 */
export class NearestPoints {
  docId = -1;
  metres = 0;
  readonly #points: PackedPoints;
  readonly #center: GeoPoint;
  readonly #cosLat: number;
  readonly #heap = new MinHeap();

  constructor(points: PackedPoints, center: GeoPoint) {
    this.#points = points;
    this.#center = center;
    this.#cosLat = cosDegrees(center.lat);
    const { tree, order } = points;
    for (let place = tree.itemCount; place < order.length; place++) this.#pushPoint(place);
    if (tree.itemCount > 0) this.#pushNode(tree.topLevel, 0);
  }

  /** Moves to the next document; false when there is none. */
  next(): boolean {
    const heap = this.#heap;
    while (heap.size > 0) {
      const { key, tag, value } = heap;
      heap.drop();
      if (tag === POINT) {
        this.docId = this.#points.docIds[value]!;
        this.metres = metresOfHaversine(key);
        return true;
      }
      const end = this.#points.tree.childEnd(tag, value);
      for (let child = value * FANOUT; child < end; child++) {
        if (tag === 0) this.#pushPoint(child);
        else this.#pushNode(tag - 1, child);
      }
    }
    return false;
  }

  #pushPoint(place: number): void {
    const { order, coordinates } = this.#points;
    const point = order[place]!;
    const h = haversineBetween(
      this.#center,
      this.#cosLat,
      coordinates[point * 2]!,
      coordinates[point * 2 + 1]!,
    );
    this.#heap.push(h, POINT, point);
  }

  #pushNode(level: number, node: number): void {
    const { tree } = this.#points;
    const h = haversineToBox(this.#center, this.#cosLat, tree.boxes, tree.boxAt(level, node));
    this.#heap.push(h - SLACK_HAVERSINE, level, node);
  }
}

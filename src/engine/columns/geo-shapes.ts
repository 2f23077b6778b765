/**
 * Reads the section of `geo-shapes-writer.ts` without copying: which documents' shapes overlap an
 * area.
 */
import { assert } from '../../core/assert.ts';
import { setBit } from '../sets/bitset.ts';
import { BOX_FLOATS, BoxTree, boundsOf, treeFloats, Verdict } from './box-tree.ts';
import { ShapePart } from './geo-json.ts';
import { unpackSection } from './geo-section.ts';
import { GEO_SHAPES_FORMAT } from './geo-shapes-writer.ts';
import { linesMeet, type Ring, ringContains } from './plane-geometry.ts';

/** `_geojson` of the segment's documents. */
export class GeoShapes {
  readonly count: number;
  readonly #tree: BoxTree;
  readonly #boxes: Float64Array;
  readonly #points: Float64Array;
  readonly #docIds: Uint32Array;
  readonly #partEnds: Uint32Array;
  readonly #pointEnds: Uint32Array;
  readonly #kinds: Uint32Array;

  /** Throws a plain error when the section is malformed. */
  constructor(section: Uint8Array) {
    const { floats, words } = unpackSection(
      section,
      'shapes',
      GEO_SHAPES_FORMAT,
      ([, count, partCount, pointCount]) => ({
        floats: [treeFloats(count), count * BOX_FLOATS, pointCount * 2],
        words: [count, count, partCount, partCount],
      }),
    );
    this.#docIds = words[0]!;
    this.#partEnds = words[1]!;
    this.#pointEnds = words[2]!;
    this.#kinds = words[3]!;
    this.count = this.#docIds.length;
    this.#tree = new BoxTree(floats[0]!, this.count);
    this.#boxes = floats[1]!;
    this.#points = floats[2]!;
  }

  /** Throws a plain error when the parts contradict each other. */
  verify(): void {
    const ascend = (ends: Uint32Array, last: number): boolean =>
      ends.every((end, i) => i === 0 || end >= ends[i - 1]!) && (ends.at(-1) ?? 0) === last;
    assert(ascend(this.#partEnds, this.#kinds.length), 'parts of shapes follow each other');
    assert(ascend(this.#pointEnds, this.#points.length / 2), 'points of shapes follow each other');
    assert(
      this.#kinds.every((kind) => kind <= ShapePart.hole),
      'parts of shapes are of known kinds',
    );
  }

  /**
   * Ors documents whose shape overlaps the area, a closed ring of latitudes and longitudes taken as
   * a plane.
   */
  addOverlapping(area: Ring, bits: Uint32Array): void {
    const [south, west, north, east] = boundsOf(area);
    const misses = (boxes: Float64Array, at: number): boolean =>
      boxes[at]! > north ||
      boxes[at + 1]! > east ||
      boxes[at + 2]! < south ||
      boxes[at + 3]! < west;
    const { boxes } = this.#tree;
    this.#tree.search(
      (at) => (misses(boxes, at) ? Verdict.none : Verdict.some),
      (start, end) => {
        for (let shape = start; shape < end; shape++) {
          if (!misses(this.#boxes, shape * BOX_FLOATS) && this.#overlaps(shape, area))
            setBit(bits, this.#docIds[shape]!);
        }
      },
    );
  }

  #overlaps(shape: number, area: Ring): boolean {
    const end = this.#partEnds[shape]!;
    for (let part = shape === 0 ? 0 : this.#partEnds[shape - 1]!; part < end; part++)
      if (this.#partOverlaps(part, end, area)) return true;
    return false;
  }

  /** @param end end of the parts of the shape */
  #partOverlaps(part: number, end: number, area: Ring): boolean {
    const kind = this.#kinds[part]!;
    const points = this.#pointsOf(part);
    if (kind === ShapePart.places) return containsSome(area, points);
    if (linesMeet(points, area)) return true;
    if (kind !== ShapePart.hole && ringContains(area, points[0]!, points[1]!)) return true;
    return kind === ShapePart.ring && this.#polygonContains(part, end, area[0]!, area[1]!);
  }

  /** Whether the polygon with this outer ring contains a point that is not on its border. */
  #polygonContains(ring: number, end: number, lat: number, lng: number): boolean {
    if (!ringContains(this.#pointsOf(ring), lat, lng)) return false;
    for (let part = ring + 1; part < end && this.#kinds[part] === ShapePart.hole; part++) {
      if (ringContains(this.#pointsOf(part), lat, lng)) return false;
    }
    return true;
  }

  #pointsOf(part: number): Float64Array {
    const start = part === 0 ? 0 : this.#pointEnds[part - 1]!;
    return this.#points.subarray(start * 2, this.#pointEnds[part]! * 2);
  }
}

function containsSome(area: Ring, places: Float64Array): boolean {
  for (let at = 0; at < places.length; at += 2)
    if (ringContains(area, places[at]!, places[at + 1]!)) return true;
  return false;
}

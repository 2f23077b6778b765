/**
 * The `_geojson` shapes of a segment as one section, read without copying (`geo-section.ts`): which
 * documents' shapes overlap an area.
 *
 *   u32 × 4                   format, shapes, parts, points
 *   f64 × 4 × nodes           boxes of the tree (`box-tree.ts`) over the shapes
 *   f64 × 4 × shapes          box of each shape, in the order of the tree like all that follows
 *   f64 × 2 × points          latitude and longitude
 *   u32 × shapes              DocIds
 *   u32 × shapes              past the last part of each shape
 *   u32 × parts               past the last point of each part
 *   u32 × parts               kind of each part (`geo-json.ts`)
 */
import { assert } from '../../core/assert.ts';
import { setBit } from '../sets/bitset.ts';
import { BOX_FLOATS, BoxTree, boundsOf, packTree, treeFloats, Verdict } from './box-tree.ts';
import { type Shape, ShapePart } from './geo-json.ts';
import { packSection, unpackSection } from './geo-section.ts';
import { hilbertOrder } from './hilbert.ts';
import {
  closedRing,
  linesMeet,
  type OnCompared,
  type Ring,
  ringContains,
} from './plane-geometry.ts';

const GEO_SHAPES_FORMAT = 1;

export interface GeoShapesWriter {
  /** One shape a document; a shape without parts overlaps no area. */
  add(docId: number, shape: Shape): void;
  finish(): Uint8Array;
}

interface PlacedShape {
  readonly docId: number;
  readonly parts: readonly { readonly kind: ShapePart; readonly points: readonly number[] }[];
  readonly box: readonly number[];
}

export function createGeoShapesWriter(): GeoShapesWriter {
  const shapes: PlacedShape[] = [];
  return {
    add: (docId, shape) => {
      if (shape.parts.length === 0) return;
      const parts = shape.parts.map(({ kind, points }) => {
        const flat = points.flat();
        return {
          kind,
          points: kind === ShapePart.ring || kind === ShapePart.hole ? closedRing(flat) : flat,
        };
      });
      shapes.push({ docId, parts, box: boundsOf(parts.flatMap(({ points }) => points)) });
    },
    finish: () => encode(shapes),
  };
}

const share = (value: number): number => Math.min(1, Math.max(0, value));

function encode(added: readonly PlacedShape[]): Uint8Array {
  const order = hilbertOrder(
    added.length,
    (i) => share((added[i]!.box[1]! + added[i]!.box[3]! + 360) / 720),
    (i) => share((added[i]!.box[0]! + added[i]!.box[2]! + 180) / 360),
  );
  const shapes = Array.from(order, (i) => added[i]!);
  const boxes = new Float64Array(shapes.length * BOX_FLOATS);
  shapes.forEach(({ box }, i) => {
    boxes.set(box, i * BOX_FLOATS);
  });
  const parts = shapes.flatMap((shape) => shape.parts);
  const points = Float64Array.from(parts.flatMap((part) => part.points));
  const floats = [packTree(boxes), boxes, points];
  const words = [
    shapes.map(({ docId }) => docId),
    runningSums(shapes.map((shape) => shape.parts.length)),
    runningSums(parts.map((part) => part.points.length / 2)),
    parts.map(({ kind }) => kind),
  ];
  const header = [GEO_SHAPES_FORMAT, shapes.length, parts.length, points.length / 2] as const;
  return packSection(header, floats, words);
}

function runningSums(counts: readonly number[]): number[] {
  let sum = 0;
  return counts.map((count) => {
    sum += count;
    return sum;
  });
}

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
  addOverlapping(area: Ring, bits: Uint32Array, onCompared: OnCompared): void {
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
          if (!misses(this.#boxes, shape * BOX_FLOATS) && this.#overlaps(shape, area, onCompared))
            setBit(bits, this.#docIds[shape]!);
        }
      },
    );
  }

  #overlaps(shape: number, area: Ring, onCompared: OnCompared): boolean {
    const end = this.#partEnds[shape]!;
    for (let part = shape === 0 ? 0 : this.#partEnds[shape - 1]!; part < end; part++)
      if (this.#partOverlaps(part, end, area, onCompared)) return true;
    return false;
  }

  /** @param end end of the parts of the shape */
  #partOverlaps(part: number, end: number, area: Ring, onCompared: OnCompared): boolean {
    const kind = this.#kinds[part]!;
    const points = this.#pointsOf(part);
    if (kind === ShapePart.places) return containsSome(area, points, onCompared);
    if (linesMeet(points, area, onCompared)) return true;
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

function containsSome(area: Ring, places: Float64Array, onCompared: OnCompared): boolean {
  for (let at = 0; at < places.length; at += 2) {
    onCompared(area.length / 2);
    if (ringContains(area, places[at]!, places[at + 1]!)) return true;
  }
  return false;
}

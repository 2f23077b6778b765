/**
 * Writes the `_geojson` shapes of a segment as one section, which `geo-shapes.ts` reads without
 * copying (`geo-section.ts`):
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
import { BOX_FLOATS, boundsOf, packTree } from './box-tree.ts';
import { type Shape, ShapePart } from './geo-json.ts';
import { packSection } from './geo-section.ts';
import { hilbertOrder } from './hilbert.ts';
import { closedRing } from './plane-geometry.ts';

export const GEO_SHAPES_FORMAT = 1;

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

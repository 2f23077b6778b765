/**
 * Writes the `_geo` points of a segment as one section, which `geo-points.ts` reads without
 * copying (`geo-section.ts`):
 *
 *   u32 × 4                format, points, points in the tree, 0
 *   f64 × 2 × points       latitude and longitude, by ascending DocId
 *   f64 × 4 × nodes        boxes of the tree (`box-tree.ts`)
 *   u32 × points           DocIds, ascending
 *   u32 × points           the points (numbers in the list above) in the order of the tree; those off the globe at the end, outside the tree
 */
import { BOX_FLOATS, packTree } from './box-tree.ts';
import { packSection } from './geo-section.ts';
import { hilbertOrder } from './hilbert.ts';

export const GEO_POINTS_FORMAT = 1;

export interface GeoPointsWriter {
  /**
   * One point a document, in any order. Coordinates must be finite; they may lie outside the
   * globe's range.
   */
  add(docId: number, lat: number, lng: number): void;
  finish(): Uint8Array;
}

export function createGeoPointsWriter(): GeoPointsWriter {
  const points: { docId: number; lat: number; lng: number }[] = [];
  return {
    add: (docId, lat, lng) => {
      points.push({ docId, lat, lng });
    },
    finish: () => {
      points.sort((a, b) => a.docId - b.docId);
      const coordinates = new Float64Array(points.length * 2);
      points.forEach(({ lat, lng }, i) => {
        coordinates.set([lat, lng], i * 2);
      });
      return encode(
        coordinates,
        Uint32Array.from(points, ({ docId }) => docId),
      );
    },
  };
}

function encode(coordinates: Float64Array, docIds: Uint32Array): Uint8Array {
  const count = docIds.length;
  const { order, treeCount } = treeOrder(coordinates, count);
  const tree = packTree(pointBoxes(coordinates, order.subarray(0, treeCount)));
  const header = [GEO_POINTS_FORMAT, count, treeCount, 0] as const;
  return packSection(header, [coordinates, tree], [docIds, order]);
}

const isOnGlobe = (lat: number, lng: number): boolean =>
  Math.abs(lat) <= 90 && Math.abs(lng) <= 180;

function treeOrder(
  coordinates: Float64Array,
  count: number,
): { order: Uint32Array; treeCount: number } {
  const inside: number[] = [];
  const outside: number[] = [];
  for (let i = 0; i < count; i++) {
    (isOnGlobe(coordinates[i * 2]!, coordinates[i * 2 + 1]!) ? inside : outside).push(i);
  }
  const places = hilbertOrder(
    inside.length,
    (i) => (coordinates[inside[i]! * 2 + 1]! + 180) / 360,
    (i) => (coordinates[inside[i]! * 2]! + 90) / 180,
  );
  const order = new Uint32Array(count);
  places.forEach((place, i) => {
    order[i] = inside[place]!;
  });
  order.set(outside, inside.length);
  return { order, treeCount: inside.length };
}

function pointBoxes(coordinates: Float64Array, order: Uint32Array): Float64Array {
  const boxes = new Float64Array(order.length * BOX_FLOATS);
  order.forEach((point, i) => {
    const [lat, lng] = [coordinates[point * 2]!, coordinates[point * 2 + 1]!];
    boxes.set([lat, lng, lat, lng], i * BOX_FLOATS);
  });
  return boxes;
}

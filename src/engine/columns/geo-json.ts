/**
 * GeoJSON geometries as flat lists of parts: points, lines, outer rings and holes (each hole after
 * its outer ring).
 */

import { decodeUtf8 } from '../bytes/utf8.ts';
import type { JsonTape } from '../json/json-tape.ts';

export const GEOJSON_FIELD = '_geojson';

export const ShapePart = { places: 0, line: 1, ring: 2, hole: 3 } as const;
export type ShapePart = (typeof ShapePart)[keyof typeof ShapePart];

export interface Shape {
  readonly parts: readonly {
    readonly kind: ShapePart;
    readonly points: readonly (readonly [lat: number, lng: number])[];
  }[];
}

type Part = Shape['parts'][number];
type Points = Part['points'];

const LINE_POINTS_MIN = 2;
const RING_POINTS_MIN = 4;

/** The parts of a geometry, feature or feature collection; null when the value is none of these. */
export function readGeoJson(value: unknown): Shape | null {
  const parts: Part[] = [];
  return addGeometry(value, parts) ? { parts } : null;
}

/** The JSON value of a node. */
export const tapeValue = (tape: JsonTape, node: number): unknown =>
  JSON.parse(decodeUtf8(tape.bytes, tape.start(node), tape.end(node)));

function addGeometry(value: unknown, parts: Part[]): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { type, coordinates, geometry, geometries, features } = value as Readonly<
    Record<string, unknown>
  >;
  switch (type) {
    case 'Feature':
      return geometry === null || addGeometry(geometry, parts);
    case 'FeatureCollection':
      return addAll(features, (item) => addGeometry(item, parts));
    case 'GeometryCollection':
      return addAll(geometries, (item) => addGeometry(item, parts));
    case 'Point':
      return addPoints([coordinates], ShapePart.places, 1, parts);
    case 'MultiPoint':
      return addPoints(coordinates, ShapePart.places, 0, parts);
    case 'LineString':
      return addPoints(coordinates, ShapePart.line, LINE_POINTS_MIN, parts);
    case 'MultiLineString':
      return addAll(coordinates, (line) => addPoints(line, ShapePart.line, LINE_POINTS_MIN, parts));
    case 'Polygon':
      return addPolygon(coordinates, parts);
    case 'MultiPolygon':
      return addAll(coordinates, (polygon) => addPolygon(polygon, parts));
    default:
      return false;
  }
}

const addAll = (items: unknown, add: (item: unknown, index: number) => boolean): boolean =>
  Array.isArray(items) && items.every(add);

const addPolygon = (rings: unknown, parts: Part[]): boolean =>
  Array.isArray(rings) &&
  rings.length > 0 &&
  addAll(rings, (ring, i) =>
    addPoints(ring, i === 0 ? ShapePart.ring : ShapePart.hole, RING_POINTS_MIN, parts),
  );

function addPoints(
  coordinates: unknown,
  kind: ShapePart,
  countMin: number,
  parts: Part[],
): boolean {
  if (!Array.isArray(coordinates) || coordinates.length < countMin) return false;
  if (!coordinates.every(isPosition)) return false;
  const points: Points = coordinates.map(([lng, lat]) => [lat, lng] as const);
  if (points.length > 0) parts.push({ kind, points });
  return true;
}

/** Longitude, latitude and an optional altitude. */
const isPosition = (value: unknown): value is [number, number] =>
  Array.isArray(value) &&
  value.length >= 2 &&
  value.every((part) => typeof part === 'number' && Number.isFinite(part));

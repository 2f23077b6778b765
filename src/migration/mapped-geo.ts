/** Converts points on the globe from the formats of other systems to `_geo`. */
import { isObject } from '../core/json.ts';

export interface MappedPlace {
  readonly lat: number;
  readonly lng: number;
}

const numberOf = (value: unknown): number | null => {
  if (typeof value !== 'number' && (typeof value !== 'string' || value.trim() === '')) return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
};

/** Returns null for an invalid point. */
export function placeAt(lat: unknown, lng: unknown): MappedPlace | null {
  const [north, east] = [numberOf(lat), numberOf(lng)];
  if (north === null || east === null) return null;
  if (Math.abs(north) > 90 || Math.abs(east) > 180) return null;
  return { lat: north, lng: east };
}

const WKT_POINT = /^\s*POINT\s*\(\s*(\S+)\s+(\S+)\s*\)\s*$/i;

/**
 * Accepts a pair of numbers in the given order, `lat` with `lon` or `lng`, GeoJSON, WKT or
 * "lat,lon".
 */
export function placeOf(
  value: unknown,
  order: 'latitude first' | 'longitude first',
): MappedPlace | null {
  if (Array.isArray(value))
    return order === 'latitude first' ? placeAt(value[0], value[1]) : placeAt(value[1], value[0]);
  if (isObject(value)) {
    const { coordinates } = value;
    if (Array.isArray(coordinates)) return placeAt(coordinates[1], coordinates[0]);
    return placeAt(value['lat'], value['lon'] ?? value['lng']);
  }
  if (typeof value !== 'string') return null;
  const [, x, y] = WKT_POINT.exec(value) ?? [];
  if (x !== undefined) return placeAt(y, x);
  const [lat, lng, ...more] = value.split(',');
  return more.length === 0 ? placeAt(lat, lng) : null;
}

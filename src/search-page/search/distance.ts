/** Distances between places on the earth. Pure. */

export interface LatLng {
  readonly lat: number;
  readonly lng: number;
}

const EARTH_RADIUS_M = 6_371_000;

/** The place of a document's `_geo`, null if it has none. */
export function latLngOf(geo: unknown): LatLng | null {
  if (typeof geo !== 'object' || geo === null) return null;
  const { lat, lng } = geo as Record<string, unknown>;
  const place = { lat: Number(lat), lng: Number(lng) };
  return lat == null || lng == null || Number.isNaN(place.lat + place.lng) ? null : place;
}

/** Great-circle distance by the haversine formula, in metres. */
export function distanceM(a: LatLng, b: LatLng): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const sine = (degrees: number) => Math.sin(radians(degrees) / 2) ** 2;
  const h =
    sine(b.lat - a.lat) + Math.cos(radians(a.lat)) * Math.cos(radians(b.lat)) * sine(b.lng - a.lng);
  return 2 * EARTH_RADIUS_M * Math.asin(Math.sqrt(Math.min(1, h)));
}

/** `850 m`, `3.2 km`, `1,204 km` */
export function humanDistance(metres: number): string {
  if (metres < 1000) return `${Math.round(metres)} m`;
  const km = metres / 1000;
  return `${km.toLocaleString('en', { maximumFractionDigits: km < 10 ? 1 : 0 })} km`;
}

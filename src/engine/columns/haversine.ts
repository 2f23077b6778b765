/**
 * Distances on the globe (relevance.md 3.11). The formula's loss of digits near zero is part of the
 * contract.
 */
export interface GeoPoint {
  readonly lat: number;
  readonly lng: number;
}

export const EARTH_RADIUS_METRES = 6_371_000;
const RADIANS_PER_DEGREE = Math.PI / 180;

/** h(θ) = (1 − cos θ) / 2 for an angle in degrees. */
const haversine = (degrees: number): number => (1 - Math.cos(degrees * RADIANS_PER_DEGREE)) / 2;

export const cosDegrees = (degrees: number): number => Math.cos(degrees * RADIANS_PER_DEGREE);

/** Haversine of the angle between two points; `cosLatA` is the cosine of the latitude of `a`. */
export const haversineBetween = (a: GeoPoint, cosLatA: number, lat: number, lng: number): number =>
  haversine(lat - a.lat) + cosLatA * cosDegrees(lat) * haversine(lng - a.lng);

/** Metres, rounded to the millimetre. */
export function metresOfHaversine(h: number): number {
  const metres = 2 * EARTH_RADIUS_METRES * Math.asin(Math.sqrt(Math.min(1, Math.max(0, h))));
  return Math.round(metres * 1000) / 1000;
}

/** Inverse of `metresOfHaversine`, for distances up to half the globe's circumference. */
export function haversineOfMetres(metres: number): number {
  if (metres <= 0) return 0;
  return Math.sin(Math.min(Math.PI / 2, metres / (2 * EARTH_RADIUS_METRES))) ** 2;
}

/** Distance of two points in metres, rounded to the millimetre. */
export const haversineMetres = (a: GeoPoint, b: GeoPoint): number =>
  metresOfHaversine(haversineBetween(a, cosDegrees(a.lat), b.lat, b.lng));

/**
 * A lower bound, up to rounding, of `haversineBetween` for all points of a box that does not cross
 * the antimeridian.
 */
export function haversineToBox(
  point: GeoPoint,
  cosLat: number,
  box: ArrayLike<number>,
  at: number,
): number {
  const [south, west, north, east] = [
    box[at] as number,
    box[at + 1] as number,
    box[at + 2] as number,
    box[at + 3] as number,
  ];
  if (point.lng >= west && point.lng <= east) {
    if (point.lat < south) return haversine(south - point.lat);
    return point.lat > north ? haversine(point.lat - north) : 0;
  }
  const nearestSide = Math.min(haversine(point.lng - west), haversine(point.lng - east));
  const nearestLat = nearestLatitude(point.lat, nearestSide);
  const to = (lat: number): number =>
    haversine(lat - point.lat) + cosLat * cosDegrees(lat) * nearestSide;
  if (nearestLat > south && nearestLat < north) return to(nearestLat);
  return Math.min(to(south), to(north));
}

/** Latitude of the point nearest to `lat` on a meridian at an angle of haversine `h` from it. */
function nearestLatitude(lat: number, h: number): number {
  const cosine = 1 - 2 * h;
  if (cosine <= 0) return lat > 0 ? 90 : -90;
  return Math.atan(Math.tan(lat * RADIANS_PER_DEGREE) / cosine) / RADIANS_PER_DEGREE;
}

/**
 * Geo conditions as areas for comparison with shapes: closed rings of latitude and longitude on the
 * plane.
 */
import { EARTH_RADIUS_METRES } from '../../engine/columns/haversine.ts';
import { closedRing } from '../../engine/columns/plane-geometry.ts';
import type { Coordinates, GeoCondition } from '../../model/filter/filter-node.ts';

const radians = (degrees: number): number => (degrees * Math.PI) / 180;
const degrees = (angle: number): number => (angle * 180) / Math.PI;

/** The area, repeated for each turn around the globe that it reaches. */
export function areasOf(condition: GeoCondition): number[][] {
  const ring = ringOf(condition);
  if (ring.length === 0) return [];
  const lngs = ring.filter((_, i) => i % 2 === 1);
  const [west, east] = [
    lngs.reduce((a, b) => Math.min(a, b)),
    lngs.reduce((a, b) => Math.max(a, b)),
  ];
  const turns = [0, ...(west < -180 ? [360] : []), ...(east > 180 ? [-360] : [])];
  return turns.map((turn) => ring.map((value, i) => (i % 2 === 1 ? value + turn : value)));
}

function ringOf(condition: GeoCondition): number[] {
  if (condition.kind === 'radius')
    return circle(condition.center, condition.metres, condition.resolution);
  if (condition.kind === 'polygon')
    return closedRing(condition.corners.flatMap(({ lat, lng }) => [lat, lng]));
  const { north, south, west } = condition;
  const east = condition.east < west ? condition.east + 360 : condition.east;
  return closedRing([north, west, north, east, south, east, south, west]);
}

/** Corners at a distance in metres from the centre, on the globe. */
function circle({ lat, lng }: Coordinates, metres: number, cornerCount: number): number[] {
  if (metres < 0) return [];
  const angle = Math.min(Math.PI, metres / EARTH_RADIUS_METRES);
  const ring: number[] = [];
  for (let corner = 0; corner < cornerCount; corner++) {
    const bearing = (2 * Math.PI * corner) / cornerCount;
    const sine =
      Math.sin(radians(lat)) * Math.cos(angle) +
      Math.cos(radians(lat)) * Math.sin(angle) * Math.cos(bearing);
    const turn = Math.atan2(
      Math.sin(bearing) * Math.sin(angle) * Math.cos(radians(lat)),
      Math.cos(angle) - Math.sin(radians(lat)) * sine,
    );
    ring.push(degrees(Math.asin(Math.min(1, Math.max(-1, sine)))), lng + degrees(turn));
  }
  return closedRing(ring);
}

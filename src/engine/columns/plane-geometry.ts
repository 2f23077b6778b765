/**
 * Overlap of shapes on the plane of latitudes and longitudes. Rings are flat lists of latitude and
 * longitude; borders belong to them.
 */

export type Ring = ArrayLike<number>;

/** Above 0 when c is on one side of the line through a and b, below on the other. */
const side = (
  aLat: number,
  aLng: number,
  bLat: number,
  bLng: number,
  cLat: number,
  cLng: number,
): number => (bLng - aLng) * (cLat - aLat) - (bLat - aLat) * (cLng - aLng);

const isBetween = (value: number, a: number, b: number): boolean =>
  value >= Math.min(a, b) && value <= Math.max(a, b);

/**
 * True when the points `at` and `at + 1` of `line` and those of `other` are ends of segments that
 * touch.
 */
function segmentsMeet(line: Ring, at: number, other: Ring, otherAt: number): boolean {
  const [aLat, aLng, bLat, bLng] = [line[at]!, line[at + 1]!, line[at + 2]!, line[at + 3]!];
  const [cLat, cLng, dLat, dLng] = [
    other[otherAt]!,
    other[otherAt + 1]!,
    other[otherAt + 2]!,
    other[otherAt + 3]!,
  ];
  const [c, d] = [
    side(aLat, aLng, bLat, bLng, cLat, cLng),
    side(aLat, aLng, bLat, bLng, dLat, dLng),
  ];
  const [a, b] = [
    side(cLat, cLng, dLat, dLng, aLat, aLng),
    side(cLat, cLng, dLat, dLng, bLat, bLng),
  ];
  if (Math.sign(c) * Math.sign(d) < 0 && Math.sign(a) * Math.sign(b) < 0) return true;
  const liesOn = (
    turn: number,
    lat: number,
    lng: number,
    p: readonly [number, number],
    q: readonly [number, number],
  ) => turn === 0 && isBetween(lat, p[0], q[0]) && isBetween(lng, p[1], q[1]);
  return (
    liesOn(c, cLat, cLng, [aLat, aLng], [bLat, bLng]) ||
    liesOn(d, dLat, dLng, [aLat, aLng], [bLat, bLng]) ||
    liesOn(a, aLat, aLng, [cLat, cLng], [dLat, dLng]) ||
    liesOn(b, bLat, bLng, [cLat, cLng], [dLat, dLng])
  );
}

/** Called with each number of pairs of segments that are compared; may throw. */
export type OnCompared = (pairs: number) => void;

/** True when a segment of one line touches a segment of the other. */
export function linesMeet(line: Ring, other: Ring, onCompared: OnCompared): boolean {
  for (let at = 0; at + 3 < line.length; at += 2) {
    onCompared(other.length / 2);
    for (let otherAt = 0; otherAt + 3 < other.length; otherAt += 2) {
      if (segmentsMeet(line, at, other, otherAt)) return true;
    }
  }
  return false;
}

/** @param ring closed: the last point is the first */
export function ringContains(ring: Ring, lat: number, lng: number): boolean {
  let isInside = false;
  for (let at = 0; at + 3 < ring.length; at += 2) {
    const [aLat, aLng, bLat, bLng] = [ring[at]!, ring[at + 1]!, ring[at + 2]!, ring[at + 3]!];
    if (
      side(aLat, aLng, bLat, bLng, lat, lng) === 0 &&
      isBetween(lat, aLat, bLat) &&
      isBetween(lng, aLng, bLng)
    )
      return true;
    if (aLat > lat !== bLat > lat && lng < ((bLng - aLng) * (lat - aLat)) / (bLat - aLat) + aLng)
      isInside = !isInside;
  }
  return isInside;
}

/** The ring closed: its first point is appended if it is not also the last. */
export function closedRing(ring: readonly number[]): number[] {
  const [lat, lng] = ring;
  const isClosed = ring.at(-2) === lat && ring.at(-1) === lng;
  return isClosed || lat === undefined || lng === undefined ? [...ring] : [...ring, lat, lng];
}

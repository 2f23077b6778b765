/**
 * Points by radius, box and distance against brute force, also at the poles, the antimeridian and
 * off the globe.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GeoPoints } from '../../../../src/engine/columns/geo-points.ts';
import { createGeoPointsWriter } from '../../../../src/engine/columns/geo-points-writer.ts';
import type { GeoPoint } from '../../../../src/engine/columns/haversine.ts';
import { haversineMetres } from '../../../../src/engine/columns/haversine.ts';
import { makeBitset, toArray } from '../../../../src/engine/sets/bitset.ts';
import { amount } from '../../../support/run-length.ts';

const at = (lat: number, lng: number): GeoPoint => ({ lat, lng });

/** Document 3·i has point i. */
function store(points: readonly GeoPoint[]): GeoPoints {
  const writer = createGeoPointsWriter();
  points.forEach(({ lat, lng }, i) => {
    writer.add(i * 3, lat, lng);
  });
  const geo = new GeoPoints(writer.finish());
  geo.verify();
  return geo;
}

const gather = (count: number, add: (bits: Uint32Array) => void): number[] => {
  const bits = makeBitset(count * 3 + 1);
  add(bits);
  return [...toArray(bits)];
};

const documents = (points: readonly GeoPoint[], keep: (point: GeoPoint) => boolean): number[] =>
  points.flatMap((point, i) => (keep(point) ? [i * 3] : []));

const latitude = fc.oneof(
  fc.double({ min: -90, max: 90, noNaN: true }),
  fc.constantFrom(-90, -89.999, 0, 45, 45.00001, 89.999, 90),
);
const longitude = fc.oneof(
  fc.double({ min: -180, max: 180, noNaN: true }),
  fc.constantFrom(-180, -179.999, 0, 1e-6, 179.999, 180),
);
const place = fc.record({ lat: latitude, lng: longitude });
const anywhere = fc.record({
  lat: fc.oneof(
    { weight: 9, arbitrary: latitude },
    { weight: 1, arbitrary: fc.double({ min: -500, max: 500, noNaN: true }) },
  ),
  lng: fc.oneof(
    { weight: 9, arbitrary: longitude },
    { weight: 1, arbitrary: fc.double({ min: -900, max: 900, noNaN: true }) },
  ),
});
const points = fc.array(anywhere, { maxLength: 400, size: 'max' });
const radius = fc.oneof(
  fc.double({ min: 0, max: 25_000_000, noNaN: true }),
  fc.double({ min: 0, max: 2000, noNaN: true }),
  fc.constant(0),
);

describe('points of documents', () => {
  it('finds the same documents within a radius as a scan', () => {
    fc.assert(
      fc.property(points, place, radius, (all, center, metres) => {
        const found = gather(all.length, (bits) =>
          store(all).addWithinRadius(center, metres, bits),
        );
        expect(found).toEqual(documents(all, (point) => haversineMetres(center, point) <= metres));
      }),
      { numRuns: amount(40, 1200) },
    );
  });

  it('takes a radius as inclusive: the distance of a point is a radius that finds it', () => {
    fc.assert(
      fc.property(fc.array(place, { minLength: 1, maxLength: 60 }), place, (all, center) => {
        const metres = haversineMetres(center, all[0] as GeoPoint);
        const found = gather(all.length, (bits) =>
          store(all).addWithinRadius(center, metres, bits),
        );
        expect(found).toEqual(documents(all, (point) => haversineMetres(center, point) <= metres));
      }),
    );
  });

  it('finds nothing within a negative radius or one that is no number', () => {
    const geo = store([at(0, 0)]);
    for (const metres of [-1, Number.NaN]) {
      expect(gather(1, (bits) => geo.addWithinRadius(at(0, 0), metres, bits))).toEqual([]);
    }
  });

  it('finds the same documents in a box as a scan, also over the antimeridian', () => {
    fc.assert(
      fc.property(points, latitude, latitude, longitude, longitude, (all, a, b, west, east) => {
        const box = { south: Math.min(a, b), north: Math.max(a, b), west, east };
        const found = gather(all.length, (bits) => store(all).addWithinBox(box, bits));
        const isBetween = (lng: number): boolean =>
          west > east ? lng >= west || lng <= east : lng >= west && lng <= east;
        expect(found).toEqual(
          documents(all, ({ lat, lng }) => lat >= box.south && lat <= box.north && isBetween(lng)),
        );
      }),
      { numRuns: amount(40, 1200) },
    );
  });

  it('visits all documents by increasing distance', () => {
    fc.assert(
      fc.property(points, place, (all, center) => {
        const visited: [number, number][] = [];
        const nearest = store(all).nearest(center);
        while (nearest.next()) visited.push([nearest.docId, nearest.metres]);
        const metres = visited.map(([, distance]) => distance);
        expect(metres).toEqual([...metres].sort((a, b) => a - b));
        expect(visited.map(([docId]) => docId).sort((a, b) => a - b)).toEqual(
          all.map((_, i) => i * 3),
        );
        for (const [docId, distance] of visited) {
          expect(distance).toBe(haversineMetres(center, all[docId / 3] as GeoPoint));
        }
      }),
      { numRuns: amount(30, 800) },
    );
  });

  it('walks from the nearest on, one document at a time', () => {
    const nearest = store(Array.from({ length: 500 }, (_, i) => at(i / 10, i / 7))).nearest(
      at(0, 0),
    );
    const visited = Array.from({ length: 5 }, () => (nearest.next() ? nearest.docId : null));
    expect(visited).toEqual([0, 3, 6, 9, 12]);
  });

  it('lists the documents with a point until the callback stops it', () => {
    const geo = store([at(1, 1), at(2, 2), at(3, 3)]);
    const visited: number[] = [];
    geo.forEachDocument((docId) => visited.push(docId) < 2);
    expect(visited).toEqual([0, 3]);
    geo.forEachDocument((docId) => visited.push(docId) > 0);
    expect(visited).toEqual([0, 3, 0, 3, 6]);
  });

  it('gives the point of a document, and null for a document without', () => {
    const geo = store([at(1.5, -2.25), at(91, 300)]);
    expect([geo.pointOf(0), geo.pointOf(3)]).toEqual([at(1.5, -2.25), at(91, 300)]);
    expect([geo.pointOf(1), geo.pointOf(4), geo.pointOf(4_000_000_000)]).toEqual([
      null,
      null,
      null,
    ]);
  });

  it('works without any point', () => {
    const geo = store([]);
    expect([geo.count, geo.pointOf(0)]).toEqual([0, null]);
    expect(gather(1, (bits) => geo.addWithinRadius(at(0, 0), 3e7, bits))).toEqual([]);
    expect(geo.nearest(at(0, 0)).next()).toBe(false);
    geo.forEachDocument(() => expect.fail('there is nothing to visit'));
  });

  it('refuses sections that are cut or of another format', () => {
    const writer = createGeoPointsWriter();
    writer.add(7, 1, 2);
    const section = writer.finish();
    expect(() => new GeoPoints(section.subarray(0, section.length - 4))).toThrow('length');
    expect(() => new GeoPoints(section.subarray(0, 8))).toThrow('header');
    expect(
      () => new GeoPoints(Uint8Array.from(section, (byte, i) => (i === 0 ? 9 : byte))),
    ).toThrow('format');
    const twice = section.slice();
    twice[twice.length - 4] = 1;
    expect(() => new GeoPoints(twice).verify()).toThrow('once');
  });
});

describe('distances', () => {
  it('are rounded to the millimetre and lose digits near zero as the definition does', () => {
    expect(haversineMetres(at(0, 0), at(0, 0.0000018))).toBe(0.19);
    expect(haversineMetres(at(0, 0), at(0, 0.0000144))).toBe(1.6);
    expect(haversineMetres(at(48.8566, 2.3522), at(51.5074, -0.1278))).toBeCloseTo(343_556, -2);
    expect(haversineMetres(at(0, 0), at(0, 180))).toBe(20_015_086.796);
  });
});

/** `_geojson` shapes in filters: areas that they overlap, and documents that are refused. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Deadline } from '../../../../src/core/deadline.ts';
import { readGeoJson } from '../../../../src/engine/columns/geo-json.ts';
import { createGeoShapesWriter, GeoShapes } from '../../../../src/engine/columns/geo-shapes.ts';
import { makeBitset, toArray } from '../../../../src/engine/sets/bitset.ts';
import { filterDocuments, parsedFilter } from '../../../../src/search/filter/filter-evaluator.ts';
import { buildSnapshot, type SourceDocument } from '../../../support/build-snapshot.ts';
import { amount } from '../../../support/run-length.ts';
import { searchFilter } from '../../../support/search-request.ts';
import { TestIndex } from '../../indexing/support.ts';

/** Square from (south, west) to (north, east) as GeoJSON positions, longitude first. */
const square = (south: number, west: number, north: number, east: number) => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
];

const polygon = (...rings: number[][][]) => ({ type: 'Polygon', coordinates: rings });

function select(
  shapes: readonly unknown[],
  filter: string,
  filterableAttributes = ['_geojson'],
  deadline = Deadline.never(),
): number[] {
  const snapshot = buildSnapshot({
    documents: shapes.map(
      (shape, id) => (shape === undefined ? { id } : { id, _geojson: shape }) as SourceDocument,
    ),
    settings: { filterableAttributes },
  });
  const options = { code: 'invalid_search_filter', deadline } as const;
  return [
    ...(
      filterDocuments(snapshot, parsedFilter(searchFilter(filter), options)) ?? snapshot.live
    ).toList(),
  ];
}

const AREA = '_geoPolygon([0, 0], [0, 10], [10, 10], [10, 0])';

describe('areas and shapes of very many corners', () => {
  /** A triangle with this many corners on its longest side, and at its other ends. */
  const triangle = (corners: number): string => {
    const side = Array.from({ length: corners }, (_, i) => [
      10 * (i / corners),
      10 - 10 * (i / corners),
    ]);
    return `_geoPolygon(${[[0, 0], ...side].map(([lat, lng]) => `[${lat}, ${lng}]`).join(', ')})`;
  };
  /** Positions in the box of the triangle and outside of it. */
  const beyond = (count: number): number[][] =>
    Array.from({ length: count }, (_, i) => [9 + i / count, 9 + (i % 2) / 2]);
  const shapes = (count: number) => [
    { type: 'LineString', coordinates: beyond(count) },
    { type: 'MultiPoint', coordinates: beyond(count) },
  ];
  /** Each look at the clock takes half a second. */
  const slow = (): Deadline => {
    let nowMs = 0;
    return Deadline.after(0, () => (nowMs += 500));
  };
  const find = (shape: unknown, corners: number) => () =>
    select([shape], triangle(corners), ['_geojson'], slow());

  it.each(shapes(6000).map((shape) => [shape.type, shape] as const))(
    'are compared until the time limit of filters: %s',
    (_, shape) => {
      expect(find(shape, 100)).toThrow('too many conditions or corners');
    },
  );

  it('are parsed until the time limit of filters', () => {
    for (const shape of shapes(10)) {
      expect(find(shape, 100)()).toEqual([]);
      expect(find(shape, 3000)).toThrow('too many conditions or corners');
    }
  });
});

describe('shapes of documents', () => {
  it.each([
    ['a point inside', { type: 'Point', coordinates: [5, 5] }, true],
    ['a point on the border', { type: 'Point', coordinates: [10, 5, 99] }, true],
    ['a point outside', { type: 'Point', coordinates: [5, 11] }, false],
    [
      'one of several points inside',
      {
        type: 'MultiPoint',
        coordinates: [
          [50, 50],
          [1, 1],
        ],
      },
      true,
    ],
    [
      'a line through it',
      {
        type: 'LineString',
        coordinates: [
          [-5, 5],
          [15, 6],
        ],
      },
      true,
    ],
    [
      'a line inside',
      {
        type: 'LineString',
        coordinates: [
          [1, 1],
          [2, 2],
        ],
      },
      true,
    ],
    [
      'a line past its corner',
      {
        type: 'LineString',
        coordinates: [
          [-5, 6],
          [6, 17],
        ],
      },
      false,
    ],
    [
      'one of several lines through it',
      {
        type: 'MultiLineString',
        coordinates: [
          [
            [20, 20],
            [30, 30],
          ],
          [
            [-5, 5],
            [5, 5],
          ],
        ],
      },
      true,
    ],
    ['a polygon inside', polygon(square(4, 4, 6, 6)), true],
    ['a polygon around it', polygon(square(-50, -50, 50, 50)), true],
    [
      'a polygon around it with a hole around it',
      polygon(square(-50, -50, 50, 50), square(-20, -20, 20, 20)),
      false,
    ],
    [
      'a polygon around it with a hole inside it',
      polygon(square(-50, -50, 50, 50), square(4, 4, 6, 6)),
      true,
    ],
    ['a polygon that touches a side', polygon(square(2, 10, 4, 20)), true],
    ['a polygon next to it', polygon(square(2, 10.001, 4, 20)), false],
    [
      'one of several polygons',
      { type: 'MultiPolygon', coordinates: [[square(50, 50, 60, 60)], [square(9, 9, 12, 12)]] },
      true,
    ],
    [
      'a collection',
      { type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [5, 5] }] },
      true,
    ],
    [
      'a feature',
      { type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates: [5, 5] } },
      true,
    ],
    [
      'features',
      {
        type: 'FeatureCollection',
        features: [{ type: 'Feature', geometry: polygon(square(4, 4, 6, 6)) }],
      },
      true,
    ],
    ['a feature that is nowhere', { type: 'Feature', geometry: null }, false],
  ])('%s', (_, shape, isFound) => {
    expect(select([shape, undefined], AREA)).toEqual(isFound ? [0] : []);
    expect(select([shape, undefined], '_geoBoundingBox([10, 10], [0, 0])')).toEqual(
      isFound ? [0] : [],
    );
  });

  it('finds a small area wholly inside a shape, whatever its form', () => {
    const shape = [polygon(square(0, 0, 10, 10))];
    for (const area of ['[4,4],[4,6],[6,6],[6,4]', '[5,5],[5,6],[6,6]']) {
      expect(select(shape, `_geoPolygon(${area})`)).toEqual([0]);
    }
  });

  it('compares points of `_geo` by radius and box, never by polygon', () => {
    const documents = [
      { id: 0, _geo: { lat: 5, lng: 5 } },
      { id: 1, _geojson: { type: 'Point', coordinates: [5, 5] } },
    ];
    const snapshot = buildSnapshot({
      documents,
      settings: { filterableAttributes: ['_geo', '_geojson'] },
    });
    const found = (filter: string): number[] => {
      const options = {
        code: 'invalid_search_filter',
        deadline: Deadline.never(),
      } as const;
      return [
        ...(
          filterDocuments(snapshot, parsedFilter(searchFilter(filter), options)) ?? snapshot.live
        ).toList(),
      ];
    };
    expect(found(AREA)).toEqual([1]);
    expect(found('_geoBoundingBox([10, 10], [0, 0])')).toEqual([0, 1]);
    expect(found('_geoRadius(5.001, 5, 1000)')).toEqual([0, 1]);
    expect(found('_geoRadius(5.1, 5, 1000)')).toEqual([]);
  });

  it('treats a radius as a polygon with the given number of corners', () => {
    const shape = [{ type: 'Point', coordinates: [0, 0.0085] }];
    expect(select(shape, '_geoRadius(0, 0, 1000)')).toEqual([0]);
    expect(
      select([{ type: 'Point', coordinates: [0, -0.0085] }], '_geoRadius(0, 0, 1000, 3)'),
    ).toEqual([]);
    expect(select(shape, '_geoRadius(0, 0, -1)')).toEqual([]);
  });

  it('reaches over the antimeridian', () => {
    const shapes = [
      { type: 'Point', coordinates: [179.5, 0] },
      { type: 'Point', coordinates: [-179.5, 0] },
      { type: 'Point', coordinates: [0, 0] },
    ];
    expect(select(shapes, '_geoBoundingBox([1, -179], [-1, 179])')).toEqual([0, 1]);
    expect(select(shapes, '_geoRadius(0, 179.9, 100000)')).toEqual([0, 1]);
    expect(select(shapes, '_geoRadius(0, -179.9, 100000)')).toEqual([0, 1]);
  });

  it('finds the same among many shapes as a scan', () => {
    // Degrees in millionths, a decimetre on the ground: products of much smaller ones vanish in
    // floating point.
    const degrees = (min: number, max: number) =>
      fc.integer({ min: min * 1e6, max: max * 1e6 }).map((n) => n / 1e6);
    const side = fc.tuple(degrees(-80, 80), degrees(-170, 170));
    const box = fc.tuple(side, degrees(0.01, 9), degrees(0.01, 9));
    fc.assert(
      fc.property(
        fc.array(box, { maxLength: 120 }),
        box,
        (boxes, [[south, west], height, width]) => {
          const writer = createGeoShapesWriter();
          boxes.forEach(([[lat, lng], h, w], docId) => {
            const shape = readGeoJson(polygon(square(lat, lng, lat + h, lng + w)));
            if (shape !== null) writer.add(docId, shape);
          });
          const shapes = new GeoShapes(writer.finish());
          shapes.verify();
          const bits = makeBitset(boxes.length);
          const [north, east] = [south + height, west + width];
          shapes.addOverlapping(
            [south, west, north, west, north, east, south, east, south, west],
            bits,
            () => undefined,
          );
          const wanted = boxes.flatMap(([[lat, lng], h, w], docId) =>
            lat <= north && lat + h >= south && lng <= east && lng + w >= west ? [docId] : [],
          );
          expect([...toArray(bits)]).toEqual(wanted);
        },
      ),
      { numRuns: amount(60, 200) },
    );
  });

  it('refuses damaged sections', () => {
    const writer = createGeoShapesWriter();
    const shape = readGeoJson({ type: 'Point', coordinates: [1, 2] });
    if (shape !== null) writer.add(3, shape);
    const section = writer.finish();
    expect(() => new GeoShapes(section.subarray(0, 40))).toThrow('length');
    expect(() => new GeoShapes(section.subarray(0, 8))).toThrow('header');
    const odd = section.slice();
    odd[odd.length - 4] = 9;
    expect(() => new GeoShapes(odd).verify()).toThrow('kinds');
  });
});

describe('documents with `_geojson`', () => {
  const wrong = [
    null,
    'Point',
    {},
    { type: 'Square', coordinates: [] },
    { type: 'Point' },
    { type: 'Polygon', coordinates: [] },
    { type: 'MultiPolygon', coordinates: [[]] },
    { type: 'Point', coordinates: [1] },
    { type: 'Point', coordinates: ['1', 2] },
    { type: 'LineString', coordinates: [[1, 2]] },
    {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          [1, 1],
          [0, 0],
        ],
      ],
    },
    { type: 'Feature', geometry: { type: 'Point', coordinates: [null, 1] } },
    { type: 'FeatureCollection', features: {} },
  ];

  it.each(wrong)('are refused while it is filterable: %j', async (shape) => {
    const index = new TestIndex({ settings: { filterableAttributes: ['_geojson'] } });
    const { results } = await index.apply(index.upsert([{ id: 1, _geojson: shape }]));
    expect(results[0]?.error).toMatchObject({
      code: 'invalid_document_geo_field',
      message: expect.stringContaining('GeoJSON'),
    });
  });

  it('are refused when it becomes filterable later', async () => {
    const index = new TestIndex();
    await index.apply(index.upsert([{ id: 1, _geojson: 'x' }]));
    await expect(index.applySettings({ filterableAttributes: ['_geojson'] })).rejects.toMatchObject(
      {
        code: 'invalid_document_geo_field',
      },
    );
  });

  it('may hold anything while it is not filterable, or only `_geo` is', async () => {
    const index = new TestIndex({ settings: { filterableAttributes: ['_geo'] } });
    const { results } = await index.apply(index.upsert([{ id: 1, _geojson: 'x' }]));
    expect(results[0]?.error).toBeNull();
  });
});

/** Aggregations on real processes: by body and by query string, in multi-searches, under tenant tokens. */
import { beforeAll, expect, test } from 'vitest';
import { KeyedServer } from '../support/keyed-server.ts';
import { freshUid } from '../support/shared-server.ts';

const SALES = freshUid('sales');
let server: KeyedServer;

const documents = [
  { id: 1, price: 3, at: '2024-03-30T23:30:00Z', shop: 'a' },
  { id: 2, price: 5, at: 1711843200, shop: 'a' },
  { id: 3, price: 9, at: '2024-04-01', shop: 'b' },
];
const aggregations = {
  total: { type: 'sum', attribute: 'price' },
  days: {
    type: 'dateHistogram',
    attribute: 'at',
    interval: 'day',
    timeZone: 'Europe/Berlin',
    aggregations: { mean: { type: 'mean', attribute: 'price' } },
  },
};
const FIRST_DAY = {
  key: '2024-03-31T00:00:00+01:00',
  timestamp: 1711839600,
  count: 2,
  aggregations: { mean: { value: 4 } },
};
const SECOND_DAY = {
  key: '2024-04-01T00:00:00+02:00',
  timestamp: 1711922400,
  count: 1,
  aggregations: { mean: { value: 9 } },
};
const EXPECTED = { total: { value: 17 }, days: { buckets: [FIRST_DAY, SECOND_DAY] } };

beforeAll(async () => {
  server = await KeyedServer.shared();
  await server.finished('PATCH', `/indexes/${SALES}/settings`, {
    filterableAttributes: ['price', 'at', 'shop'],
  });
  await server.finished('POST', `/indexes/${SALES}/documents`, documents);
});

test('a body and a query string aggregate alike, whatever the page shows', async () => {
  for (const page of [{ limit: 0 }, { page: 2, hitsPerPage: 1 }]) {
    const { json } = await server.ask('POST', `/indexes/${SALES}/search`, {
      aggregations,
      ...page,
    });
    expect(json['aggregations']).toEqual(EXPECTED);
  }
  const text = encodeURIComponent(JSON.stringify(aggregations));
  const { json } = await server.ask('GET', `/indexes/${SALES}/search?limit=1&aggregations=${text}`);
  expect(json['aggregations']).toEqual(EXPECTED);
});

test('each query of a multi-search has its own', async () => {
  const { json } = await server.ask('POST', '/multi-search', {
    queries: [{ indexUid: SALES, aggregations, filter: 'price > 5' }, { indexUid: SALES }],
  });
  const results = json['results'] as Record<string, unknown>[];
  expect(results[0]).toMatchObject({
    aggregations: { total: { value: 9 }, days: { buckets: [SECOND_DAY] } },
  });
  expect(results[1]).not.toHaveProperty('aggregations');
});

test('they cover only documents that the token allows', async () => {
  const token = await server.tokenFor({ [SALES]: { filter: 'shop = a' } });
  const { json } = await server.as(token, 'POST', `/indexes/${SALES}/search`, { aggregations });
  expect(json['aggregations']).toEqual({ total: { value: 8 }, days: { buckets: [FIRST_DAY] } });
});

test('refusals name the place, the value and what is allowed', async () => {
  const sum = { type: 'sum', attribute: 'price' };
  const refusals = [
    [{ a: { ...sum, attribute: 'id' } }, '`aggregations.a.attribute` names `id`'],
    [{ a: { ...sum, type: 'total' } }, '`aggregations.a.type` is "total", expected one of `min`'],
    [{ a: { ...sum, size: 1 } }, '`aggregations.a.size` is not allowed for the type `sum`'],
    [
      { a: { type: 'dateHistogram', attribute: 'at', interval: 'decade' } },
      'expected one of `hour`',
    ],
  ] as const;
  for (const [body, part] of refusals) {
    const { status, json } = await server.ask('POST', `/indexes/${SALES}/search`, {
      aggregations: body,
    });
    expect([status, json['code']]).toEqual([400, 'invalid_search_aggregations']);
    expect(json['message']).toContain(part);
  }
  const wrong = { a: { ...sum, filter: 'id > 1' } };
  const { json } = await server.ask('POST', `/indexes/${SALES}/search`, { aggregations: wrong });
  expect(json).toMatchObject({ code: 'invalid_search_filter' });
});

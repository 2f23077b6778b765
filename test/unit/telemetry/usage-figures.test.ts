/** What is counted of usage: figures by route, added up over fronts, and never text of users. */
import { expect, it } from 'vitest';
import { routes } from '../../../src/api/routes/index.ts';
import type { UsageReport } from '../../../src/model/usage-report.ts';
import {
  type EndedRequest,
  shownEvents,
  UsageFigures,
} from '../../../src/telemetry/usage-figures.ts';

const SECRET = 'Zq8secret';

function ended(routeId: string, own: Partial<EndedRequest> = {}): EndedRequest {
  const route = routes.find(({ id }) => id === routeId);
  if (route === undefined) throw new Error(`no route ${routeId}`);
  return {
    route,
    query: {},
    body: undefined,
    client: '',
    contentType: '',
    status: 200,
    durationMs: 5,
    isDegraded: false,
    ...own,
  };
}

const search = (body: object, own: Partial<EndedRequest> = {}) =>
  ended('search.post', { body, ...own });

function shownTogether(reports: readonly UsageReport[]) {
  const usage = new UsageFigures();
  for (const report of reports) usage.add(report);
  return shownEvents(usage.report);
}

function shown(...fronts: readonly (readonly EndedRequest[])[]) {
  const reports = fronts.map((requests) => {
    const usage = new UsageFigures();
    for (const request of requests) usage.ended(request);
    return JSON.parse(JSON.stringify(usage.take()));
  });
  const events = shownTogether(reports);
  return Object.fromEntries(events.map(({ event, figures }) => [event, figures]));
}

it('adds up requests of several fronts by route, with the parameters that they set', () => {
  const events = shown(
    [
      search({ q: 'one', sort: ['a:asc'], limit: 7 }, { client: 'curl/8.1.2' }),
      search({ q: 'x', filter: 'a = 1' }, { isDegraded: true, contentType: 'Text/CSV; a=b' }),
      search({ q: null, unknown: 1 }),
    ],
    [
      search({ sort: ['b:asc'], page: 1 }, { client: 'Meilisearch JavaScript (v0.45.0)' }),
      ended('search.post', { status: 400 }),
      ended('search.get', { query: { q: 'a', hybridEmbedder: 'e' }, client: 'mine/1' }),
      ended('multiSearch.post', { body: { queries: [{}, {}], federation: {} } }),
    ],
  );
  expect(events['search.post']).toEqual({
    'requests.total_received': 5,
    'requests.total_succeeded': 4,
    'requests.total_failed': 1,
    'requests.total_degraded': 1,
    'requests.99th_response_time': expect.any(Number),
    'parameters.q': 2,
    'parameters.sort': 2,
    'parameters.filter': 1,
    'parameters.limit': 1,
    'parameters.page': 1,
  });
  expect(events['search.get']).toMatchObject({ 'parameters.hybridEmbedder': 1 });
  expect(events['multiSearch.post']).toMatchObject({
    'searches.total_search_count': 2,
    'parameters.federation': 1,
  });
  expect(events['requests']).toEqual({
    user_agent: ['Meilisearch JavaScript 0.45', 'curl 8.1', 'other'],
    payload_type: ['text/csv'],
  });
});

it('says within which time 99 of a hundred requests of a route were answered', () => {
  const times = Array.from({ length: 1000 }, (_, i) =>
    search({}, { durationMs: i < 985 ? 2 : 900 }),
  );
  const within = (requests: readonly EndedRequest[]) =>
    Number(shown(requests)['search.post']?.['requests.99th_response_time']);
  expect(within(times)).toBeGreaterThanOrEqual(900);
  expect(within(times)).toBeLessThan(1000);
  expect(within(times.slice(0, 900))).toBeLessThan(2.3);
});

it('counts each request once, even if the figures are read in between', () => {
  const usage = new UsageFigures();
  const taken = [1, 2, 3].map((count) => {
    for (let i = 0; i < count; i++) usage.ended(search({}));
    return usage.take();
  });
  const [, event] = shownTogether(taken);
  expect(event?.figures['requests.total_received']).toBe(6);
  expect(shownEvents(usage.take())).toEqual([]);
});

interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly not?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
}

/** A value of the schema in which every text that is free is the secret; undefined = there is none. */
function secretOf(schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf !== undefined) return secretOf(schema.anyOf[0] ?? {});
  if (schema.not !== undefined) return undefined;
  if (schema.type === 'string') return SECRET;
  if (schema.type === 'boolean') return true;
  if (schema.type === 'number' || schema.type === 'integer') return 1;
  if (schema.type === 'array') return [secretOf(schema.items ?? {})];
  if (schema.type !== 'object') return [SECRET, [SECRET]];
  const { properties = {}, patternProperties = {}, additionalProperties } = schema;
  const named = Object.entries(properties).map(([name, own]) => [name, secretOf(own)] as const);
  const open = typeof additionalProperties === 'object' ? [additionalProperties] : [];
  const others = [...Object.values(patternProperties), ...open];
  const free = others.map((own) => [SECRET, secretOf(own)] as const);
  return Object.fromEntries([...named, ...free].filter(([, value]) => value !== undefined));
}

it('holds no text that a user has written, in any parameter of any route', () => {
  const usage = new UsageFigures();
  const bodies: string[] = [];
  for (const { id, query, body } of routes) {
    const asked = {
      query: query && secretOf(query as Schema),
      body: body && secretOf(body as Schema),
      client: `${SECRET}/1.0 (${SECRET}@example.com)`,
      contentType: `text/${SECRET}`,
    };
    bodies.push(JSON.stringify(asked.body ?? null));
    for (const status of [200, 400]) usage.ended(ended(id, { ...asked, status }));
  }
  expect(bodies.filter((body) => body.includes(SECRET)).length).toBeGreaterThan(20);
  const report = usage.take();
  expect(shownEvents(report).map(({ event }) => event)).toEqual([
    'requests',
    ...routes.map(({ id }) => id),
  ]);
  const text = JSON.stringify([report, shownEvents(report)]);
  expect(text).not.toMatch(/Zq8|example/i);
});

it('stays small, with any headers and durations', () => {
  const usage = new UsageFigures();
  for (let i = 0; i < 5000; i++) {
    usage.ended(search({ locales: [`l${i}`], [`m${i}`]: i }, { durationMs: i }));
    usage.ended(ended('health', { client: `curl/${i % 9999}.${i}`, contentType: `a/${i}` }));
  }
  const report = usage.take();
  expect(JSON.stringify(report).length).toBeLessThan(20_000);
  expect(shownEvents(report).map(({ event }) => event)).toEqual([
    'requests',
    'search.post',
    'health',
  ]);
});

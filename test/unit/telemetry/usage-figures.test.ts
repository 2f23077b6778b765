/** What is counted of usage: figures by event, added up over fronts, and never text of users. */
import { expect, it } from 'vitest';
import { routes } from '../../../src/api/routes/index.ts';
import type { UsageReport } from '../../../src/model/usage-report.ts';
import type { EndedRequest } from '../../../src/telemetry/usage-figures.ts';
import { shownEvents, UsageFigures } from '../../../src/telemetry/usage-figures.ts';

const SECRET = 'Zq8secret';

const ended = (routeId: string, own: Partial<EndedRequest> = {}): EndedRequest => ({
  routeId,
  query: {},
  body: undefined,
  client: '',
  contentType: '',
  status: 200,
  durationMs: 5,
  isIndexNew: false,
  isDegraded: false,
  ...own,
});

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

it('adds up searches of several fronts', () => {
  const events = shown(
    [
      search({ q: 'one two three', sort: ['a:asc', '_geoPoint(1, 2):desc'], limit: 7 }),
      search({ q: 'x -y', filter: '_geoRadius(1,2,3)', page: 2 }, { isDegraded: true }),
      search({ q: null, locales: ['fra', 'eng'], matchingStrategy: 'all' }),
    ],
    [
      search({ sort: ['b:asc'], facets: ['a', 'b', 'c'], limit: 40, offset: 9, page: 1 }),
      search({ filter: ['a = 1'], page: 1 }, { status: 400 }),
      ended('search.get', { query: { q: 'a', hybridEmbedder: 'e', matchingStrategy: 'all' } }),
    ],
  );
  expect(events['search']).toMatchObject({
    'requests.total_received': 6,
    'requests.total_succeeded': 5,
    'requests.total_failed': 1,
    'requests.total_degraded': 1,
    'requests.total_used_negative_operator': 1,
    'sort.with_geoPoint': true,
    'sort.avg_criteria_number': 1.5,
    'filter.with_geoRadius': true,
    'filter.with_geoBoundingBox': false,
    'q.max_terms_number': 3,
    'pagination.max_limit': 40,
    'pagination.max_offset': 9,
    'pagination.most_used_navigation': 'estimated',
    'facets.avg_facets_number': 3,
    'matching_strategy.most_used_strategy': 'all',
    'hybrid.enabled': true,
    locales: ['eng', 'fra'],
  });
});

it('says within which time 99 of a hundred searches were answered', () => {
  const times = Array.from({ length: 1000 }, (_, i) =>
    search({}, { durationMs: i < 985 ? 2 : 900 }),
  );
  const within = (requests: readonly EndedRequest[]) =>
    Number(shown(requests)['search']?.['requests.99th_response_time']);
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
  const [, figures] = shownTogether(taken);
  expect(figures?.figures['requests.total_received']).toBe(6);
  expect(usage.take()).toEqual({});
});

it('reports sizes and choices of settings', () => {
  const settings = {
    rankingRules: ['typo', 'words', `${SECRET}:asc`],
    filterableAttributes: ['_geo', `${SECRET}.*`],
    stopWords: ['a', 'b'],
    synonyms: { [SECRET]: [SECRET] },
    typoTolerance: {
      enabled: false,
      minWordSizeForTypos: { oneTypo: 4 },
      disableOnWords: [SECRET],
    },
    embedders: { [SECRET]: { source: 'openAi', apiKey: SECRET, documentTemplate: SECRET } },
    proximityPrecision: 'byAttribute',
  };
  const events = shown([
    ended('settings.update', { body: settings, status: 202 }),
    ended('settings.dictionary.update', { body: [SECRET, 'b', 'c'], status: 202 }),
    ended('settings.stopWords.update', { body: [1, 2, 3, 4], status: 400 }),
  ]);
  expect(events['settingsChanged']).toMatchObject({
    total_received: 3,
    'ranking_rules.words_position': 1,
    'ranking_rules.exactness_position': null,
    'ranking_rules.values': 'typo, words',
    'filterable_attributes.has_geo': true,
    'filterable_attributes.has_patterns': true,
    'stop_words.total': 2,
    'dictionary.total': 3,
    'synonyms.total': 1,
    'typo_tolerance.enabled': false,
    'typo_tolerance.disable_on_words': true,
    'typo_tolerance.min_word_size_for_typos.one_typo': 4,
    'embedders.sources': ['openAi'],
    'embedders.document_template_used': true,
    'proximity_precision.value': 'byAttribute',
  });
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

it('tells no text that a user has written, whatever is asked', () => {
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
  expect(shownEvents(report).length).toBe(15);
  const text = JSON.stringify([report, shownEvents(report)]);
  expect(text).not.toMatch(/secret|Zq8|example/i);
});

it('recognises the operators of a filter in all of its forms', () => {
  const used = (filter: unknown) => shown([search({ filter })])['search'] ?? {};
  expect(used('a = 1 AND _geoRadius(1, 2, 3)')['filter.with_geoRadius']).toBe(true);
  expect(used(['a = 1', ['b = 2', '_vectors EXISTS']])['filter.on_vectors']).toBe(true);
  expect(used([['_geoBoundingBox([1, 2], [3, 4])']])['filter.with_geoBoundingBox']).toBe(true);
  expect(used(['a = "_geo"', ['b']])['filter.with_geoRadius']).toBe(false);
  const syntaxes = ['a = 1', ['a = 1'], [['a = 1']], ['a = 1', ['b = 2']], null];
  expect(syntaxes.map((filter) => used(filter)['filter.most_used_syntax'])).toEqual([
    ...['string', 'array', 'nested array', 'mixed', null],
  ]);
});

it('looks at the first thousands of characters of a filter, however long it is', () => {
  let reads = 0;
  const long = (part: unknown) =>
    new Proxy(new Array<unknown>(1_000_000).fill(part), {
      get: (parts, name) => {
        reads += 1;
        return Reflect.get(parts, name);
      },
    });
  for (const part of ['a = 1', '', [], [[]], 'x'.repeat(100_000)])
    for (const filter of [long(part), [long(part)]])
      shown([search({ filter }), ended('documents.fetch', { body: { filter } })]);
  expect(reads).toBeLessThan(500_000);
});

it('stays small, whatever comes', () => {
  const usage = new UsageFigures();
  for (let i = 0; i < 5000; i++) {
    usage.ended(ended('facetSearch.post', { body: { facetName: `name${i}` } }));
    usage.ended(search({ locales: [`l${i}`], matchingStrategy: `s${i}` }, { durationMs: i }));
    usage.ended(ended('health', { client: `curl/${i % 9999}.${i}`, contentType: `a/${i}` }));
  }
  const report = usage.take();
  expect(JSON.stringify(report).length).toBeLessThan(30_000);
  expect(shownEvents(report).map(({ event }) => event)).toEqual([
    'requests',
    'search',
    'facetSearch',
  ]);
});

/** `gannet migrate` from each kind of source into a real server. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Meilisearch } from 'meilisearch';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MigrationReport } from '../../src/cli/migrate/run-migration.ts';
import { runGannet } from '../support/run-gannet.ts';
import {
  emptiedServer,
  MASTER_KEY,
  SHARED_BACKUPS,
  type SharedServer,
} from '../support/shared-server.ts';
import { StallingProxy } from '../support/stalling-proxy.ts';
import { cleanUp, freshFolder, TestServer } from '../support/test-server.ts';
import { until } from '../support/until.ts';

const PROGRAM = resolve(import.meta.dirname, '../../scripts/gannet.mjs');
const TARGET_KEY = 'the-master-key-of-the-target';

const folder = freshFolder();
let source: SharedServer;
let target: TestServer;
let there: Meilisearch;
let here: Meilisearch;
let env: Record<string, string>;

beforeAll(async () => {
  [source, target] = await Promise.all([
    emptiedServer(),
    TestServer.start({ masterKey: TARGET_KEY }),
  ]);
  there = source.client;
  here = target.client;
  env = {
    HOME: folder,
    XDG_STATE_HOME: join(folder, 'state'),
    GANNET_URL: target.url,
    GANNET_KEY: TARGET_KEY,
    GANNET_FROM_KEY: MASTER_KEY,
  };
});
afterAll(cleanUp);

const migrate = (...args: string[]) => runGannet(['migrate', ...args], env);
const reportOf = ({ values }: Awaited<ReturnType<typeof migrate>>): MigrationReport =>
  values[0] as MigrationReport;
const file = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
const json = (name: string, value: unknown): string => file(name, JSON.stringify(value));
const ndjson = (...values: unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');

describe('a running Meilisearch', () => {
  const settings = {
    searchableAttributes: ['title', 'text'],
    filterableAttributes: ['year', '_geo'],
    rankingRules: ['words', 'typo', 'year:desc'],
    synonyms: { film: ['movie'], movie: ['film'] },
    stopWords: ['the'],
    typoTolerance: { minWordSizeForTypos: { oneTypo: 4 } },
    embedders: { own: { source: 'userProvided' as const, dimensions: 2 } },
  };
  const paid = { source: 'openAi' as const, apiKey: 'sk-a-key-that-nobody-is-told', dimensions: 3 };

  it('is migrated: settings, documents with vectors and exact numbers, API keys', async () => {
    await there.index('films').updateSettings(settings).waitTask();
    await there.index('paid').updateSettings({ embedders: { paid } }).waitTask();
    const text =
      '{"key":1,"title":"A film","year":1.0,"big":12345678901234567890,"_vectors":{"own":[1,0]}}';
    const sent = await source.call('POST', '/indexes/films/documents?primaryKey=key', {
      headers: { 'content-type': 'application/json' },
      body: text,
    });
    await there.tasks.waitForTask((sent.json as { taskUid: number }).taskUid);
    await there.createKey({
      name: 'shop',
      actions: ['search'],
      indexes: ['films'],
      expiresAt: null,
    });

    const done = await migrate('meilisearch', source.url, '--json');
    expect(done.code).toBe(0);
    const report = reportOf(done);
    expect(report).toMatchObject({
      indexes: [
        { uid: 'films', documents: 1, expected: 1 },
        { uid: 'paid', documents: 0, expected: 0 },
      ],
      failures: [],
      notes: expect.arrayContaining([
        expect.objectContaining({ about: 'paid', name: 'embedder paid' }),
      ]),
    });
    expect(await here.index('films').getSettings()).toMatchObject(settings);
    expect((await here.index('paid').getSettings()).embedders).toEqual({});
    const answer = await target.call('POST', '/indexes/films/documents/fetch', {
      headers: { 'content-type': 'application/json' },
      body: '{"retrieveVectors":true}',
    });
    expect(answer.text).toContain('"year":1.0,"big":12345678901234567890');
    expect(answer.text).toContain('"embeddings":[[1,0]]');
    const keys = await here.getKeys({ limit: 100 });
    expect(keys.results).toContainEqual(
      expect.objectContaining({ name: 'shop', actions: ['search'] }),
    );
  });

  it('refuses names that the source does not have', async () =>
    expect(await migrate('meilisearch', source.url, '--index', 'no,none*')).toMatchObject({
      code: 1,
      err: expect.stringContaining('the source has no index named no, none*'),
    }));

  it('does not change existing indexes without --into-existing', async () => {
    const refused = await migrate('meilisearch', source.url, '--restart');
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('--into-existing') });
    const { code } = await migrate('meilisearch', source.url, '--into-existing', '--no-keys');
    expect(code).toBe(0);
  });

  it('resumes after a kill', async () => {
    const documents = Array.from({ length: 300 }, (_, id) => ({ id }));
    await there.index('large').addDocuments(documents, { primaryKey: 'id' }).waitTask();
    const proxy = await StallingProxy.start(source.url);
    const pages = () =>
      proxy.seen
        .filter(({ path }) => path.endsWith('/documents/fetch'))
        .map(({ body }) => (JSON.parse(body) as { offset: number }).offset);
    proxy.stalls = () => pages().length > 1;
    const args = ['migrate', 'meilisearch', proxy.url, '--index', 'large'];
    const first = spawn(process.execPath, [PROGRAM, ...args], {
      env: { PATH: process.env['PATH'], ...env },
      stdio: 'ignore',
    });
    const ended = new Promise((done) => first.once('close', done));
    await until('the second page is asked for', () => pages().length > 1 || null);
    first.kill('SIGKILL');
    await ended;
    proxy.stalls = () => false;
    const again = await runGannet([...args, '--json'], env);
    proxy.stop();
    expect(again).toMatchObject({
      code: 0,
      err: expect.stringContaining('resuming after 100 documents'),
    });
    expect(reportOf(again).indexes).toEqual([{ uid: 'large', documents: 300, expected: 300 }]);
    expect(pages()).toEqual([0, 100, 100, 200]);
  });

  it('changes nothing in a dry run', async () => {
    await there
      .index('other')
      .addDocuments([{ id: 1 }])
      .waitTask();
    const { code, out } = await migrate('meilisearch', source.url, '--index', 'other', '--dry-run');
    expect(code).toBe(0);
    expect(out).toContain('other: 1 document, primary key id');
    await expect(here.getIndex('other')).rejects.toThrow('other');
  });

  it('can be migrated from a dump', async () => {
    const { details } = await there.createDump().waitTask();
    const dump = join(SHARED_BACKUPS, `${details?.dumpUid}.dump`);
    const done = await migrate('dump', dump, '--index', 'other', '--json');
    expect(done.code).toBe(0);
    expect(reportOf(done).indexes).toEqual([{ uid: 'other', documents: 1, expected: 1 }]);
    expect(reportOf(done).notes).toContainEqual(
      expect.objectContaining({ about: 'dump', name: 'tasks and batches' }),
    );
  });
});

describe('files of exports', () => {
  it('of Algolia: ids, `_geo`, filters, ranking', async () => {
    const settings = json('algolia-settings.json', {
      searchableAttributes: ['title', 'unordered(text)'],
      attributesForFaceting: ['filterOnly(kind)', 'searchable(brand)'],
      customRanking: ['desc(popularity)'],
    });
    const synonyms = json('algolia-synonyms.json', [
      { objectID: 's1', type: 'synonym', synonyms: ['tv', 'television'] },
    ]);
    const records = json('products.json', [
      {
        objectID: 'a/1',
        title: 'Television',
        kind: 'tv',
        brand: 'One',
        popularity: 3,
        _geoloc: { lat: 48.8, lng: 2.3 },
      },
      { objectID: 'b', title: 'Radio', kind: 'radio', brand: 'Two', popularity: 9 },
    ]);
    const done = await migrate(
      'algolia',
      records,
      '--settings',
      settings,
      '--synonyms',
      synonyms,
      '--json',
    );
    expect(done.code).toBe(0);
    const index = here.index('products');
    const near = await index.search('tv', { filter: 'kind = tv AND _geoRadius(48.8, 2.3, 1000)' });
    expect(near.hits).toMatchObject([
      { objectID: 'a_x2f_1', originalId: 'a/1', _geo: { lat: 48.8, lng: 2.3 } },
    ]);
    const all = await index.search('', { facets: ['brand'] });
    expect(all.facetDistribution).toEqual({ brand: { One: 1, Two: 1 } });
    expect(all.hits[0]).toMatchObject({ objectID: 'b' });
  });

  it('of Typesense: weights, facets, `_geo`, vectors, sort', async () => {
    const schema = json('typesense.json', {
      name: 'shops',
      fields: [
        { name: 'text', type: 'string' },
        { name: 'title', type: 'string' },
        { name: 'tags', type: 'string[]', facet: true },
        { name: 'stars', type: 'float' },
        { name: 'where', type: 'geopoint', optional: true },
        { name: 'meaning', type: 'float[]', num_dim: 2, optional: true },
      ],
      default_sorting_field: 'stars',
    });
    const documents = file(
      'shops.jsonl.gz',
      gzipSync(
        ndjson(
          {
            id: '1',
            title: 'Bread',
            text: 'a baker',
            tags: ['food'],
            stars: 2.5,
            where: [52.5, 13.4],
            meaning: [1, 0],
          },
          { id: '2', title: 'Baker street', text: 'books', tags: ['books'], stars: 4.5 },
        ),
      ),
    );
    const flags = ['--schema', schema, '--query-by', 'text,title', '--query-by-weights', '1,4'];
    expect(await migrate('typesense', documents, ...flags)).toMatchObject({ code: 0 });
    const index = here.index('shops');
    const found = await index.search('baker', { facets: ['tags'] });
    expect(found.hits.map(({ id }) => id)).toEqual(['2', '1']);
    const near = await index.search('', { filter: '_geoRadius(52.5, 13.4, 100)' });
    expect(near.hits).toMatchObject([{ id: '1' }]);
    const hybrid = { embedder: 'meaning', semanticRatio: 1 };
    const meant = await index.search('', { vector: [1, 0.1], hybrid, limit: 1 });
    expect(meant.hits).toMatchObject([{ id: '1' }]);
  });

  it('of Elasticsearch: lines of the bulk API for several indexes, dates, `_geo`', async () => {
    const mapping = json('mapping.json', {
      'news.2026': {
        mappings: {
          properties: {
            title: { type: 'text', analyzer: 'english', fields: { keyword: { type: 'keyword' } } },
            date: { type: 'date' },
            place: { type: 'geo_point' },
          },
        },
      },
    });
    const bulk = file(
      'bulk.ndjson',
      ndjson(
        { index: { _index: 'news.2026', _id: 'x y' } },
        { title: 'Running well', date: '2026-11-22', place: { lat: 1, lon: 2 } },
        { create: { _index: 'news.2026' } },
        { title: 'Old news', date: '2020-01-01', place: [2, 1] },
        { delete: { _index: 'news.2026', _id: 'gone' } },
        { index: { _index: 'plain', _id: '7' } },
        { n: 1 },
      ),
    );
    const done = await migrate('elasticsearch', bulk, '--mapping', mapping, '--json');
    expect(done.code).toBe(0);
    expect(reportOf(done).indexes).toEqual([
      { uid: 'news_2026', documents: 2, expected: 2 },
      { uid: 'plain', documents: 1, expected: 1 },
    ]);
    const index = here.index('news_2026');
    const recent = await index.search('run', {
      filter: 'date > "2025-12-31" AND _geoRadius(1, 2, 100)',
    });
    expect(recent.hits).toMatchObject([
      { _id: 'x_x20_y', originalId: 'x y', title: 'Running well' },
    ]);
    expect(reportOf(done).notes).toContainEqual(
      expect.objectContaining({ about: 'plain', name: 'settings' }),
    );
  });

  it('that are not JSON are refused with the offset, and options of another system by name', async () => {
    const broken = file('broken.ndjson', '{"objectID":"1"}\n{"objectID":\n');
    expect(await migrate('algolia', broken)).toMatchObject({
      code: 1,
      err: expect.stringContaining('expected a JSON object that ends at byte 30'),
    });
    expect(await migrate('algolia', broken, '--schema', broken)).toMatchObject({
      code: 2,
      err: expect.stringContaining('does not use --schema'),
    });
    expect(await migrate('solr', broken)).toMatchObject({ code: 2 });
  });
});

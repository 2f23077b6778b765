/** `gannet suggest` against a real server: from recorded searches and fields to an ordinary index. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Meilisearch } from 'meilisearch';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runGannet } from '../support/run-gannet.ts';
import { freshUid, MASTER_KEY, type SharedServer, sharedServer } from '../support/shared-server.ts';
import { cleanUp, freshFolder } from '../support/test-server.ts';
import { until } from '../support/until.ts';

const PROGRAM = resolve(import.meta.dirname, '../../scripts/gannet.mjs');
const folder = freshFolder();
const FILMS_UID = freshUid('films');
const SUGGESTIONS = `${FILMS_UID}_suggestions`;
let server: SharedServer;
let client: Meilisearch;

const FILMS = [
  { id: 1, title: 'Casablanca', genres: ['drama', 'war'] },
  { id: 2, title: 'Vertigo', genres: ['thriller'] },
  { id: 3, title: 'North by Northwest', genres: ['thriller'] },
  { id: 4, title: 'Rear Window', genres: ['thriller', 'drama'] },
];

beforeAll(async () => {
  server = await sharedServer();
  client = server.client;
  const films = client.index(FILMS_UID);
  await films.updateFilterableAttributes(['genres']).waitTask();
  await films.addDocuments(FILMS, { primaryKey: 'id' }).waitTask();
});
afterAll(cleanUp);

const args = (...more: string[]) => [
  ...['suggest', FILMS_UID, '--url', server.url, '--key', MASTER_KEY],
  ...more,
];

/** Each of another user. */
async function searchFor(q: string, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    const headers = { 'X-MS-USER-ID': `user ${q} ${i}` };
    const path = `/indexes/${FILMS_UID}/search?q=${encodeURIComponent(q)}`;
    expect((await server.call('GET', path, { headers })).status).toBe(200);
  }
}

const suggested = async (q: string) => {
  const { hits } = await client.index(SUGGESTIONS).search(q);
  return hits.map(({ text }) => text as string);
};

test('suggestions are what users search for and values of fields, by popularity', async () => {
  await searchFor('vertigo', 3);
  await searchFor('war', 2);
  await searchFor('wart', 2);
  await searchFor('once', 1);
  const deny = join(folder, 'deny.txt');
  writeFileSync(deny, '# not as suggestions\nrear window\n');
  const fill = args('--min-searches', '2', '--fields', 'title', '--deny', deny);
  const { code, values } = await runGannet([...fill, '--category', 'genres', '--json']);
  expect(code).toBe(0);
  expect(values).toEqual([{ indexUid: SUGGESTIONS, suggestions: 4 }]);
  const { results } = await client.index(SUGGESTIONS).getDocuments();
  expect(results.map(({ id: _, refreshedAt: _at, ...shown }) => shown)).toEqual([
    { text: 'Vertigo', searches: 3, hits: 1, category: 'thriller' },
    { text: 'war', searches: 2, hits: 1, category: 'drama' },
    { text: 'Casablanca', searches: 0, hits: 1, category: 'drama' },
    { text: 'North by Northwest', searches: 0, hits: 1, category: 'thriller' },
  ]);
  expect(await suggested('')).toEqual(['Vertigo', 'war', 'Casablanca', 'North by Northwest']);
  expect(await suggested('vert')).toEqual(['Vertigo']);
  expect(await suggested('north')).toEqual(['North by Northwest']);
});

test('a later run replaces them, keeps the settings, and counts as no searches', async () => {
  await client.index(SUGGESTIONS).updateStopWords(['by']).waitTask();
  const second = Math.floor(Date.now() / 1000);
  await until('the next second', () => Math.floor(Date.now() / 1000) > second);
  expect((await runGannet(args('--min-searches', '3'))).code).toBe(0);
  expect(await suggested('')).toEqual(['vertigo']);
  expect(await client.index(SUGGESTIONS).getStopWords()).toEqual(['by']);
  const { json } = await server.call('GET', `/analytics/queries?indexUid=${FILMS_UID}`);
  const { results } = json as { results: { query: string; searches: number }[] };
  expect(results.map(({ query, searches }) => [query, searches])).toEqual([
    ['vertigo', 3],
    ['war', 2],
    ['wart', 2],
    ['once', 1],
  ]);
});

test('runs again and again, also after a failure', async () => {
  const every = args('--to', 'again', '--every', '.01');
  const child = spawn(process.execPath, [PROGRAM, ...every]);
  let out = '';
  child.stdout.on('data', (chunk) => (out += String(chunk)));
  await until('the first run', () => out.includes('0 suggestions in again'));
  await searchFor('rear window', 5);
  await until('a later run', () => out.includes('1 suggestion in again'));
  expect(child.exitCode).toBeNull();
  child.kill();
  const refused = await runGannet(args('--deny', join(folder, 'absent.txt')));
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('file not found') });
});

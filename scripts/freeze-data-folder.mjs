/**
 * Writes test/fixtures/data-folders/format-N.tar.gz: the data folder of a built checkout with
 * tasks, documents and settings of every kind, and requests with their recorded responses. The
 * server is killed while it waits for an embedding provider, so that tasks of every kind are still
 * enqueued.
 *
 *     node scripts/freeze-data-folder.mjs [CHECKOUT]      default: this checkout
 *
 * Run it when the format of the data folder changes, with the last checkout of the old format.
 * Fixtures of old formats stay: tests upgrade them.
 */
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import { createServer } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from './lib/fresh.mjs';

const checkout = path.resolve(process.argv[2] ?? ROOT);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'freeze-'));
const dbPath = path.join(folder, 'data.ms');
const MASTER_KEY = 'the master key of the fixture';
const START_MS = 60_000;
const POLL_MS = 50;
/** Milliseconds for one task. */
const FINISH_MS = 30_000;

const listen = (handler) =>
  new Promise((resolve) => {
    const server = createServer(handler);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      resolve({ url: `http://127.0.0.1:${port}`, close: () => server.closeAllConnections() });
    });
  });

let isProviderStuck = false;
/**
 * Returns a vector computed from the length of each text; never responds once `isProviderStuck` is
 * set.
 */
const provider = await listen(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  if (isProviderStuck) return;
  const { texts } = JSON.parse(Buffer.concat(chunks).toString());
  response.end(JSON.stringify({ vectors: texts.map((text) => [text.length, 1, 0.5]) }));
});
/** Refuses webhook deliveries, and is not an instance to export to. */
const refusing = await listen((request, response) => {
  request.resume();
  response.statusCode = 503;
  response.end();
});

const port = 20_000 + (process.pid % 20_000);
const server = spawn(
  process.execPath,
  [
    path.join(checkout, 'dist/src/main.js'),
    ...['--db-path', dbPath, '--http-addr', `127.0.0.1:${port}`, '--master-key', MASTER_KEY],
    ...['--dump-dir', path.join(folder, 'dumps'), '--snapshot-dir', path.join(folder, 'snapshots')],
    ...['--experimental-allowed-ip-networks', 'any', '--no-warm-up', '--log-level', 'ERROR'],
  ],
  // The server runs in its own process group, which is killed as a whole.
  { stdio: ['ignore', 'ignore', 'inherit'], detached: true },
);

async function send(method, route, body) {
  const isText = typeof body === 'string';
  const answer = await fetch(`http://127.0.0.1:${port}${route}`, {
    method,
    headers: {
      authorization: `Bearer ${MASTER_KEY}`,
      ...(body !== undefined && {
        'content-type': isText ? 'application/x-ndjson' : 'application/json',
      }),
    },
    ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
  });
  const json = answer.status === 204 ? null : await answer.json();
  if (!answer.ok) throw new Error(`${method} ${route}: ${JSON.stringify(json)}`);
  return json;
}

/** Resolves with the task when it has finished. */
async function run(...request) {
  const { taskUid } = await send(...request);
  for (let waitedMs = 0; waitedMs < FINISH_MS; waitedMs += POLL_MS) {
    const task = await send('GET', `/tasks/${taskUid}`);
    if (task.finishedAt !== null) return task;
    await sleep(POLL_MS);
  }
  throw new Error(`task ${taskUid} does not end: ${request.join(' ')}`);
}

const lines = (documents) => documents.map((document) => JSON.stringify(document)).join('\n');
const WORDS = 'amber basin cedar delta ember fjord grove haven inlet jetty'.split(' ');
const film = (id) => ({
  id,
  title: `${WORDS[id % 10]} ${WORDS[(id * 7 + 3) % 10]} ${id}`,
  year: 1950 + (id % 70),
  genres: [WORDS[id % 3], WORDS[(id + 1) % 5]],
  rating: id / 8,
  _geo: { lat: (id * 7) % 80, lng: -((id * 13) % 170) },
  _vectors: { own: [id % 9, 1, (id % 5) / 4, 0.5] },
});
const films = (first, count) => Array.from({ length: count }, (_, i) => film(first + i));
const songs = (first, count) =>
  Array.from({ length: count }, (_, i) => ({ id: `s${first + i}`, text: `${WORDS[i]} song` }));

async function fill() {
  await send('PATCH', '/experimental-features', {
    metrics: true,
    editDocumentsByFunction: true,
    containsFilter: true,
    network: true,
    dynamicSearchRules: true,
    chatCompletions: true,
  });
  await send('PATCH', '/network', {
    self: 'here',
    remotes: { here: { url: refusing.url }, there: { url: refusing.url, searchApiKey: 'its key' } },
  });
  await send('POST', '/keys', {
    uid: '6f3b6ec8-0d4c-4d6b-9a63-6a2e3a3b7d10',
    name: 'fixture',
    description: 'searches films',
    actions: ['search'],
    indexes: ['films'],
    expiresAt: '2099-01-01T00:00:00Z',
  });
  await send('POST', '/webhooks', {
    url: `${refusing.url}/hook`,
    headers: { 'x-secret': 'kept as it is' },
  });
  await send('PATCH', '/chats/help/settings', { source: 'mistral', apiKey: 'its key' });
  await run('PATCH', '/dynamic-search-rules/opening', {
    conditions: { query: { isEmpty: true } },
    actions: [{ selector: { indexUid: 'films', id: '7' }, action: { type: 'pin', position: 0 } }],
  });
  await run('PATCH', '/indexes/films/settings', {
    filterableAttributes: ['year', 'genres', '_geo'],
    sortableAttributes: ['rating', '_geo'],
    synonyms: { lake: ['basin'] },
    stopWords: ['the'],
    embedders: { own: { source: 'userProvided', dimensions: 4 } },
  });
  await run('POST', '/indexes/films/documents?primaryKey=id', lines(films(0, 40)));
  await run('POST', '/indexes/films/documents', lines(films(40, 20)));
  await send('PUT', '/aliases/pictures', { indexUid: 'films' });
  await run('PUT', '/indexes/films/documents', [{ id: 5, title: 'amber changed', note: 1.0 }]);
  await run('POST', '/indexes/films/documents/delete-batch', [3, 44, 45]);
  await run('POST', '/indexes/films/documents/delete', { filter: 'year = 1957' });
  await run('POST', '/indexes/films/documents/edit', {
    function: 'doc.edited = doc.id * 2;',
    filter: 'year > 2005',
  });
  await run('PATCH', '/indexes/songs/settings', {
    embedders: {
      rest: {
        source: 'rest',
        url: `${provider.url}/embed`,
        dimensions: 3,
        documentTemplate: 'a song: {{doc.text}}',
        request: { texts: ['{{text}}', '{{..}}'] },
        response: { vectors: ['{{embedding}}', '{{..}}'] },
      },
    },
  });
  await run('POST', '/indexes/songs/documents?primaryKey=id', lines(songs(0, 6)));
  await run('POST', '/indexes', { uid: 'empty', primaryKey: 'key' });
  await run('POST', '/indexes', { uid: 'old-name', primaryKey: 'id' });
  await run('PATCH', '/indexes/old-name', { uid: 'new-name' });
  await run('POST', '/indexes/new-name/documents', [{ id: 1, name: 'swapped' }]);
  await run('POST', '/swap-indexes', [{ indexes: ['empty', 'new-name'] }]);
  await run('POST', '/indexes/gone/documents', [{ id: 1 }, { id: 2 }]);
  await run('DELETE', '/indexes/gone/documents');
  await run('DELETE', '/indexes/gone');
  await run('POST', '/indexes/films/documents', [{ title: 'has no id' }]);
  await run('DELETE', '/indexes/songs/settings/stop-words');
  await run('POST', '/tasks/cancel?uids=0');
  await run('DELETE', '/tasks?uids=0');
  await run('POST', '/dumps');
  await run('POST', '/snapshots');
  await run('POST', '/indexes/songs/compact');
  await run('POST', '/export', { url: refusing.url, indexes: { nothing: {} } });
  // Runs after the merges of the tasks above, so that segments have deleted documents.
  await run('POST', '/indexes/films/documents/delete-batch', [9, 58]);
}

/** Tasks of every kind that stay enqueued. */
async function leaveWaiting() {
  isProviderStuck = true;
  await send('POST', '/indexes/songs/documents', [{ id: 'late', text: 'never embedded' }]);
  while ((await send('GET', '/tasks?statuses=processing')).total === 0) await sleep(POLL_MS);
  await send('POST', '/indexes/films/documents', lines(films(1000, 600)));
  await send('POST', '/indexes/films/documents', [
    { id: 2000, title: 'inline haven', _vectors: { own: null } },
  ]);
  await send('POST', '/indexes/films/documents/edit', { function: 'doc.late = true;' });
  await send('POST', '/indexes/films/documents/delete-batch', [7]);
  await send('POST', '/indexes/films/documents/delete', { filter: 'year = 1951' });
  await send('DELETE', '/indexes/empty/documents');
  await send('PATCH', '/indexes/films/settings', { displayedAttributes: ['id', 'title', 'late'] });
  await send('POST', '/indexes', { uid: 'later' });
  await send('PATCH', '/indexes/later', { primaryKey: 'id' });
  await send('POST', '/swap-indexes', [{ indexes: ['later', 'empty'] }]);
  await send('POST', '/indexes', { uid: 'never' });
  await send('DELETE', '/indexes/never');
  await send('POST', '/indexes/films/compact');
  await send('POST', '/tasks/cancel?uids=100000');
  await send('DELETE', '/tasks?uids=1');
  await send('POST', '/dumps');
  await send('POST', '/snapshots');
  await send('POST', '/export', { url: refusing.url, indexes: { films: {} } });
}

const QUESTIONS = [
  ['POST', '/indexes/films/search', { q: 'amber', limit: 50, showRankingScore: true }],
  ['POST', '/indexes/films/search', { q: 'lake', attributesToHighlight: ['title'] }],
  ['POST', '/indexes/films/search', { q: '', sort: ['rating:desc'], facets: ['genres'] }],
  ['POST', '/indexes/films/search', { filter: '_geoRadius(40, -60, 4000000)', limit: 50 }],
  [
    'POST',
    '/indexes/films/search',
    { vector: [1, 1, 0.5, 0.5], hybrid: { embedder: 'own', semanticRatio: 1 }, limit: 5 },
  ],
  ['GET', '/indexes/films/documents?limit=100&retrieveVectors=true'],
  ['GET', '/indexes/songs/documents?retrieveVectors=true'],
  ['GET', '/indexes/empty/documents'],
  ['GET', '/indexes/films/settings'],
  ['GET', '/indexes'],
  ['GET', '/keys'],
  ['GET', '/webhooks'],
  ['GET', '/network'],
  ['GET', '/experimental-features'],
  ['GET', '/tasks?limit=100&statuses=succeeded,failed,canceled'],
  ['GET', '/batches?limit=100&statuses=succeeded,failed,canceled'],
];

/** Files of the killed process, which are not data. */
const PASSING = /(^|\/)(LOG|LOG\.old.*|LOCK|indexer\.sock|[\w-]+\.pid)$/;

function pack() {
  for (const name of fs.readdirSync(dbPath, { recursive: true }))
    if (PASSING.test(name)) fs.rmSync(path.join(dbPath, name));
  const [format] = fs.readFileSync(path.join(dbPath, 'VERSION'), 'utf8').split('\n');
  const target = path.join(ROOT, 'test/fixtures/data-folders', `format-${format}.tar.gz`);
  const members = ['-C', folder, 'data.ms', 'questions.json'];
  const options = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner'];
  const tar = execFileSync('tar', ['-c', ...options, ...members], { maxBuffer: 1 << 28 });
  fs.writeFileSync(target, execFileSync('gzip', ['-9n'], { input: tar, maxBuffer: 1 << 28 }));
  console.log(`${target}: ${fs.statSync(target).size} bytes`);
}

try {
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    if (await fetch(`http://127.0.0.1:${port}/health`).catch(() => null)) break;
    if (waitedMs > START_MS) throw new Error('the server does not start');
    await sleep(POLL_MS);
  }
  await fill();
  const asked = [];
  for (const [method, route, body] of QUESTIONS)
    asked.push({ method, route, body, answer: await send(method, route, body) });
  await leaveWaiting();
  const waiting = (await send('GET', '/tasks?limit=100&statuses=enqueued,processing')).results;
  const facts = { masterKey: MASTER_KEY, asked, waiting };
  fs.writeFileSync(path.join(folder, 'questions.json'), JSON.stringify(facts, null, 1));
  process.kill(-server.pid, 'SIGKILL');
  await sleep(1000);
  pack();
} finally {
  try {
    process.kill(-server.pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
  provider.close();
  refusing.close();
  fs.rmSync(folder, { recursive: true });
}
process.exit(0);

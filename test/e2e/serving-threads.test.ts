/** Several serving threads of one front: what one is told, all act by; one that fails is replaced. */
import { writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { uwsOrNull } from '../../src/http/acceptor.ts';
import { sendJson } from '../support/http-request.ts';
import { processesOf } from '../support/processes.ts';
import { StreamedLines } from '../support/streamed-lines.ts';
import { cleanUp, freshFolder, TestServer } from '../support/test-server.ts';
import { until } from '../support/until.ts';

afterAll(cleanUp);

/** Connections are shared between threads by uWebSockets.js alone. */
const hasUws = (await uwsOrNull({ info: () => undefined })) !== null;

const MASTER_KEY = 'a master key that is long enough';
const asMaster = { authorization: `Bearer ${MASTER_KEY}` };
const json = { 'content-type': 'application/json' };

/** Connections that stay open, each with a thread of its own turn. */
function connections(server: TestServer, count: number, headers: Record<string, string>) {
  const agents = Array.from({ length: count }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  return {
    each: (method: string, path: string, value?: unknown) =>
      Promise.all(
        agents.map((agent) =>
          server.call(method, path, {
            agent,
            headers: { ...headers, ...(value === undefined ? {} : json) },
            ...(value === undefined ? {} : { body: JSON.stringify(value) }),
          }),
        ),
      ),
    one: (at: number, method: string, path: string, value?: unknown) =>
      server.call(method, path, {
        agent: agents[at] as Agent,
        headers: { ...headers, ...(value === undefined ? {} : json) },
        ...(value === undefined ? {} : { body: JSON.stringify(value) }),
      }),
    close: () => {
      for (const agent of agents) agent.destroy();
    },
  };
}

const flags = ['--master-key', MASTER_KEY, '--serving-threads', '3', '--no-warm-up'];

it.skipIf(!hasUws)('act by every write and change that any of them has answered', async () => {
  const server = await TestServer.start({ flags });
  const clients = connections(server, 6, asMaster);
  for (let round = 1; round <= 12; round++) {
    const writer = round % 6;
    const { json: task } = await clients.one(writer, 'POST', '/indexes/films/documents', [
      { id: round, title: `film number${round}` },
    ]);
    const { taskUid } = task as { taskUid: number };
    await until('the task is done', async () => {
      const { json: record } = await clients.one(writer, 'GET', `/tasks/${taskUid}`);
      return (record as { status: string }).status === 'succeeded' ? true : null;
    });
    const answers = await clients.each('POST', '/indexes/films/search', { q: `"number${round}"` });
    expect(answers.map((answer) => (answer.json as { hits: unknown[] }).hits.length)).toEqual([
      1, 1, 1, 1, 1, 1,
    ]);
  }
  const { json: key } = await clients.one(0, 'POST', '/keys', {
    actions: ['search'],
    indexes: ['*'],
    expiresAt: null,
  });
  const { key: value, uid } = key as { key: string; uid: string };
  const holders = connections(server, 6, { authorization: `Bearer ${value}` });
  const search = () => holders.each('POST', '/indexes/films/search', { q: 'film' });
  expect((await search()).map(({ status }) => status)).toEqual(Array(6).fill(200));
  expect((await clients.one(3, 'DELETE', `/keys/${uid}`)).status).toBe(204);
  expect((await search()).map(({ status }) => status)).toEqual(Array(6).fill(403));
  for (const on of [true, false]) {
    await clients.one(1, 'PATCH', '/experimental-features', { metrics: on, logsRoute: on });
    const statuses = (await clients.each('GET', '/metrics')).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([on ? 200 : 400]));
  }
  holders.close();
  clients.close();
  expect((await server.stop()).code).toBe(0);
});

it.skipIf(!hasUws)('count together what a key asks, and wrong keys', async () => {
  const server = await TestServer.start({
    flags: [...flags, '--wrong-keys-per-minute', '10'],
  });
  const clients = connections(server, 6, asMaster);
  const { json: key } = await clients.one(0, 'POST', '/keys', {
    actions: ['*'],
    indexes: ['*'],
    expiresAt: null,
    requestsPerSecond: 1,
  });
  const { key: value } = key as { key: string };
  const holders = connections(server, 6, { authorization: `Bearer ${value}` });
  const startMs = performance.now();
  const answers = (await holders.each('GET', '/version')).map(({ status }) => status);
  const seconds = (performance.now() - startMs) / 1000;
  expect(answers.filter((status) => status === 200).length).toBeLessThanOrEqual(1 + seconds);
  const guessers = connections(server, 6, { authorization: 'Bearer a guess' });
  for (let i = 0; i < 2; i++) await guessers.each('GET', '/version');
  const statusesOf = async (some: typeof clients) =>
    new Set((await some.each('GET', '/version')).map(({ status }) => status));
  expect(await statusesOf(guessers)).toEqual(new Set([429]));
  expect(await statusesOf(clients)).toEqual(new Set([200]));
  for (const some of [clients, holders, guessers]) some.close();
  await server.stop();
});

/** Threads hear of a stream one after the other, so each connection asks until its lines come. */
async function untilAllAreHeard(
  clients: ReturnType<typeof connections>,
  stream: StreamedLines,
): Promise<void> {
  const paths = Array.from({ length: 6 }, (_, i) => `/indexes/of-connection-${i}`);
  let areHeard = false;
  const heard = stream
    .until((lines) => paths.every((path) => lines.some((line) => line.includes(`"${path}"`))))
    .then(() => {
      areHeard = true;
    });
  await until('all threads are heard', async () => {
    await Promise.all(paths.map((path, i) => clients.one(i, 'GET', path)));
    return areHeard;
  });
  await heard;
}

it.skipIf(!hasUws)('count and log together', async () => {
  const server = await TestServer.start({ flags: [...flags, '--query-threads', '2'] });
  const clients = connections(server, 6, asMaster);
  await clients.one(0, 'PATCH', '/experimental-features', { metrics: true, logsRoute: true });
  const stream = new StreamedLines(
    await fetch(`${server.url}/logs/stream`, {
      ...sendJson({ target: 'http=debug', mode: 'json' }),
      method: 'POST',
      headers: { ...asMaster, ...json },
    }),
  );
  await untilAllAreHeard(clients, stream);
  for (let i = 0; i < 3; i++) await clients.each('GET', '/version');
  // Requests are counted and logged behind their answers, and a busy thread is left out of a scrape.
  const counted = /meilisearch_http_requests_total\{.*path="\/version".*\} 18\n/;
  const text = await until('all threads have counted', async () => {
    const scrape = await clients.one(0, 'GET', '/metrics');
    return counted.test(scrape.text) && /gannet_query_threads 5\n/.test(scrape.text) && scrape.text;
  });
  expect(text).toContain('gannet_processes{process="front"} 1\n');
  const ofVersion = (lines: readonly string[]) =>
    lines.filter((line) => line.includes('"/version"'));
  await stream.until((lines) => ofVersion(lines).length >= 18);
  await clients.one(4, 'DELETE', '/logs/stream');
  expect(ofVersion(await stream.rest())).toHaveLength(18);
  clients.close();
  await server.stop();
});

it.skipIf(!hasUws)('replace one that meets a bug, while the others go on', async () => {
  const folder = freshFolder();
  const order = join(folder, 'fault-now');
  const preload = join(folder, 'fault.mjs');
  writeFileSync(
    preload,
    `import { rmSync } from 'node:fs';
import { isMainThread, workerData } from 'node:worker_threads';
if (!isMainThread && workerData?.isFirst === true) {
  const look = setInterval(() => {
    try { rmSync(${JSON.stringify(order)}); } catch { return; }
    clearInterval(look);
    throw new Error('a made bug');
  }, 10);
}`,
  );
  const server = await TestServer.start({
    flags,
    env: { NODE_OPTIONS: `--import=${pathToFileURL(preload).href}` },
  });
  const front = () => processesOf(server.pid).find(({ title }) => title === 'gannet front')?.pid;
  const connected = (count: number) =>
    until(`${count} threads have connected`, () =>
      server.stderr.split('connected to the indexer').length > count ? true : null,
    );
  await connected(3);
  const early = connections(server, 12, asMaster);
  const isServed = async () =>
    (await early.each('GET', '/version')).every(({ status }) => status === 200);
  expect(await isServed()).toBe(true);
  early.close();
  const pid = front();
  writeFileSync(order, '');
  await until('the thread has met its bug', () =>
    server.stderr.includes('starts again') ? true : null,
  );
  await connected(4);
  const clients = connections(server, 12, asMaster);
  const statuses = (await clients.each('GET', '/version')).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(server.stderr).toContain('a made bug');
  expect(front()).toBe(pid);
  clients.close();
  expect((await server.stop()).code).toBe(0);
});

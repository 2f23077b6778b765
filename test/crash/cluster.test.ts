/**
 * Several servers on one object store: any of them takes any request, and when the one that writes
 * dies under load another takes over. Runs on a directory, and on the store at S3_ENDPOINT if it is
 * set, where `npm install --no-save --save-prod @slatedb/uniffi` has run.
 */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadSlateDb } from '../../src/storage/database/slatedb-library.ts';
import { freePort } from '../support/free-port.ts';
import { sendJson } from '../support/http-request.ts';
import { amount } from '../support/run-length.ts';
import {
  cleanUp,
  freshFolder,
  TestServer,
  type TestServerOptions,
} from '../support/test-server.ts';
import { until } from '../support/until.ts';

/** Seconds of silence after which a node takes over, in tests of takeovers. */
const SOON = 2;
/** No two are typos of each other. */
const WORDS = ['mercury', 'venus', 'earth', 'jupiter', 'saturn', 'uranus', 'neptune', 'ceres'];
const KILLS = amount(1, 30);
const STARTS = amount(1, 30);
const CLIENTS = 6;
const LARGE_BYTES = 100_000;
const MASTER_KEY = 'a-master-key-of-nodes';
const AUTHORIZED = { authorization: `Bearer ${MASTER_KEY}` };

const hasSlateDb = await loadSlateDb().then(
  () => true,
  () => false,
);
const { S3_ENDPOINT: endpoint, S3_BUCKET: bucket = 'gannet' } = process.env;
const env = {
  SVC_MASTER_KEY: MASTER_KEY,
  ...Object.fromEntries(
    ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'].map((name) => [name, process.env[name] ?? '']),
  ),
};

const stores: Record<string, () => string> = {
  'a directory': () => `file://${freshFolder()}`,
  ...(endpoint && {
    [endpoint]: () => `s3://${bucket}/cluster-${randomUUID()}?endpoint=${endpoint}`,
  }),
};

afterAll(cleanUp);

/** @param takeoverSeconds short only where a node takes over: a busy machine may pause a writer as long */
const startNode = (
  store: string,
  options: TestServerOptions = {},
  takeoverSeconds = 30,
): Promise<TestServer> => {
  const takeover = ['--takeover-seconds', String(takeoverSeconds)];
  const flags = ['--store', store, ...takeover, '--reader-poll-ms', '100'];
  return TestServer.start({ ...options, env, flags: [...flags, ...(options.flags ?? [])] });
};

const ask = (node: TestServer, method: string, path: string, body?: unknown, headers = {}) => {
  const { headers: type = {}, ...json } = body === undefined ? {} : sendJson(body);
  return node.call(method, path, { ...json, headers: { ...type, ...AUTHORIZED, ...headers } });
};

const found = async (node: TestServer, q: string, headers = {}) => {
  const { status, json } = await ask(node, 'POST', '/indexes/films/search', { q }, headers);
  return { status, ids: ((json as { hits?: { id: number }[] }).hits ?? []).map(({ id }) => id) };
};

const finished = (node: TestServer, uid: number) =>
  until(`task ${uid} is finished`, async () => {
    const { json } = await ask(node, 'GET', `/tasks/${uid}`);
    const { status } = json as { status?: string };
    return status === 'succeeded' || status === 'failed' ? status : null;
  });

/** Names of the indexes on the disk of a node. @param counts of documents of all indexes */
const localIndexes = async (node: TestServer, counts: readonly number[]) => {
  const { json } = await ask(node, 'GET', '/stats');
  const { indexes } = json as {
    indexes: Record<string, { isLocal?: false; numberOfDocuments: number }>;
  };
  const all = Object.entries(indexes);
  expect(all.map(([, { numberOfDocuments }]) => numberOfDocuments)).toEqual(counts);
  return all.flatMap(([uid, { isLocal = true }]) => (isLocal ? [uid] : []));
};

/** What six clients have sent. */
interface Sent {
  /** Ids of documents. */
  readonly attempts: Set<number>;
  /** Id of the document → uid of its task. */
  readonly acknowledged: Map<number, number>;
  failedSearches: number;
  searches: number;
}

async function write(nodes: readonly TestServer[], id: number, sent: Sent): Promise<void> {
  const node = nodes[id % nodes.length] as TestServer;
  const text = id % 7 === 0 ? 'x'.repeat(LARGE_BYTES) : 'short';
  sent.attempts.add(id);
  const path = `/indexes/films/documents?primaryKey=id&customMetadata=${id}`;
  const answer = await ask(node, 'POST', path, [{ id, text }]).catch(() => null);
  if (answer?.status === 202)
    sent.acknowledged.set(id, (answer.json as { taskUid: number }).taskUid);
}

for (const [name, newStore] of Object.entries(stores)) {
  describe.skipIf(!hasSlateDb)(`servers on ${name}`, () => {
    it('take any request, and show a task as finished where its result is served', async () => {
      const store = newStore();
      const port = await freePort();
      const reached = ['--node-url', `http://127.0.0.1:${port}/`];
      const writer = await startNode(store, { port, flags: reached });
      const [reader, other] = await Promise.all([
        startNode(store, { flags: ['--role', 'reader', '--search-timeout-seconds', '5'] }),
        startNode(store),
      ]);
      for (const [id, word] of WORDS.entries()) {
        const sender = id % 2 === 0 ? reader : other;
        const { status, json } = await ask(sender, 'POST', '/indexes/films/documents', [
          { id, text: word },
        ]);
        expect(status).toBe(202);
        const { taskUid } = json as { taskUid: number };
        const minimum = { 'X-Gannet-Min-Task': String(taskUid) };
        expect(await found(other, word, minimum)).toEqual({ status: 200, ids: [id] });
        expect(await finished(reader, taskUid)).toBe('succeeded');
        expect(await found(reader, word)).toEqual({ status: 200, ids: [id] });
      }
      const draft = { actions: ['search'], indexes: ['*'], expiresAt: null };
      const { json: created } = await ask(reader, 'POST', '/keys', draft);
      const { key } = created as { key: string };
      await until('the key is valid on every node', async () => {
        const answers = await Promise.all(
          [writer, reader, other].map((node) =>
            node.call('GET', '/indexes/films/search', {
              headers: { authorization: `Bearer ${key}` },
            }),
          ),
        );
        return answers.every(({ status }) => status === 200);
      });
      await ask(writer, 'PATCH', '/experimental-features', { metrics: true });
      for (const node of [writer, reader])
        await until('requests to the store are counted', async () => {
          const text = (await ask(node, 'GET', '/metrics')).text;
          return ['files', 'database'].every((client) =>
            new RegExp(`gannet_store_requests_total{client="${client}".* [1-9]`).test(text),
          );
        });
      const late = await found(reader, 'x', { 'X-Gannet-Min-Task': '999999' });
      expect(late.status).toBe(503);
      await Promise.all([reader.stop(), other.stop()]);
      await writer.stop();
    });

    it('lose and repeat no acknowledged task when the one that writes is killed', async () => {
      const store = newStore();
      let writer = await startNode(store, {}, SOON);
      let standby = await startNode(store, {}, SOON);
      const sent: Sent = {
        attempts: new Set(),
        acknowledged: new Map(),
        failedSearches: 0,
        searches: 0,
      };
      let next = 0;
      let isOver = false;
      const clients = Array.from({ length: CLIENTS }, async () => {
        while (!isOver) await write([writer, standby], next++, sent);
      });
      const searches = (async () => {
        while (!isOver) {
          const node = standby;
          const { status } = await found(node, 'short');
          if (node !== standby) continue;
          sent.searches++;
          if (status !== 200 && status !== 404) sent.failedSearches++;
        }
      })();
      for (let kill = 0; kill < KILLS; kill++) {
        const before = sent.acknowledged.size;
        await until('tasks are acknowledged', () => sent.acknowledged.size > before + 30);
        await writer.killAll();
        const dead = sent.acknowledged.size;
        // Later requests go only to the node that takes over.
        writer = standby;
        await until('the other node has taken over', () => sent.acknowledged.size > dead + 30);
        standby = await startNode(store, {}, SOON);
      }
      isOver = true;
      await Promise.all([...clients, searches]);
      expect(sent.failedSearches).toBe(0);
      expect(sent.searches).toBeGreaterThan(10);
      for (const node of [writer, standby]) {
        const last = Math.max(...sent.acknowledged.values());
        await until('all tasks are finished', async () => {
          const { json } = await ask(node, 'GET', '/tasks?statuses=enqueued,processing&limit=1');
          const { total } = json as { total: number };
          return total === 0 && (await ask(node, 'GET', `/tasks/${last}`)).status === 200;
        });
        const { json } = await ask(node, 'GET', '/tasks?limit=1000000');
        const tasks = (
          json as { results: { uid: number; status: string; customMetadata: string }[] }
        ).results;
        expect(tasks.filter(({ status }) => status !== 'succeeded')).toEqual([]);
        const uidOf = new Map(tasks.map((task) => [Number(task.customMetadata), task.uid]));
        expect(uidOf.size).toBe(tasks.length);
        for (const [id, uid] of sent.acknowledged) expect(uidOf.get(id)).toBe(uid);
        expect([...uidOf.keys()].filter((id) => !sent.attempts.has(id))).toEqual([]);
        const documents = await ask(
          node,
          'GET',
          '/indexes/films/documents?limit=1000000&fields=id',
        );
        const ids = (documents.json as { results: { id: number }[] }).results.map(({ id }) => id);
        expect(new Set(ids)).toEqual(new Set(uidOf.keys()));
      }
      await Promise.all([writer.stop(), standby.stop()]);
    });

    it('fetch an index for its first search, and make room for others', async () => {
      const store = newStore();
      const writer = await startNode(store);
      for (const index of ['a', 'b', 'c']) {
        const documents = Array.from({ length: 50 }, (_, id) => ({ id, text: `${index} ${id}` }));
        const { json } = await ask(writer, 'POST', `/indexes/${index}/documents`, documents);
        const { taskUid } = json as { taskUid: number };
        expect(await finished(writer, taskUid)).toBe('succeeded');
      }
      // Less than one index.
      const flags = ['--role', 'reader', '--store-cache-size', '100B'];
      const reader = await startNode(store, { flags });
      const local = () => localIndexes(reader, [50, 50, 50]);
      expect(await local()).toEqual([]);
      for (const index of ['a', 'b', 'c']) {
        const { status, json } = await ask(reader, 'POST', `/indexes/${index}/search`, { q: '49' });
        expect([status, (json as { hits: unknown[] }).hits.length]).toEqual([200, 1]);
      }
      expect(await local()).toEqual(['a', 'b', 'c']);
      await until('the indexes have left', async () => (await local()).length === 0);
      const { status } = await ask(reader, 'POST', '/indexes/b/search', { q: '49' });
      expect([status, await local()]).toEqual([200, ['b']]);
      await Promise.all([reader.stop(), writer.stop()]);
    });

    it('write more indexes than their disk may have', async () => {
      const store = newStore();
      const node = await startNode(store, { flags: ['--store-cache-size', '100B'] });
      const run = async (method: string, path: string, body: unknown) => {
        const { json } = await ask(node, method, path, body);
        expect(await finished(node, (json as { taskUid: number }).taskUid)).toBe('succeeded');
      };
      const add = (index: string, id: number) =>
        run('POST', `/indexes/${index}/documents`, [{ id, text: `${index} ${id}` }]);
      for (const index of ['a', 'b', 'c']) await add(index, 1);
      const folders = () => fs.readdirSync(path.join(node.dbPath, 'indexes'));
      const isEmpty = async () => (await localIndexes(node, [1, 1, 1])).length === 0;
      await until('the indexes have left', isEmpty);
      await until('their files are deleted', () => folders().length === 0);
      await add('b', 2);
      expect(await localIndexes(node, [1, 2, 1])).toEqual(['b']);
      const search = await ask(node, 'POST', '/indexes/c/search', { q: 'c' });
      expect([search.status, (search.json as { hits: unknown[] }).hits.length]).toEqual([200, 1]);
      await run('PATCH', '/indexes/a/settings', { filterableAttributes: ['text'] });
      await run('POST', '/dumps', {});
      await run('POST', '/indexes/a/branches', { uid: 'd' });
      const { json } = await ask(node, 'POST', '/indexes/d/search', { filter: 'text = "a 1"' });
      expect((json as { hits: unknown[] }).hits).toHaveLength(1);
      await node.stop();
    });

    it('show a branch on every node, and keep it when its source is gone', async () => {
      const store = newStore();
      const writer = await startNode(store);
      const reader = await startNode(store, { flags: ['--role', 'reader'] });
      const run = async (node: TestServer, method: string, path: string, body?: unknown) => {
        const { json } = await ask(node, method, path, body);
        const { taskUid } = json as { taskUid: number };
        expect([await finished(reader, taskUid), await finished(writer, taskUid)]).toEqual([
          'succeeded',
          'succeeded',
        ]);
      };
      const idsOn = async (node: TestServer, index: string) => {
        const { json } = await ask(node, 'GET', `/indexes/${index}/documents`);
        return (json as { results: { id: number }[] }).results.map(({ id }) => id);
      };
      await run(writer, 'PATCH', '/indexes/films/settings', { filterableAttributes: ['text'] });
      await run(writer, 'POST', '/indexes/films/documents', [
        { id: 1, text: 'a' },
        { id: 2, text: 'b' },
      ]);
      await run(reader, 'POST', '/indexes/films/branches', { uid: 'next' });
      await run(writer, 'POST', '/indexes/next/documents', [{ id: 3, text: 'a' }]);
      await run(reader, 'DELETE', '/indexes/films/documents/1');
      const compared = await ask(reader, 'POST', '/indexes/films/compare', {
        candidate: 'next',
        queries: [{ q: 'a' }],
      });
      expect(compared.status).toBe(200);
      for (const node of [writer, reader])
        expect([await idsOn(node, 'films'), await idsOn(node, 'next')]).toEqual([[2], [1, 2, 3]]);
      await run(writer, 'DELETE', '/indexes/films');
      await Promise.all([writer.stop(), reader.stop()]);
      // Another machine, with nothing on its disk.
      const other = await startNode(store);
      const { json } = await ask(other, 'POST', '/indexes/next/search', { filter: 'text = a' });
      expect((json as { hits: { id: number }[] }).hits.map(({ id }) => id).sort()).toEqual([1, 3]);
      await other.stop();
    });

    it('that start at the same time agree on the one that writes', async () => {
      for (let round = 0; round < STARTS; round++) {
        const store = newStore();
        const nodes = await Promise.all([1, 2, 3].map(() => startNode(store)));
        const path = '/indexes/films/documents';
        const taskUids = await Promise.all(
          nodes.map((node, id) =>
            until(`node ${id} accepts a document`, async () => {
              const { status, json } = await ask(node, 'POST', path, [{ id, text: 'a' }]);
              // A node that is replaced as it starts to write cannot repeat the request itself.
              expect([202, 503]).toContain(status);
              return status === 202 ? (json as { taskUid: number }) : null;
            }),
          ),
        );
        for (const node of nodes) {
          for (const { taskUid } of taskUids)
            expect(await finished(node, taskUid)).toBe('succeeded');
          expect((await found(node, 'a')).ids.sort()).toEqual([0, 1, 2]);
        }
        for (const node of nodes) await node.stop();
      }
    });

    it('change roles when the one that writes stops, or is replaced by order', async () => {
      const store = newStore();
      const first = await startNode(store, {}, SOON);
      const second = await startNode(store, {}, SOON);
      const add = (node: TestServer, id: number) =>
        until(`document ${id} is added`, async () => {
          const path = '/indexes/films/documents';
          const { status, json } = await ask(node, 'POST', path, [{ id, text: 'a' }]);
          // A node whose indexer is about to change its role refuses for a moment.
          return status === 202 && finished(node, (json as { taskUid: number }).taskUid);
        });
      expect(await add(first, 1)).toBe('succeeded');
      await first.stop();
      expect(await add(second, 2)).toBe('succeeded');
      const third = await startNode(store, { flags: ['--role', 'writer'] }, SOON);
      expect(await add(third, 3)).toBe('succeeded');
      expect(await add(second, 4)).toBe('succeeded');
      await until('the second node reports the third', () =>
        (second.stdout + second.stderr).includes('another server has opened'),
      );
      expect((await found(second, 'a')).ids.sort()).toEqual([1, 2, 3, 4]);
      await second.stop();
      await third.stop();
    });
  });
}

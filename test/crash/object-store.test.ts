/**
 * kill -9 of a server whose data is in an object store, which then starts on another machine: what
 * was acknowledged is done. Two servers on one store: the older one stops. Runs on a directory, and on
 * the store at S3_ENDPOINT if it is set, where `npm install --no-save --save-prod @slatedb/uniffi@0.12` has run.
 */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadSlateDb } from '../../src/storage/database/slatedb-library.ts';
import { runGannet } from '../support/run-gannet.ts';
import { amount } from '../support/run-length.ts';
import { cleanUp, freshFolder, TestServer } from '../support/test-server.ts';
import { until } from '../support/until.ts';

const ROUNDS = amount(3, 100);
const WRITERS = 3;
/** Bytes of a document that is sent through a spool file. */
const LARGE_BYTES = 100_000;

const hasSlateDb = await loadSlateDb().then(
  () => true,
  () => false,
);
const { S3_ENDPOINT: endpoint, S3_BUCKET: bucket = 'gannet' } = process.env;
const credentials = Object.fromEntries(
  ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'].map((name) => [name, process.env[name] ?? '']),
);

const stores: Record<string, () => string> = {
  'a directory': () => `file://${freshFolder()}`,
  ...(endpoint && {
    [endpoint]: () => `s3://${bucket}/crash-${randomUUID()}?endpoint=${endpoint}`,
  }),
};

afterAll(cleanUp);

/** A server with an empty data folder, as on another machine. */
const startOn = (store: string): Promise<TestServer> =>
  TestServer.start({ flags: ['--store', store, '--role', 'writer'], env: credentials });

/** Adds documents one by one until the server dies. @returns ids of the acknowledged ones */
async function addUntilKilled(server: TestServer, first: number, acknowledged: Set<number>) {
  for (let id = first; ; id += WRITERS) {
    const text = id % 5 === 0 ? 'x'.repeat(LARGE_BYTES) : 'short';
    const sent = server.client.index('films').addDocuments([{ id, text }], { primaryKey: 'id' });
    const answer = await sent.then(
      () => true,
      () => false,
    );
    if (!answer) return;
    acknowledged.add(id);
  }
}

for (const [name, newStore] of Object.entries(stores)) {
  describe.skipIf(!hasSlateDb)(`a server on ${name}`, () => {
    it('loses no acknowledged task when its machine is gone', async () => {
      const store = newStore();
      const acknowledged = new Set<number>();
      for (let round = 0; round < ROUNDS; round++) {
        const server = await startOn(store);
        const before = acknowledged.size;
        const writers = Array.from({ length: WRITERS }, (_, writer) =>
          addUntilKilled(server, round * 1_000_000 + writer, acknowledged),
        );
        await until('some tasks are acknowledged', () => acknowledged.size > before + 10 + round);
        await server.killAll();
        await Promise.all(writers);
      }
      const last = await startOn(store);
      await until('all tasks are finished', async () => {
        const { total } = await last.client.tasks.getTasks({
          statuses: ['enqueued', 'processing'],
          limit: 1,
        });
        return total === 0;
      });
      const failed = await last.client.tasks.getTasks({ statuses: ['failed'] });
      expect(failed.results).toEqual([]);
      const found = await last.client.index('films').getDocuments<{ id: number }>({
        limit: 1_000_000,
        fields: ['id'],
      });
      const ids = new Set(found.results.map(({ id }) => id));
      expect([...acknowledged].filter((id) => !ids.has(id))).toEqual([]);
      expect(acknowledged.size).toBeGreaterThan(10 * ROUNDS);
      await last.stop();
    });

    it('stops when another server opens the store, and says why', async () => {
      const store = newStore();
      const older = await startOn(store);
      await older.client
        .index('films')
        .addDocuments([{ id: 1 }])
        .waitTask();
      const newer = await startOn(store);
      const { code, stderr } = await older.exited;
      expect(code).toBe(1);
      expect(stderr).toContain(`another server has opened ${store} for writing`);
      expect(await newer.client.index('films').getDocument(1)).toEqual({ id: 1 });
      await newer.client
        .index('films')
        .addDocuments([{ id: 2 }])
        .waitTask();
      await newer.stop();
    });
  });
}

describe.skipIf(!hasSlateDb).each(Object.entries(stores))('copies from %s', (_, newStore) => {
  const run = async (...args: string[]) => {
    const ended = await runGannet([...args, '--json'], credentials);
    return { ...ended, error: ended.err.trim() };
  };
  const idsOf = async (server: TestServer) => {
    const { results } = await server.client
      .index('films')
      .getDocuments<{ id: number }>({ limit: 100, fields: ['id'] });
    return results.map(({ id }) => id).sort();
  };
  const add = (server: TestServer, id: number, text = 'x') =>
    server.client.index('films').addDocuments([{ id, text }], { primaryKey: 'id' }).waitTask();
  const openCopy = async (flags: string[], dbPath?: string) => {
    const server = await TestServer.start({ flags, env: credentials, ...(dbPath && { dbPath }) });
    const ids = await idsOf(server);
    const { total } = await server.client.tasks.getTasks({ statuses: ['enqueued', 'processing'] });
    await server.stop();
    return { ids, unfinished: total };
  };

  it('restore a snapshot after its documents were deleted, into a store and a folder', async () => {
    const store = newStore();
    const server = await TestServer.start({
      flags: ['--store', store, '--snapshot-keep', '2'],
      env: credentials,
    });
    await add(server, 1);
    await add(server, 2, 'x'.repeat(LARGE_BYTES));
    await server.client.createSnapshot().waitTask();
    await server.client.index('films').delete().waitTask();
    await add(server, 3);
    await server.client.createSnapshot().waitTask();
    const { values } = await run('restore', store);
    const names = (values as { name: string }[]).map(({ name }) => name);
    expect(names).toHaveLength(2);
    const [oldest = ''] = names;
    const [copy, folder] = [newStore(), freshFolder()];
    const inUse = await run('restore', store, '--store', store);
    expect([inUse.code, inUse.error]).toEqual([
      1,
      `gannet: ${store} is in use: choose a prefix without objects`,
    ]);
    const restored = await run('restore', store, '--snapshot', oldest, '--store', copy);
    expect(restored).toMatchObject({ code: 0, values: [{ files: 2 }] });
    expect((await run('restore', store, '--db-path', folder)).code).toBe(0);
    expect(
      (await run('restore', store, '--snapshot', '20200101-000000000', '--store', newStore()))
        .error,
    ).toContain('has no snapshot 20200101-000000000');
    await server.client.createSnapshot().waitTask();
    expect((await run('restore', store, '--snapshot', oldest, '--store', newStore())).code).toBe(1);
    await server.stop();
    expect(await openCopy(['--store', copy])).toEqual({ ids: [1, 2], unfinished: 0 });
    expect(await openCopy([], folder)).toEqual({ ids: [3], unfinished: 0 });
  });

  it('refuse a damaged snapshot by the name of the object, and go on when it is mended', async () => {
    const root = freshFolder();
    const store = `file://${root}`;
    const server = await TestServer.start({ flags: ['--store', store] });
    await add(server, 1, 'x'.repeat(LARGE_BYTES));
    await server.client.createSnapshot().waitTask();
    await server.stop();
    const names = fs.readdirSync(root, { recursive: true }).map(String);
    const file = path.join(root, names.find((name) => name.endsWith('.seg')) ?? '');
    const list = path.join(root, names.find((name) => name.endsWith('.json')) ?? '');
    const sound = fs.readFileSync(file);
    const [copy, folder] = [`file://${freshFolder()}`, freshFolder()];
    const key = path.relative(root, file);
    for (const [damaged, problem] of [
      [sound.subarray(1), `has ${sound.length - 1} bytes, expected ${sound.length}`],
      [sound.map((byte, at) => byte ^ Number(at === 9)), 'is damaged: its SHA-256 does not match'],
    ] as const) {
      fs.writeFileSync(file, damaged);
      for (const target of [`--store=${copy}`, `--db-path=${folder}`]) {
        const refused = await run('restore', store, target);
        expect(refused.code).toBe(1);
        expect(refused.error).toContain(
          `gannet: snapshot ${path.basename(list, '.json')} of ${store} is damaged: object ${key} ${problem}`,
        );
      }
    }
    fs.writeFileSync(file, sound);
    expect((await run('restore', store, '--store', copy)).code).toBe(0);
    expect((await run('restore', store, '--db-path', folder)).code).toBe(0);
    expect(await openCopy(['--store', copy])).toEqual({ ids: [1], unfinished: 0 });
    fs.truncateSync(list, 9);
    const listed = await run('restore', store);
    expect([listed.code, listed.values]).toEqual([0, []]);
    expect(listed.error).toContain(`object ${path.relative(root, list)} is damaged`);
  });

  it('move a folder into a store and back, and leave the source', async () => {
    const server = await TestServer.start();
    await add(server, 1);
    await add(server, 2, 'x'.repeat(LARGE_BYTES));
    const { dbPath } = server;
    const [store, folder] = [newStore(), freshFolder()];
    const absent = await run('move', path.join(dbPath, 'absent'), store);
    expect([absent.code, absent.error]).toEqual([
      1,
      expect.stringContaining('does not exist: name'),
    ]);
    const running = await run('move', dbPath, store);
    expect([running.code, running.error]).toEqual([1, expect.stringContaining('cannot be read')]);
    // Enqueued tasks move along with their payloads.
    for (const id of [5, 6, 7])
      await server.client.index('films').addDocuments([{ id, text: 'x'.repeat(LARGE_BYTES) }]);
    await server.killAll();
    const there = await run('move', dbPath, store);
    expect(there).toMatchObject({ code: 0, values: [{ from: dbPath, to: store }] });
    const node = await TestServer.start({ flags: ['--store', store], env: credentials });
    await until('the enqueued tasks are done', async () => (await idsOf(node)).length === 5);
    const inUse = await run('move', store, folder);
    expect([inUse.code, inUse.error]).toEqual([1, expect.stringContaining(`${store} is in use`)]);
    await add(node, 4);
    await node.stop();
    const back = await run('move', store, folder);
    expect(back).toMatchObject({ code: 0, values: [{ from: store, to: folder }] });
    expect((await openCopy([], folder)).ids).toEqual([1, 2, 4, 5, 6, 7]);
    const source = await TestServer.start({ dbPath });
    await until('the source is as it was', async () => (await idsOf(source)).length === 5);
    await source.stop();
  });
});

it.skipIf(hasSlateDb)('says how to install SlateDB where it is missing', async () => {
  await expect(startOn(`file://${freshFolder()}`)).rejects.toThrow(
    'an object store needs SlateDB, which is not installed; run `npm install --no-save --save-prod @slatedb/uniffi@0.12`',
  );
});

describe.skipIf(!hasSlateDb)('a data folder', () => {
  it('is the cache of one store, or has data of its own', async () => {
    const store = `file://${freshFolder()}`;
    const first = await startOn(store);
    await first.stop();
    const { dbPath } = first;
    await expect(TestServer.start({ dbPath })).rejects.toThrow(`is the cache of ${store}`);
    const other = { dbPath, flags: ['--store', `file://${freshFolder()}`] };
    await expect(TestServer.start(other)).rejects.toThrow(`is the cache of ${store}`);
    const plain = await TestServer.start();
    await plain.stop();
    const hidden = { dbPath: plain.dbPath, flags: ['--store', store] };
    await expect(TestServer.start(hidden)).rejects.toThrow('has data of its own');
  });
});

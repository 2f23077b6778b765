/**
 * kill -9 of a server whose data is in an object store, which then starts on another machine: what
 * was acknowledged is done. Two servers on one store: the older one stops. Runs on a directory, and on
 * the store at S3_ENDPOINT if it is set, where `npm install --no-save --save-prod @slatedb/uniffi` has run.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { loadSlateDb } from '../../src/storage/database/slatedb-library.ts';
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

it.skipIf(hasSlateDb)('says how to install SlateDB where it is missing', async () => {
  await expect(startOn(`file://${freshFolder()}`)).rejects.toThrow(
    'an object store needs SlateDB, which is not installed; run `npm install --no-save --save-prod @slatedb/uniffi`',
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

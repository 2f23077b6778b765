/** kill -9 while a dump is imported, at moments all over it: no start finds half a database. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { archiveOf } from '../support/imported-folder.ts';
import { cleanUp, freePort, freshFolder, TestServer, until } from '../support/test-server.ts';

afterAll(cleanUp);

const DOCUMENTS = 20_000;
const KILLS = 4;

const documents = Array.from({ length: DOCUMENTS }, (_, id) => ({
  id,
  title: `Film ${id}`,
  overview: `The story of number ${id}, told ${id % 7} times in ${id % 100} ways`,
}));

const date = '2024-05-06T07:08:09Z';
const members = {
  'metadata.json': { dumpVersion: 'V6', dbVersion: '1.50.0', dumpDate: date },
  'indexes/films/metadata.json': {
    uid: 'films',
    primaryKey: 'id',
    createdAt: date,
    updatedAt: date,
  },
  'indexes/films/settings.json': { sortableAttributes: ['id'] },
  'indexes/films/documents.jsonl': documents,
  'tasks/update_files/7.jsonl': [{ id: DOCUMENTS }],
  'tasks/queue.jsonl': [
    {
      uid: 7,
      indexUid: 'films',
      status: 'enqueued',
      type: { documentImport: { primary_key: null, documents_count: 1 } },
      enqueuedAt: date,
    },
  ],
};

test('an import that is killed leaves nothing that a start takes for data', async () => {
  const flags = ['--import-dump', await archiveOf(members), '--no-warm-up'];
  const dbPath = join(freshFolder(), 'data.ms');
  const port = await freePort();
  for (let kill = 0; kill < KILLS; kill++) {
    const server = new TestServer(port, dbPath, { flags });
    const staging = `${dbPath}.import`;
    await until('the import begins', 20_000, () => (existsSync(staging) ? true : null));
    await new Promise((done) => setTimeout(done, kill * 150));
    await server.killAll();
    expect(existsSync(dbPath) && existsSync(join(staging, 'data')), `kill ${kill}`).toBe(false);
    if (existsSync(dbPath)) break;
  }
  const server = await TestServer.start({ dbPath, port, flags: [...flags, ...IGNORE] });
  await server.client.tasks.waitForTask(7);
  const { numberOfDocuments } = await server.client.index('films').getStats();
  expect(numberOfDocuments).toBe(DOCUMENTS + 1);
  await server.stop();
});

/** The last kill may have come after the end. */
const IGNORE = ['--ignore-dump-if-db-exists'];

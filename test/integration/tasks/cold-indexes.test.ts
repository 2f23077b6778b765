/** A node that writes to an object store with less disk than its indexes need. Writers are fakes. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { DirectoryStore } from '../../../src/storage/object-store/directory-store.ts';
import { StoredFiles } from '../../../src/storage/object-store/stored-files.ts';
import { drafts, openHarness, temporaryFolder } from '../../support/indexer-harness.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { until } from '../../support/until.ts';

const { add, update, drop } = drafts;

async function start() {
  const [dataDir, root] = [temporaryFolder(), temporaryFolder()];
  const folders = { indexes: path.join(dataDir, 'indexes'), spool: path.join(dataDir, 'spool') };
  const log = { info: () => undefined, warn: () => undefined };
  const objects = DirectoryStore.open(root, Date.now());
  const stored = new StoredFiles({ objects, ...folders, keepRemovedMs: 0, log });
  const clock = { ms: Date.now() };
  const read = new Set<number>();
  const harness = await openHarness({
    dataDir,
    stored,
    store: new MemoryStore(),
    cacheBytes: 1,
    takeReadIndexes: async () => [...read],
    clock: () => clock.ms * 1000,
    limits: { indexLeaveMs: 0 },
  });
  onTestFinished(async () => {
    await harness.service.drain();
    for (const folder of [dataDir, root]) fs.rmSync(folder, { recursive: true, force: true });
  });
  harness.service.start();
  const idOf = (uid: string) => harness.manifest(uid)?.id ?? -1;
  const filesOf = (folder: string, uid: string) => {
    const found = path.join(folder, 'indexes', String(idOf(uid)));
    return fs.existsSync(found) ? fs.readdirSync(found).sort() : [];
  };
  return {
    ...harness,
    onDisk: (uid: string) => filesOf(dataDir, uid),
    inStore: (uid: string) => filesOf(root, uid),
    idOf,
    later: () => {
      clock.ms += 20_000;
    },
  };
}

it('keeps the indexes on its disk that were used last, and fetches others for their batches', async () => {
  const { run, documents, later, onDisk, inStore, service, idOf, fatal } = await start();
  await run(add('a', [{ id: 1 }]));
  later();
  await run(add('b', [{ id: 1 }]));
  await until('the older index has left the disk', () => onDisk('a').length === 0);
  expect(onDisk('b')).toEqual(inStore('b'));
  const [id, checked] = [idOf('a'), [...service.published(null).checked]];
  expect(checked).toContainEqual({ indexId: id, damage: [], isLocal: false });
  // Its objects stay, and its name can change without them.
  expect(inStore('a')).toHaveLength(1);
  await run(update('a', null, 'c'));
  expect(onDisk('c')).toEqual([]);
  later();
  const [ended] = await run(add('c', [{ id: 2 }]));
  expect(ended).toMatchObject({ status: 'succeeded', error: null });
  expect(documents('c').map(({ id: found }) => found)).toEqual([1, 2]);
  expect(onDisk('c')).toEqual(inStore('c'));
  await until('the other index has left the disk', () => onDisk('b').length === 0);
  later();
  service.handlers.checkFirst({ indexId: idOf('b') });
  await until('it is fetched for a search', () => onDisk('b').length > 0);
  later();
  await run(drop('b'));
  await run({ type: 'indexBranch', indexUid: 'd', source: 'c' });
  expect(inStore('d')).toEqual(onDisk('d'));
  expect(inStore('d').length).toBeGreaterThan(0);
  expect(fatal).toEqual([]);
});

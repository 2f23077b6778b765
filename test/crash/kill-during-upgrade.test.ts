/** kill -9 while a data folder is upgraded, at moments all over it: it can be upgraded again. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { isOlder } from '../../src/storage/data-folder/data-folder-check.ts';
import { encodeKey } from '../../src/storage/database/key-encoding.ts';
import { put } from '../../src/storage/database/key-value-store.ts';
import { RocksDbStore } from '../../src/storage/database/rocksdb-store.ts';
import { freePort } from '../support/free-port.ts';
import { frozenFolder } from '../support/frozen-folder.ts';
import { amount } from '../support/run-length.ts';
import { checkIndex, cleanUp, TestServer } from '../support/test-server.ts';
import { until } from '../support/until.ts';

afterAll(cleanUp);

const KILLS = amount(2, 4);
const BETWEEN_MS = 100;
/** Values of tasks that are gone: they make the upgrade last as long as the kills take. */
const FURTHER_VALUES = amount(15_000, 30_000);
const FURTHER_UID = 1_000_000;
const BYTES = 400;

async function grow(folder: string): Promise<void> {
  const store = await RocksDbStore.open(folder, { values: null });
  for (let first = 0; first < FURTHER_VALUES; first += 1000) {
    const uids = Array.from({ length: 1000 }, (_, i) => FURTHER_UID + first + i);
    const values = uids.map((uid) =>
      put(encodeKey('payload', uid), new Uint8Array(BYTES).fill(uid)),
    );
    await store.write(values, 'process');
  }
  await store.close();
}

async function countOf(folder: string, values?: null): Promise<number> {
  const store = await RocksDbStore.open(folder, values === null ? { values } : {});
  let count = 0;
  for await (const { value } of store.iterate({})) count += value.length > 0 ? 1 : 0;
  await store.close();
  return count;
}

test('an upgrade that is killed leaves a folder of one format or the other, whole', async () => {
  const { dbPath, masterKey } = frozenFolder(2);
  const old = join(dbPath, 'rocksdb');
  const upgraded = join(dbPath, 'rocksdb-3');
  /** There while the old database is open. */
  const holder = `${old}.pid`;
  await grow(old);
  const count = await countOf(old, null);
  const flags = ['--upgrade-db', '--master-key', masterKey, '--log-level', 'ERROR'];
  const port = await freePort();
  let cutOff = 0;
  for (let kill = 0; kill < KILLS && isOlder(dbPath); kill++) {
    rmSync(holder, { force: true });
    const server = new TestServer(port, dbPath, { flags });
    await until('the upgrade begins', () => (existsSync(holder) || !isOlder(dbPath) ? true : null));
    await sleep(kill * BETWEEN_MS);
    await server.killAll();
    if (!isOlder(dbPath)) break;
    cutOff += 1;
    expect(existsSync(old), `kill ${kill}`).toBe(true);
  }
  expect(cutOff).toBeGreaterThan(0);
  const server = await TestServer.start({ dbPath, port, flags });
  await server.stop();
  expect(existsSync(old)).toBe(false);
  expect(await countOf(upgraded)).toBeGreaterThanOrEqual(count - 10);
  const { code, report } = await checkIndex(dbPath);
  expect(code, report).toBe(0);
});

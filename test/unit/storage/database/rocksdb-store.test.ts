/** The lock of a database that could not be opened completely. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { RocksDbStore } from '../../../../src/storage/database/rocksdb-store.ts';

const root = mkdtempSync(join(tmpdir(), 'gannet-rocksdb-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

it('is free again', async () => {
  const folder = join(root, 'database');
  mkdirSync(`${folder}.pid`);
  await expect(RocksDbStore.open(folder)).rejects.toThrow('EISDIR');
  rmSync(`${folder}.pid`, { recursive: true });
  await (await RocksDbStore.open(folder)).close();
});

/** Objects as files of a directory. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { DirectoryStore } from '../../../../src/storage/object-store/directory-store.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'directory-store-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

it('lists no upload of SlateDB that a killed process did not finish', async () => {
  const store = DirectoryStore.open(folder, 0);
  await store.put('db/wal/1.sst', Buffer.from('a'));
  fs.writeFileSync(path.join(folder, 'db/wal/2.sst#1'), 'half');
  await store.put('db/wal/3.sst', Buffer.from('b'));
  const keys: string[] = [];
  for await (const { key } of store.list('db/wal/')) keys.push(key);
  expect(keys).toEqual(['db/wal/1.sst', 'db/wal/3.sst']);
  store.close();
});

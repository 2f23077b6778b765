/** Calls and bytes of an object store, as metrics. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { CountedStore } from '../../../../src/storage/object-store/counted-store.ts';
import { DirectoryStore } from '../../../../src/storage/object-store/directory-store.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'counted-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

it('counts requests by method, and the bytes of both directions', async () => {
  let nowMs = 1000;
  const store = new CountedStore(DirectoryStore.open(folder, 0), () => nowMs);
  await store.put('a', Buffer.from('12345'));
  await store.create('b', Buffer.from('123'));
  await store.get('a', { start: 0, end: 2 });
  await store.get('missing');
  for await (const { key } of store.list('')) await store.delete(key);
  nowMs += 6000;
  const values = store.metrics(new Map([['get', 7]])).flatMap(({ values }) => values);
  expect(values.map(({ labels, value }) => [...Object.values(labels), value])).toEqual([
    ['files', 'put', 2],
    ['files', 'get', 2],
    ['files', 'list', 1],
    ['files', 'delete', 2],
    ['database', 'get', 7],
    ['sent', 8],
    ['received', 2],
    // Two writes and a list at $5 a million, nine reads at $0.40, 432,000 times in 30 days.
    [expect.closeTo(8.0352)],
  ]);
  store.close();
});

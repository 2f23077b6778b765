/** A damaged snapshot of a store: it is refused by the name of the object, and the target stays free. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { encodeKey } from '../../../../src/storage/database/key-encoding.ts';
import type { Entry } from '../../../../src/storage/database/key-value-store.ts';
import { DirectoryStore } from '../../../../src/storage/object-store/directory-store.ts';
import { keepStoreFormat } from '../../../../src/storage/object-store/store-format.ts';
import { StoredFiles } from '../../../../src/storage/object-store/stored-files.ts';
import { copy } from '../../../../workers/copy-instance.ts';
import { cleanUp, freshFolder } from '../../../support/test-server.ts';

afterEach(cleanUp);

const NAME = '20261127-000000000';
const SEGMENT = 'indexes/1/1-ab-0.seg';
const PAYLOAD = 'payloads/0199';
const ROWS = `snapshots/${NAME}.rows`;
const LIST = `snapshots/${NAME}.json`;

/** The folder of a store with one snapshot, and its URL. */
async function withSnapshot() {
  const [root, data] = [freshFolder(), freshFolder()];
  const url = `file://${root}`;
  const objects = DirectoryStore.open(root, Date.now());
  await keepStoreFormat(objects, url);
  const [indexes, spool] = [path.join(data, 'indexes'), path.join(data, 'spool')];
  const log = { info: () => undefined, warn: () => undefined };
  const stored = new StoredFiles({ objects, indexes, spool, log });
  const files = {
    [SEGMENT]: path.join(indexes, '1/1-ab-0.seg'),
    [PAYLOAD]: path.join(spool, '0199'),
  };
  for (const [key, file] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, 'content');
    await stored.keep([key]);
  }
  await stored.snapshots.add({
    name: NAME,
    createdAt: '2026-11-27T00:00:00Z',
    entries: (async function* (): AsyncGenerator<Entry> {
      yield { key: encodeKey('row', 1), value: new Uint8Array(3) };
    })(),
    objects: [SEGMENT, PAYLOAD].map((key) => ({ key, bytes: 'content'.length })),
  });
  return { root, url };
}

const missing = (file: string) => fs.rmSync(file);
const cut = (file: string) => fs.truncateSync(file, fs.statSync(file).size - 1);
const longer = (file: string) => fs.appendFileSync(file, 'x');
const changed = (file: string) => {
  const bytes = fs.readFileSync(file);
  bytes[2] = (bytes[2] ?? 0) ^ 1;
  fs.writeFileSync(file, bytes);
};
const OTHER_SUM = 'is damaged: its SHA-256 does not match';

const damages: [string, string, (file: string) => void, string][] = [
  ['lacks a segment file', SEGMENT, missing, 'is missing'],
  ['lacks a payload', PAYLOAD, missing, 'is missing'],
  ['lacks its rows', ROWS, missing, 'is missing'],
  ['has a shorter segment file', SEGMENT, cut, 'has 38 bytes, expected 39'],
  ['has a longer payload', PAYLOAD, longer, 'has 40 bytes, expected 39'],
  ['has fewer rows', ROWS, cut, 'bytes, expected'],
  ['has other bytes in a segment file', SEGMENT, changed, OTHER_SUM],
  ['has other bytes in a payload', PAYLOAD, changed, OTHER_SUM],
  ['has other bytes in its rows', ROWS, changed, OTHER_SUM],
  ['has other bytes in its list', LIST, changed, OTHER_SUM],
  ['has a shorter list', LIST, cut, OTHER_SUM],
];

const restore = (from: string, to: string) =>
  copy({ from, snapshot: 'newest', to, env: {}, onProgress: () => undefined });

describe('a snapshot that', () => {
  it.each(damages)(
    '%s is refused, and the target is as before',
    async (_, key, damage, problem) => {
      const { root, url } = await withSnapshot();
      damage(path.join(root, key));
      const [parent, store] = [freshFolder(), freshFolder()];
      for (const to of [path.join(parent, 'data'), `file://${store}`]) {
        const refusal = await restore(url, to).catch((error: Error) => error.message);
        expect(refusal).toContain(`object ${key} `);
        expect(refusal).toContain(problem);
      }
      expect(fs.readdirSync(parent)).toEqual([]);
      const left = fs.readdirSync(store, { recursive: true, withFileTypes: true });
      expect(left.filter((entry) => entry.isFile())).toEqual([]);
    },
  );

  it('lacks several objects is refused with their number', async () => {
    const { root, url } = await withSnapshot();
    for (const key of [SEGMENT, PAYLOAD]) missing(path.join(root, key));
    await expect(restore(url, path.join(freshFolder(), 'data'))).rejects.toThrow(
      `snapshot ${NAME} of ${url} is damaged: object ${SEGMENT} is missing, and 1 more object`,
    );
  });
});

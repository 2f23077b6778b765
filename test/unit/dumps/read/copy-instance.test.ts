/** What is compared before a copied instance becomes usable, and what a snapshot changes. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkCopy } from '../../../../src/dumps/read/copy-instance.ts';
import { folderSource } from '../../../../src/dumps/read/copy-source.ts';
import { withChanges } from '../../../../src/dumps/write/copied-rows.ts';
import { openDataFolder } from '../../../../src/storage/data-folder/data-folder.ts';
import { encodeKey } from '../../../../src/storage/database/key-encoding.ts';
import { del, type Entry, put } from '../../../../src/storage/database/key-value-store.ts';

import { RocksDbStore } from '../../../../src/storage/database/rocksdb-store.ts';

const sums = { count: 3, sha256: 'aa' };
const file = (name: string, bytes = 7) => ({ key: `indexes/1/${name}`, bytes });

describe('a copy of an instance', () => {
  it('is complete with equal entries and all files that they name', () => {
    checkCopy(sums, { ...sums }, [file('a'), file('b')], [file('b')]);
  });

  it.each([
    ['fewer entries', { count: 2, sha256: 'aa' }, [file('a')]],
    ['other entries', { count: 3, sha256: 'bb' }, [file('a')]],
    ['a missing file', sums, []],
    ['a file of another length', sums, [file('a', 8)]],
  ])('is refused with %s', (_, copy, copied) => {
    expect(() => checkCopy(sums, copy, copied, [file('a')])).toThrow();
  });
});

describe('the rows of a snapshot', () => {
  it('show its task as finished, and have no notes of this process', async () => {
    const value = (text: string) => Buffer.from(text);
    const [task, other, gone] = [encodeKey('row', 1), encodeKey('row', 2), encodeKey('row', 3)];
    const entries = async function* (): AsyncGenerator<Entry> {
      yield { key: encodeKey('meta', 'attempt'), value: value('note') };
      for (const key of [task, other, gone]) yield { key, value: value('enqueued') };
    };
    const found: string[] = [];
    for await (const entry of withChanges(entries(), [put(task, value('succeeded')), del(gone)]))
      found.push(Buffer.from(entry.value).toString());
    expect(found).toEqual(['succeeded', 'enqueued']);
  });
});

describe('a data folder with a damaged database', () => {
  it('is free again when it was refused', async () => {
    const root = fs.mkdtempSync(path.join(os.tmpdir(), 'copied-'));
    try {
      const { rocksdb } = await openDataFolder(path.join(root, 'data'));
      const damaged = await RocksDbStore.open(rocksdb);
      await damaged.write([put(encodeKey('index', 1), Buffer.from('{}'))]);
      await damaged.close();
      await expect(folderSource(path.join(root, 'data'))).rejects.toThrow('index manifest');
      await (await RocksDbStore.open(rocksdb)).close();
    } finally {
      fs.rmSync(root, { recursive: true });
    }
  });
});

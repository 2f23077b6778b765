/**
 * A data folder of format 2, written by the last checkout with that format, is upgraded to this
 * release: all values are kept, whenever the upgrade is interrupted, and the folder is locked
 * meanwhile.
 */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { crc32c } from '../../../src/engine/bytes/crc32c.ts';
import { dataFolderAt } from '../../../src/storage/data-folder/data-folder.ts';
import {
  DATA_FORMAT,
  formatOf,
  OLDEST_FORMAT,
} from '../../../src/storage/data-folder/data-folder-check.ts';
import { readUpgradeNote } from '../../../src/storage/data-folder/notes.ts';
import { decodeKey, encodeKey } from '../../../src/storage/database/key-encoding.ts';
import { RocksDbStore } from '../../../src/storage/database/rocksdb-store.ts';
import { EMBEDDING_VALUES, STATE_VALUES } from '../../../src/storage/database/value-formats.ts';
import { UPGRADE_STEPS, upgradeFolder } from '../../../src/upgrade/upgrade-folder.ts';
import type { UpgradeStep } from '../../../src/upgrade/upgrade-step.ts';
import { FROZEN_FORMATS, frozenFolder } from '../../support/frozen-folder.ts';

const PLAIN = { values: null } as const;

const optionsOf = (root: string, logged: string[] = []) => ({
  root,
  release: '9.8.7',
  freeBytes: () => null,
  log: { info: (line: object | string) => void logged.push(String(line)) } as never,
});

/** Values by their keys as text. */
async function valuesOf(
  folder: string,
  options: Parameters<typeof RocksDbStore.open>[1],
): Promise<Map<string, Buffer>> {
  const store = await RocksDbStore.open(folder, { ...options, mustExist: true });
  const found = new Map<string, Buffer>();
  for await (const { key, value } of store.iterate({}))
    found.set(Buffer.from(key).toString('hex'), Buffer.from(value));
  await store.close();
  return found;
}

const kindsOf = (values: ReadonlyMap<string, Buffer>): Set<string> =>
  new Set(
    [...values.keys()].map((key) => {
      const [kind, name] = decodeKey(Buffer.from(key, 'hex'));
      return kind === 'meta' ? `meta ${name}` : String(kind);
    }),
  );

const KINDS = [
  ...['index', 'row', 'task', 'payload', 'batch', 'key', 'webhook', 'outbox', 'outboxBody'],
  ...['outboxPlace', 'attempt'],
  ...['nextIndexId', 'features', 'instanceUid', 'attempt', 'attemptBeside'].map((n) => `meta ${n}`),
];

describe('the steps of an upgrade', () => {
  it('lead from the oldest format that is taken to that of this release', () => {
    expect(UPGRADE_STEPS.map(({ from }) => from)).toEqual(
      Array.from({ length: DATA_FORMAT.version - OLDEST_FORMAT }, (_, i) => OLDEST_FORMAT + i),
    );
    for (const { from, to } of UPGRADE_STEPS) expect(to.version).toBe(from + 1);
    expect(UPGRADE_STEPS.at(-1)?.to).toEqual(DATA_FORMAT);
  });

  it('begin with folders that were frozen, as was that of this release', () => {
    const formats = [...UPGRADE_STEPS.map(({ from }) => from), DATA_FORMAT.version];
    expect(FROZEN_FORMATS).toEqual(formats);
  });
});

/** Kinds that the format gained after its folder was frozen; their own tests read them back. */
const ADDED_LATER = ['meta aliases', 'rowBlock'];

describe('the frozen folder of this release', () => {
  it('has a value of every kind', async () => {
    const { dbPath } = frozenFolder(DATA_FORMAT.version);
    const values = await valuesOf(dataFolderAt(dbPath).rocksdb, {});
    expect([...kindsOf(values), ...ADDED_LATER].sort()).toEqual([...STATE_VALUES.kinds].sort());
  });
});

describe('an upgrade from format 2', () => {
  it('keeps every value, of every kind, and gives waiting uploads their checksums', async () => {
    const { dbPath } = frozenFolder(2);
    const before = await valuesOf(path.join(dbPath, 'rocksdb'), PLAIN);
    const embedded = await valuesOf(path.join(dbPath, 'embeddings'), PLAIN);
    expect([...kindsOf(before)].sort()).toEqual([...KINDS].sort());
    expect(embedded.size).toBeGreaterThan(3);
    const logged: string[] = [];
    await upgradeFolder(optionsOf(dbPath, logged));
    expect(formatOf(dbPath)).toEqual({ format: 3, since: '0.1.0' });
    expect(logged.at(-1)).toMatch(/was upgraded from data format 2 to 3 in /);
    const names = fs.readdirSync(dbPath).sort();
    expect(names).toEqual(
      [
        ...['VERSION', 'embeddings-3', 'indexer.secret', 'indexes', 'rocksdb-3', 'spool'],
        'upgraded.json',
      ].sort(),
    );
    expect(readUpgradeNote(dbPath)).toEqual({ upgradeFrom: 'v0.0.0', upgradeTo: 'v9.8.7' });
    const folder = dataFolderAt(dbPath);
    expect(await valuesOf(folder.embeddings, { values: EMBEDDING_VALUES })).toEqual(embedded);

    const after = await valuesOf(folder.rocksdb, {});
    expect([...after.keys()]).toEqual([...before.keys()]);
    const [spooled] = fs.readdirSync(folder.spool);
    const bytes = fs.readFileSync(path.join(folder.spool, String(spooled)));
    let checked = 0;
    for (const [key, value] of before) {
      const now = after.get(key) as Buffer;
      if (now.equals(value)) continue;
      const [kind] = decodeKey(Buffer.from(key, 'hex'));
      expect(kind).toBe('task');
      const { work, ...rest } = JSON.parse(value.toString());
      const content = { ...work.content, crc32c: crc32c(bytes) };
      expect(content.name).toBe(spooled);
      expect(JSON.parse(now.toString())).toEqual({ ...rest, work: { ...work, content } });
      checked += 1;
    }
    expect(checked).toBe(1);
  });

  it('that fails or is cut off anywhere leaves a folder of format 2, until it is one of 3', async () => {
    const { dbPath } = frozenFolder(2);
    const before = await valuesOf(path.join(dbPath, 'rocksdb'), PLAIN);
    // What a kill in the midst of the copies leaves.
    fs.mkdirSync(path.join(dbPath, 'rocksdb-3'));
    fs.writeFileSync(path.join(dbPath, 'rocksdb-3', 'CURRENT'), 'cut off');
    fs.mkdirSync(path.join(dbPath, 'embeddings-3'));
    const [step] = UPGRADE_STEPS as [UpgradeStep];
    const cutOff = {
      ...step,
      prepare: async (options: Parameters<UpgradeStep['prepare']>[0]) => {
        await (await step.prepare(options))();
        throw new Error('cut off');
      },
    };
    await expect(upgradeFolder(optionsOf(dbPath), [cutOff])).rejects.toThrow('cut off');
    expect(formatOf(dbPath).format).toBe(2);
    expect(await valuesOf(path.join(dbPath, 'rocksdb'), PLAIN)).toEqual(before);
    await upgradeFolder(optionsOf(dbPath));
    const after = await valuesOf(dataFolderAt(dbPath).rocksdb, {});
    expect(after.size).toBe(before.size);
  });

  it('is refused while another process has the folder open, and locks it', async () => {
    const { dbPath } = frozenFolder(2);
    const other = await RocksDbStore.open(path.join(dbPath, 'rocksdb'), PLAIN);
    await expect(upgradeFolder(optionsOf(dbPath))).rejects.toThrow('already in use by process');
    await other.close();
    const [step] = UPGRADE_STEPS as [UpgradeStep];
    const release = await step.prepare(optionsOf(dbPath));
    await expect(upgradeFolder(optionsOf(dbPath))).rejects.toThrow('already in use by process');
    await release();
    expect(formatOf(dbPath).format).toBe(2);
  });

  it('is not begun without room for the copies', async () => {
    const { dbPath } = frozenFolder(2);
    const options = { ...optionsOf(dbPath), freeBytes: () => 1000 };
    await expect(upgradeFolder(options)).rejects.toThrow(
      /has 1000 B of free disk space; the upgrade temporarily needs about \d+\.\d+ KiB/,
    );
    expect(fs.existsSync(path.join(dbPath, 'rocksdb-3'))).toBe(false);
  });

  it('leaves a task whose spool file is gone to find that out', async () => {
    const { dbPath } = frozenFolder(2);
    const { spool, rocksdb } = dataFolderAt(dbPath);
    const [name] = fs.readdirSync(spool);
    fs.rmSync(path.join(spool, String(name)));
    await upgradeFolder(optionsOf(dbPath));
    const { waiting } = frozenFolder(2);
    const store = await RocksDbStore.open(rocksdb);
    const contents = [];
    for (const { uid } of waiting) {
      const value = await store.get(encodeKey('task', uid));
      contents.push(JSON.parse(Buffer.from(value ?? '{}').toString()).work?.content);
    }
    await store.close();
    expect(contents.filter((content) => content?.kind === 'file')).toEqual([
      expect.objectContaining({ name, crc32c: 0 }),
    ]);
  });
});

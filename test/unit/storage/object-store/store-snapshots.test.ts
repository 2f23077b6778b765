/** Snapshots of a store: which objects they keep, and what a damaged one does. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { encodeKey } from '../../../../src/storage/database/key-encoding.ts';
import type { Entry } from '../../../../src/storage/database/key-value-store.ts';
import { DirectoryStore } from '../../../../src/storage/object-store/directory-store.ts';
import { StoredFiles } from '../../../../src/storage/object-store/stored-files.ts';
import { cleanUp, freshFolder } from '../../../support/test-server.ts';
import { until } from '../../../support/until.ts';

afterEach(cleanUp);

function machine(store: string) {
  const root = freshFolder();
  const [indexes, spool] = [path.join(root, 'indexes'), path.join(root, 'spool')];
  for (const folder of [indexes, spool]) fs.mkdirSync(folder, { recursive: true });
  const warnings: string[] = [];
  const log = {
    info: () => undefined,
    warn: (...parts: unknown[]) => void warnings.push(String(parts.at(-1))),
  };
  const objects = DirectoryStore.open(store, Date.now());
  const stored = new StoredFiles({ objects, indexes, spool, keepRemovedMs: 0, log });
  const keep = async (key: string): Promise<void> => {
    const file = path.join(root, key);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, key);
    await stored.keep([key]);
  };
  return { stored, keep, warnings };
}

async function* entries(): AsyncGenerator<Entry> {
  yield { key: encodeKey('row', 1), value: new Uint8Array(3) };
}

const snapshot = (name: string, ...keys: string[]) => ({
  name,
  createdAt: `2026-11-2${name[7]}T00:00:00.000Z`,
  entries: entries(),
  objects: keys.map((key) => ({ key, bytes: key.length })),
});

const FIRST = '20261121-000000000';
const SECOND = '20261122-000000000';
const exists = (store: string, key: string) => fs.existsSync(path.join(store, key));
const [OLD, BOTH, NEW] = ['indexes/1/old', 'indexes/1/both', 'indexes/2/new'] as const;

/** A store with two snapshots, of which the second lacks the oldest object. */
async function withSnapshots() {
  const store = freshFolder();
  const first = machine(store);
  for (const key of [OLD, BOTH]) await first.keep(key);
  await first.stored.snapshots.add(snapshot(FIRST, OLD, BOTH));
  await first.keep(NEW);
  await first.stored.snapshots.add(snapshot(SECOND, BOTH, NEW));
  return { store, ...first };
}

const accepted = async (): Promise<void> => undefined;

describe('snapshots of a store', () => {
  it('keep their objects from every kind of deletion, also after a restart', async () => {
    const { store } = await withSnapshots();
    const { stored } = machine(store);
    expect(await stored.snapshots.load()).toEqual([]);
    expect(stored.snapshots.newestMs()).toBe(Date.parse('2026-11-22T00:00:00Z'));
    await machine(store).keep('indexes/1/unnamed');
    stored.removeSegment({ indexId: 1, name: 'old' });
    stored.removeIndex(1);
    await until('the unnamed object is deleted', () => !exists(store, 'indexes/1/unnamed'));
    expect(await stored.removeOrphans(new Set(), accepted)).toBe(0);
    for (const key of [OLD, BOTH, NEW]) expect(exists(store, key)).toBe(true);
  });

  it('release the objects that only an expired one names', async () => {
    const { store, stored } = await withSnapshots();
    await stored.snapshots.keepNewest(1);
    await until('the object is deleted', () => !exists(store, OLD));
    await until('the rows are deleted', () => !exists(store, `snapshots/${FIRST}.rows`));
    expect(exists(store, `snapshots/${FIRST}.json`)).toBe(false);
    for (const key of [BOTH, NEW, `snapshots/${SECOND}.rows`])
      expect(exists(store, key)).toBe(true);
  });

  it('are named at a start when they lack objects', async () => {
    const { store } = await withSnapshots();
    fs.rmSync(path.join(store, OLD));
    const { stored, warnings } = machine(store);
    await stored.snapshots.load();
    await stored.removeOrphans(new Set(), accepted);
    expect(warnings).toEqual([`snapshot ${FIRST} lacks 1 object: it cannot be restored`]);
  });

  it('stop all deletions while the list of one is damaged', async () => {
    const { store } = await withSnapshots();
    const list = path.join(store, `snapshots/${FIRST}.json`);
    fs.writeFileSync(list, fs.readFileSync(list).subarray(1));
    const { stored, keep } = machine(store);
    await keep('indexes/1/unnamed');
    expect(await stored.snapshots.load()).toEqual([
      `object snapshots/${FIRST}.json is damaged: its SHA-256 does not match`,
    ]);
    expect(await stored.removeOrphans(new Set(), accepted)).toBe(0);
    expect(exists(store, 'indexes/1/unnamed')).toBe(true);
  });

  it('keep their objects when they are added while orphans are listed', async () => {
    const { store, stored } = await withSnapshots();
    const next = machine(store);
    await next.stored.snapshots.load();
    const removed = next.stored.removeOrphans(new Set(), accepted);
    await next.keep('indexes/3/later');
    const third = snapshot('20261123-000000000', 'indexes/3/later');
    await Promise.all([removed, next.stored.snapshots.add(third)]);
    for (const key of [OLD, 'indexes/3/later', 'snapshots/20261123-000000000.rows'])
      expect(exists(store, key)).toBe(true);
    expect(next.warnings).toEqual([]);
    expect(stored.snapshots.newestMs()).toBe(Date.parse('2026-11-22T00:00:00Z'));
  });

  it('are nothing while only their rows are uploaded', async () => {
    const store = freshFolder();
    const { stored } = machine(store);
    const failing = { ...snapshot(FIRST), objects: [{ key: 'x', bytes: 1n as unknown as number }] };
    await expect(stored.snapshots.add(failing)).rejects.toThrow();
    expect(exists(store, `snapshots/${FIRST}.rows`)).toBe(true);
    const next = machine(store).stored;
    await next.snapshots.load();
    expect(await next.removeOrphans(new Set(), accepted)).toBe(1);
    expect(exists(store, `snapshots/${FIRST}.rows`)).toBe(false);
  });
});

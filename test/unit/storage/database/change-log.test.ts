/** The log of changes that other processes follow. */
import { describe, expect, it } from 'vitest';
import {
  changesAfter,
  LoggedStore,
  lastPosition,
  WRITER_KEY,
} from '../../../../src/storage/database/change-log.ts';
import { encodeKey } from '../../../../src/storage/database/key-encoding.ts';
import { del, put } from '../../../../src/storage/database/key-value-store.ts';
import { MemoryStore } from '../../../support/memory-store.ts';

const value = new Uint8Array([1]);
const entry = (...parts: (string | number)[]) => put(encodeKey(...parts), value);

describe('the change log', () => {
  it('names the indexes, tasks and kinds of each write, and nothing that followers do not hold', async () => {
    const store = new MemoryStore();
    const logged = await LoggedStore.open(store);
    await logged.write([entry('row', 7), entry('task', 7), entry('payload', 7)]);
    await logged.write([entry('payload', 7)]);
    await logged.write([entry('index', 2), del(encodeKey('row', 3)), entry('batch', 1)]);
    await logged.write([entry('key', 'a'), entry('meta', 'network')]);
    expect(await lastPosition(store)).toBe(2);
    const all = [
      { position: 0, index: [], row: [7], kinds: [] },
      { position: 1, index: [2], row: [3], kinds: [] },
      { position: 2, index: [], row: [], kinds: ['key', 'meta network'] },
    ];
    expect(await changesAfter(store, -1)).toEqual(all);
    expect(await changesAfter(store, 0)).toEqual(all.slice(1));
    expect(await changesAfter(store, 2)).toEqual([]);
  });

  it('has one entry for the writes of a group, apart from each one that changes an index', async () => {
    const store = new MemoryStore();
    const logged = await LoggedStore.open(store);
    const writes = [
      logged.write([entry('row', 1)]),
      logged.write([entry('row', 2)]),
      logged.write([entry('row', 3), entry('index', 1)]),
      logged.write([entry('payload', 4)]),
      logged.write([entry('index', 2)]),
      logged.write([entry('rowBlock', 0), entry('key', 'a')], 'process'),
    ];
    await Promise.all(writes);
    // The first write does not wait for others.
    const [first, shared, ...rest] = (await changesAfter(store, -1)) ?? [];
    expect(first).toEqual({ position: 0, index: [], row: [1], kinds: [] });
    expect(shared).toMatchObject({ position: 1, index: [], kinds: ['key'] });
    expect(shared?.row).toHaveLength(1024);
    expect(shared?.row[0]).toBe(2);
    expect(rest).toEqual([
      { position: 2, index: [1], row: [3], kinds: [] },
      { position: 3, index: [2], row: [], kinds: [] },
    ]);
    await logged.close();
    await expect(logged.write([entry('row', 1)])).rejects.toThrow('closed');
  });

  it('goes on after a restart, and says when older entries are gone', async () => {
    const store = new MemoryStore();
    for (let uid = 0; uid < 5; uid++)
      await (await LoggedStore.open(store, 3)).write([entry('row', uid)]);
    const rows = (await changesAfter(store, 1))?.map(({ row }) => row);
    expect(rows).toEqual([[2], [3], [4]]);
    expect(await changesAfter(store, 0)).toBe(null);
  });

  it('goes on in a process that has read it up to a position', async () => {
    const store = new MemoryStore();
    const logged = await LoggedStore.open(store);
    for (let uid = 0; uid < 3; uid++) await logged.write([entry('row', uid)]);
    const next = await LoggedStore.openAfter(store, 0, 3);
    expect(next.changes?.map(({ position }) => position)).toEqual([1, 2]);
    await next.store.write([entry('row', 3)]);
    await next.store.write([entry('row', 4)]);
    expect(await lastPosition(store)).toBe(4);
    const late = await LoggedStore.openAfter(store, 0, 3);
    expect(late.changes).toBeNull();
    await late.store.write([entry('row', 5)]);
    expect((await changesAfter(store, 2))?.map(({ row }) => row)).toEqual([[3], [4], [5]]);
  });

  it('is not in backups', async () => {
    const logged = await LoggedStore.open(new MemoryStore());
    await logged.write([entry('row', 1), put(WRITER_KEY, value)]);
    const keys = async (entries: AsyncIterable<{ key: Uint8Array }>) => {
      const found: Uint8Array[] = [];
      for await (const { key } of entries) found.push(key);
      return found;
    };
    const view = logged.view();
    expect(await keys(view.iterate({}))).toEqual([encodeKey('row', 1)]);
    expect(await keys(logged.iterate({}))).toEqual([encodeKey('row', 1)]);
    await view.close();
  });
});

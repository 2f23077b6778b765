/**
 * What every key-value store must do, run on the RocksDB store, on its in-memory twin, and on SlateDB
 * if `npm install --no-save --save-prod @slatedb/uniffi` has installed it: it is too large for every checkout.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compareKeys } from '../../src/storage/database/key-encoding.ts';
import {
  del,
  type Entry,
  type KeyRange,
  type KeyValueStore,
  put,
  type WriteOperation,
} from '../../src/storage/database/key-value-store.ts';
import { RocksDbStore } from '../../src/storage/database/rocksdb-store.ts';
import { loadSlateDb } from '../../src/storage/database/slatedb-library.ts';
import { isFence } from '../../src/storage/database/slatedb-reader.ts';
import { SlateDbStore, StoreFenced } from '../../src/storage/database/slatedb-store.ts';
import { MemoryDisk, MemoryStore } from '../support/memory-store.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (value: Uint8Array | null | undefined) =>
  value ? new TextDecoder().decode(value) : null;
const entry = (key: string, value: string) => put(bytes(key), bytes(value));

async function collect(store: KeyValueStore, range: KeyRange): Promise<string[]> {
  const found: string[] = [];
  for await (const { key, value } of store.iterate(range))
    found.push(`${text(key)}=${text(value)}`);
  return found;
}

/** Of whatever keys. */
const PLAIN = { values: null };
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'store-contract-'));
let disk = new MemoryDisk();
let run = 0;

const hasSlateDb = await loadSlateDb().then(
  () => true,
  () => false,
);
const openSlateDb = (place: string) =>
  SlateDbStore.open({ url: `file://${folder}`, path: place, ...PLAIN });

const kinds: Record<string, { open: () => Promise<KeyValueStore>; reset: () => void }> = {
  'RocksDB store': {
    open: () => RocksDbStore.open(path.join(folder, String(run)), PLAIN),
    reset: () => {
      run++;
    },
  },
  ...(hasSlateDb && {
    'SlateDB store': {
      open: () => openSlateDb(`slatedb-${run}`),
      reset: () => {
        run++;
      },
    },
  }),
  'memory store': {
    open: async () => new MemoryStore(disk),
    reset: () => {
      disk = new MemoryDisk();
    },
  },
};

for (const [name, { open, reset }] of Object.entries(kinds)) {
  describe(name, () => {
    let store: KeyValueStore;
    beforeEach(async () => {
      reset();
      store = await open();
    });
    afterEach(() => store.close());

    it('shows in a view what was written before it, whatever comes later', async () => {
      await store.write([entry('a', '1'), entry('b', '2')]);
      const view = store.view();
      await store.write([entry('a', '9'), del(bytes('b')), entry('c', '3')]);
      expect(text(await view.get(bytes('a')))).toBe('1');
      expect((await view.getMany([bytes('b'), bytes('c')])).map(text)).toEqual(['2', null]);
      const found: (string | null)[] = [];
      for await (const { key } of view.iterate({})) found.push(text(key));
      expect(found).toEqual(['a', 'b']);
      await view.close();
      expect(text(await store.get(bytes('a')))).toBe('9');
    });

    it('returns what was written, and null for the rest', async () => {
      await store.write([entry('a', '1'), entry('b', '')]);
      expect(text(await store.get(bytes('a')))).toBe('1');
      expect(await store.get(bytes('b'))).toHaveLength(0);
      expect(await store.get(bytes('c'))).toBeNull();
      expect((await store.getMany([bytes('c'), bytes('a'), bytes('a')])).map(text)).toEqual([
        null,
        '1',
        '1',
      ]);
      expect(await store.getMany([])).toEqual([]);
    });

    it('applies the operations of a batch in their order', async () => {
      await store.write([
        entry('a', '1'),
        del(bytes('a')),
        entry('b', '1'),
        entry('b', '2'),
        del(bytes('absent')),
      ]);
      expect(await collect(store, {})).toEqual(['b=2']);
      await store.write([]);
      expect(await collect(store, {})).toEqual(['b=2']);
    });

    it('iterates a half-open range in both directions with a limit', async () => {
      await store.write(['a', 'b', 'c', 'd'].map((key) => entry(key, key)));
      expect(await collect(store, { gte: bytes('b'), lt: bytes('d') })).toEqual(['b=b', 'c=c']);
      expect(await collect(store, { reverse: true, limit: 2 })).toEqual(['d=d', 'c=c']);
      expect(
        await collect(store, { gte: bytes('b'), lt: bytes('d'), reverse: true, limit: 1 }),
      ).toEqual(['c=c']);
      expect(await collect(store, { limit: 0 })).toEqual([]);
      expect(await collect(store, { gte: bytes('x') })).toEqual([]);
      expect(await collect(store, { gte: bytes('c'), lt: bytes('b') })).toEqual([]);
    });

    it('iterates thousands of entries without losing or repeating one', async () => {
      const keys = Array.from({ length: 3000 }, (_, i) => String(i).padStart(5, '0'));
      await store.write(keys.map((key) => entry(key, 'x')));
      expect(await collect(store, { limit: 1500 })).toEqual(
        keys.slice(0, 1500).map((key) => `${key}=x`),
      );
      expect(await collect(store, {})).toHaveLength(3000);
    });

    it('shows an iteration the moment it began', async () => {
      await store.write(
        Array.from({ length: 1200 }, (_, i) => entry(String(i).padStart(5, '0'), 'old')),
      );
      const seen: string[] = [];
      for await (const { value } of store.iterate({})) {
        if (seen.length === 0) await store.write([entry('00001', 'new'), entry('99999', 'new')]);
        seen.push(text(value) ?? '');
      }
      expect(seen).toHaveLength(1200);
      expect(new Set(seen)).toEqual(new Set(['old']));
    });

    it('resolves concurrent writes in the order of the calls', async () => {
      const order: number[] = [];
      await Promise.all(
        Array.from({ length: 200 }, (_, i) =>
          store.write([entry('last', String(i))]).then(() => order.push(i)),
        ),
      );
      expect(order).toEqual(Array.from({ length: 200 }, (_, i) => i));
      expect(text(await store.get(bytes('last')))).toBe('199');
    });

    it('keeps everything over closing and opening', async () => {
      await store.write([entry('a', '1'), entry('b', '2')]);
      await store.write([del(bytes('a'))]);
      await store.close();
      store = await open();
      expect(await collect(store, {})).toEqual(['b=2']);
    });

    it('does not see later changes of the arrays it was given', async () => {
      const key = bytes('k');
      const value = bytes('v');
      await store.write([put(key, value)]);
      key[0] = 0;
      value[0] = 0;
      expect(text(await store.get(bytes('k')))).toBe('v');
    });

    it('refuses every call once closed', async () => {
      reset();
      const closed = await open();
      await closed.close();
      await expect(closed.get(bytes('a'))).rejects.toThrow('closed');
      await expect(closed.write([entry('a', '1')])).rejects.toThrow('closed');
      await expect(collect(closed, {})).rejects.toThrow('closed');
    });

    it('agrees with a sorted map for any batches of binary keys', async () => {
      const key = fc.uint8Array({ minLength: 1, maxLength: 3 });
      const operation = fc.oneof(
        fc.record({
          kind: fc.constant('put' as const),
          key,
          value: fc.uint8Array({ maxLength: 4 }),
        }),
        fc.record({ kind: fc.constant('delete' as const), key }),
      );
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(operation, { maxLength: 8 }), { maxLength: 4 }),
          key,
          key,
          async (batches, gte, lt) => {
            for await (const old of store.iterate({})) await store.write([del(old.key)]);
            const model = new Map<string, Entry>();
            for (const batch of batches) {
              await store.write(batch);
              for (const one of batch) {
                if (one.kind === 'put') model.set(String(one.key), one);
                else model.delete(String(one.key));
              }
            }
            const expected = [...model.values()]
              .filter((one) => compareKeys(one.key, gte) >= 0 && compareKeys(one.key, lt) < 0)
              .sort((a, b) => compareKeys(a.key, b.key))
              .map((one) => [...one.key, -1, ...one.value]);
            const found: number[][] = [];
            for await (const one of store.iterate({ gte, lt }))
              found.push([...one.key, -1, ...one.value]);
            expect(found).toEqual(expected);
          },
        ),
        { numRuns: 30 },
      );
    });
  });
}

describe('RocksDB store on its folder', () => {
  it('names the folder when another store has it open', async () => {
    const place = path.join(folder, 'locked');
    const first = await RocksDbStore.open(place, PLAIN);
    await expect(RocksDbStore.open(place, PLAIN)).rejects.toThrow(
      `${place} is already in use by process ${process.pid}: stop it`,
    );
    await first.close();
    await (await RocksDbStore.open(place, PLAIN)).close();
  });

  it('does not create a database that must exist', async () => {
    const place = path.join(folder, 'absent');
    await expect(RocksDbStore.open(place, { mustExist: true })).rejects.toThrow(
      'cannot open the database',
    );
  });

  it('has in its log at once what is to survive the process', async () => {
    const place = path.join(folder, 'process');
    const copy = path.join(folder, 'process-copy');
    const store = await RocksDbStore.open(place, PLAIN);
    await store.write([entry('a', '1')], 'process');
    // What another process finds when this one is killed now.
    fs.cpSync(place, copy, { recursive: true });
    await store.close();
    const found = await RocksDbStore.open(copy, PLAIN);
    expect(text(await found.get(bytes('a')))).toBe('1');
    await found.close();
  });

  it('goes on syncing over log rotations', async () => {
    const store = await RocksDbStore.open(path.join(folder, 'rotation'), PLAIN);
    const value = new Uint8Array(1 << 20).fill(7);
    for (let i = 0; i < 40; i++) await store.write([put(bytes(`k${i % 4}`), value)]);
    expect(await store.get(bytes('k3'))).toHaveLength(value.length);
    await store.close();
  });
});

describe.skipIf(!hasSlateDb)('SlateDB store in its object store', () => {
  it('fences the older of two writers, and keeps what that one was promised', async () => {
    const older = await openSlateDb('fenced');
    await older.write([entry('a', 'older')]);
    const newer = await openSlateDb('fenced');
    await expect(older.write([entry('b', 'older')])).rejects.toThrow(StoreFenced);
    await expect(older.write([entry('c', 'older')])).rejects.toThrow('reopened');
    await newer.write([entry('c', 'newer')]);
    expect(await collect(newer, {})).toEqual(['a=older', 'c=newer']);
    await older.close();
    await newer.close();
  });

  it('is made by one of those that open it at the same time; the others are fenced', async () => {
    for (let round = 0; round < 3; round++) {
      const opened = await Promise.allSettled([1, 2, 3].map(() => openSlateDb(`new-${round}`)));
      const stores = opened.flatMap((open) => (open.status === 'fulfilled' ? [open.value] : []));
      expect(stores).not.toEqual([]);
      for (const open of opened)
        if (open.status === 'rejected') expect(open.reason).toBeInstanceOf(StoreFenced);
      await Promise.allSettled(stores.map((store) => store.close()));
    }
  });

  it('shows in its log that a process opens it and has written nothing yet', async () => {
    const place = { url: `file://${folder}`, path: 'opened' };
    const isOpened = () => {
      const names = fs.readdirSync(path.join(folder, 'opened/wal'));
      return isFence(place, names.sort().at(-1) ?? '');
    };
    for (const word of ['first', 'second']) {
      const store = await SlateDbStore.open({ ...place, ...PLAIN });
      expect(await isOpened()).toBe(true);
      await store.write([entry('a', word)]);
      expect(await isOpened()).toBe(false);
      await store.close();
      expect(await isOpened()).toBe(false);
    }
  });

  it('says of each read, too, that a newer writer has fenced it', async () => {
    const reasons: string[] = [];
    const place = { url: `file://${folder}`, path: 'fenced-reads', ...PLAIN };
    const older = await SlateDbStore.open({
      ...place,
      onFenced: ({ message }) => reasons.push(message),
    });
    await older.write([entry('a', 'older')]);
    const newer = await SlateDbStore.open(place);
    // The library looks for a newer writer from time to time.
    const failure = () => older.get(bytes('a')).catch((error: unknown) => error);
    await expect.poll(failure).toBeInstanceOf(StoreFenced);
    await expect(collect(older, {})).rejects.toThrow(StoreFenced);
    await expect(older.getMany([bytes('a')])).rejects.toThrow(StoreFenced);
    expect(reasons.length).toBeGreaterThanOrEqual(3);
    expect(new Set(reasons).size).toBe(1);
    await older.close();
    await newer.close();
  });

  it('adds objects to its log while it fills a large group', async () => {
    const slow = (key: string): WriteOperation => ({
      ...entry(key, key),
      get key() {
        for (const endMs = performance.now() + 250; performance.now() < endMs; );
        return bytes(key);
      },
    });
    const store = await openSlateDb('large');
    const logObjects = () => fs.readdirSync(path.join(folder, 'large/wal')).length;
    const before = logObjects();
    const written = store.write(['a', 'b', 'c'].map(slow));
    await expect.poll(logObjects).toBeGreaterThan(before);
    await written;
    expect(logObjects()).toBe(before + 4);
    expect(await collect(store, {})).toEqual(['a=a', 'b=b', 'c=c']);
    await store.close();
  });

  it('has every resolved write after a crash, whatever moved from the log to tables', async () => {
    const crashed = await openSlateDb('crashed');
    for (let i = 0; i < 150; i++) await crashed.write([entry(`k${i}`, String(i))], 'process');
    // Nothing of the process that holds it is closed or flushed.
    const found = await openSlateDb('crashed');
    expect(await collect(found, {})).toHaveLength(150);
    await found.close();
    await crashed.close();
  });
});

describe('memory store as a stand-in for crashes', () => {
  it('keeps nothing of a write that failed before, all of one that failed after, and refuses to go on', async () => {
    for (const failing of ['before', 'after'] as const) {
      const shared = new MemoryDisk();
      const onWrite = (moment: string) => {
        if (moment === failing) throw new Error('cut');
      };
      const store = new MemoryStore(shared, { onWrite });
      await expect(store.write([entry('a', '1')])).rejects.toThrow('cut');
      await expect(store.write([entry('b', '1')])).rejects.toThrow('reopened');
      expect(await collect(new MemoryStore(shared), {})).toEqual(
        failing === 'before' ? [] : ['a=1'],
      );
    }
  });
});

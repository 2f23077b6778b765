/** A copy of tasks and indexes, with what the log names after it, is what the database has. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { storeInstanceUid } from '../../../../src/catalog/instance-uid.ts';
import { LoggedStore } from '../../../../src/storage/database/change-log.ts';
import { encodeKey, keyRange } from '../../../../src/storage/database/key-encoding.ts';
import {
  del,
  entriesIn,
  type KeyValueReader,
  put,
  type WriteOperation,
} from '../../../../src/storage/database/key-value-store.ts';
import {
  copiedPosition,
  copyState,
  stateAfter,
} from '../../../../src/storage/database/state-copy.ts';
import { MemoryStore } from '../../../support/memory-store.ts';

const KINDS = ['row', 'index'] as const;
const { signal } = new AbortController();

/** @param entriesKept of the log */
async function database(uid: string, entriesKept?: number) {
  const store = new MemoryStore();
  const logged = await LoggedStore.open(store, entriesKept);
  await logged.write([storeInstanceUid(uid)]);
  return { store, logged };
}

const copyOf = async (store: KeyValueReader, older: Uint8Array | null) => {
  const copy = await copyState(store, older, signal);
  if (copy === null) throw new Error('no copy');
  return copy;
};

async function read(store: KeyValueReader, copy: Uint8Array) {
  const state = await stateAfter(store, copy);
  if (state === null) return null;
  const entries: string[] = [];
  for (const kind of KINDS)
    for await (const { key, value } of state[kind]) entries.push(`${key} = ${value}`);
  return entries;
}

async function stored(store: KeyValueReader) {
  const all = await Promise.all(KINDS.map((kind) => entriesIn(store, keyRange(kind))));
  return all.flat().map(({ key, value }) => `${key} = ${value}`);
}

const operation: fc.Arbitrary<WriteOperation> = fc
  .tuple(fc.constantFrom(...KINDS, 'key'), fc.nat(12), fc.option(fc.uint8Array({ maxLength: 4 })))
  .map(([kind, number, value]) => {
    const key = encodeKey(kind, number);
    return value === null ? del(key) : put(key, value);
  });

it('has all entries of the database, whenever it was made', async () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.array(operation, { minLength: 1, maxLength: 4 }) },
    { weight: 1, arbitrary: fc.constant('copy' as const) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const { store, logged } = await database('u');
      let copy = await copyOf(store, null);
      for (const each of steps) {
        if (each === 'copy') copy = await copyOf(store, copy);
        else await logged.write(each);
        expect(await read(store, copy)).toEqual(await stored(store));
      }
      expect(await copiedPosition(await copyOf(store, copy))).toBe(logged.position);
    }),
    { numRuns: 200, seed: 1 },
  );
});

it('is not used for another database, a later position or a log with a gap', async () => {
  const first = await database('u', 3);
  const row = put(encodeKey('row', 1), Uint8Array.of(1));
  await first.logged.write([row]);
  const copy = await copyOf(first.store, null);
  expect(await read(first.store, copy)).not.toBe(null);
  const other = await database('v');
  await other.logged.write([row]);
  expect(await read(other.store, copy)).toBe(null);
  const earlier = await database('u');
  expect(await read(earlier.store, copy)).toBe(null);
  for (let i = 0; i < 3; i++) await first.logged.write([row]);
  expect(await read(first.store, copy)).not.toBe(null);
  await first.logged.write([row]);
  expect(await read(first.store, copy)).toBe(null);
  expect(await read(first.store, await copyOf(first.store, copy))).toEqual(
    await stored(first.store),
  );
});

it('is not made of a database without a log, and no further when it is stopped', async () => {
  const { store } = await database('u');
  expect(await copyState(new MemoryStore(), null, signal)).toBe(null);
  const stopped = AbortSignal.abort(new Error('stopped'));
  await expect(copyState(store, null, stopped)).rejects.toThrow('stopped');
});

/**
 * Start here to see which promises of a store Gannet relies on. The probe tries each of them and
 * names the call that broke it. A passed probe is evidence, not proof: a race that a store loses
 * once in a thousand may pass.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ObjectBody, ObjectStore } from './object-store.ts';

export interface ProbeResult {
  /** The promise that was tried. */
  readonly promise: string;
  /** The call that broke the promise; null if the store kept it. */
  readonly failure: string | null;
}

export interface ProbeOptions {
  /** Opens the store with a clock that is ahead by this many milliseconds. */
  readonly open: (aheadMs: number) => ObjectStore;
  /** Unique name of this run: the folder of its keys. */
  readonly run: string;
  /** Pseudo-random bytes. */
  readonly bytes: (count: number) => Uint8Array;
  /** Milliseconds until uploads that were begun at the same time have reached the store. */
  readonly openingMs?: number;
}

const RACERS = 10;
const RACES = 3;
const READS = 10;
const LARGE_BYTES = 3 << 20;
const SMALL_BYTES = 2000;
/** Bytes that a held upload sends only once all uploads are open. */
const HELD_BYTES = 16;
const OPENING_MS = 500;
const CLOCK_MS = 600_000;
const PAGE_KEYS = 7;

/** What one check needs. */
interface Ground extends Pick<Required<ProbeOptions>, 'open' | 'bytes' | 'openingMs'> {
  readonly store: ObjectStore;
  /** Ends with `/`. */
  readonly folder: string;
}

/** Throws with the call that broke the promise. */
type Check = (ground: Ground) => Promise<void>;

const CHECKS: Readonly<Record<string, Check>> = {
  'an object is read with the checksum of what was written': readsBack,
  'an object is there for the first read after its creation': readsAfterCreation,
  'a range of bytes is read alone': readsRanges,
  'a list has every object, in byte order, on several pages': listsInOrder,
  'a list shows creations and deletions at once': listsAtOnce,
  'creating an existing object is refused': refusesOverwrites,
  'of concurrent creations one wins': (ground) => raceOften(ground, 'race', plainUpload),
  'of concurrent creations one wins, all uploads open at once': (ground) =>
    raceOften(ground, 'held', heldUpload),
  'of concurrent creations after a deletion one wins': racesAfterDeletion,
  'half an upload leaves no object': leavesNoHalf,
  'the order of arrival counts, not the clock of a request': ordersByArrival,
};

/** Objects of the run are deleted at the end. */
export async function probeStore(
  { open, run, bytes, openingMs = OPENING_MS }: ProbeOptions,
  onResult: (result: ProbeResult) => void,
): Promise<void> {
  const store = open(0);
  try {
    const failure = await failureOf(answers(store, run));
    onResult({ promise: 'the store answers', failure });
    if (failure !== null) return;
    for (const [number, [promise, check]] of Object.entries(CHECKS).entries()) {
      const folder = `${run}/${number}/`;
      const ground = { store, open, bytes, openingMs, folder };
      onResult({ promise, failure: await failureOf(check(ground)) });
    }
    await deleteAll(store, `${run}/`);
  } finally {
    store.close();
  }
}

async function failureOf(check: Promise<void>): Promise<string | null> {
  try {
    await check;
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

async function answers(store: ObjectStore, run: string): Promise<void> {
  for await (const { key } of store.list(`${run}/`)) throw new Error(`List of ${run}: has ${key}`);
}

async function deleteAll(store: ObjectStore, prefix: string): Promise<void> {
  const keys: string[] = [];
  try {
    for await (const { key } of store.list(prefix)) keys.push(key);
    for (const key of keys) await store.delete(key);
  } catch {
    // The results name what the store cannot do.
  }
}

const expectTrue = (isTrue: boolean, failure: string): void => {
  if (!isTrue) throw new Error(failure);
};

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const lengthOf = (bytes: Uint8Array | null): string =>
  bytes === null ? 'no object' : `${bytes.length} bytes`;

async function expectObject(store: ObjectStore, key: string, wanted: Uint8Array): Promise<void> {
  const found = await store.get(key);
  const isSame = found !== null && sha256(found) === sha256(wanted);
  const problem =
    found !== null && found.length === wanted.length ? 'other bytes' : lengthOf(found);
  expectTrue(isSame, `GET ${key}: ${problem}, not the ${wanted.length} bytes of the PUT`);
}

async function expectNone(store: ObjectStore, key: string, after: string): Promise<void> {
  const found = await store.get(key);
  expectTrue(found === null, `GET ${key} ${after}: ${lengthOf(found)}, not 404`);
}

async function expectCreated(store: ObjectStore, key: string, body: ObjectBody): Promise<void> {
  const isCreated = await store.create(key, body);
  expectTrue(isCreated, `PUT ${key} with If-None-Match: refused, but there is no object`);
}

async function readsBack({ store, bytes, folder }: Ground): Promise<void> {
  for (const count of [0, 1, SMALL_BYTES, LARGE_BYTES]) {
    const key = `${folder}${count}`;
    const written = bytes(count);
    await store.put(key, written);
    await expectObject(store, key, written);
  }
  const streamed = bytes(LARGE_BYTES);
  await store.put(`${folder}stream`, streamOf(streamed));
  await expectObject(store, `${folder}stream`, streamed);
  const replaced = bytes(SMALL_BYTES);
  await store.put(`${folder}stream`, replaced);
  await expectObject(store, `${folder}stream`, replaced);
}

async function readsAfterCreation({ store, bytes, folder }: Ground): Promise<void> {
  for (let count = 0; count < READS; count++) {
    const key = `${folder}${count}`;
    const written = bytes(SMALL_BYTES);
    // A store that remembers the answer 404 would hide the object.
    await expectNone(store, key, 'before its creation');
    await expectCreated(store, key, written);
    await expectObject(store, key, written);
  }
}

async function readsRanges({ store, bytes, folder }: Ground): Promise<void> {
  const key = `${folder}large`;
  const all = bytes(LARGE_BYTES);
  await store.put(key, all);
  const size = all.length;
  for (const [start, end] of [
    [0, 1],
    [0, 65_536],
    [1_000_000, 1_065_536],
    [size - 10, size + 1000],
  ] as const) {
    const found = await store.get(key, { start, end });
    const isSame = found !== null && sha256(found) === sha256(all.subarray(start, end));
    const range = `Range: bytes=${start}-${end - 1}`;
    expectTrue(isSame, `GET ${key} with ${range}: ${lengthOf(found)}, or other bytes`);
  }
}

async function listsInOrder({ store, folder }: Ground): Promise<void> {
  const names = ['b', '10', '9', 'a-b', 'Z', 'a', 'c/d', '_x'];
  for (let number = 20; number > 0; number--) names.push(`n${number}`);
  for (const name of names) await store.put(`${folder}${name}`, Buffer.from(name));
  const wanted = names
    .map((name) => `${folder}${name}`)
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const found = await keysOf(store, folder);
  expectTrue(
    found.join() === wanted.join(),
    `List of ${folder} on pages of ${PAGE_KEYS} keys: ${found.length} keys, not ${wanted.length} in byte order`,
  );
  const after = `${folder}n12`;
  const rest = await keysOf(store, folder, after);
  expectTrue(
    rest.join() === wanted.slice(wanted.indexOf(after) + 1).join(),
    `List of ${folder} with start-after: not the keys after ${after}`,
  );
}

async function keysOf(store: ObjectStore, prefix: string, after = ''): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list(prefix, { after, pageKeys: PAGE_KEYS })) keys.push(key);
  return keys;
}

async function listsAtOnce({ store, folder }: Ground): Promise<void> {
  const created: string[] = [];
  for (let number = 0; number < READS; number++) {
    const key = `${folder}${String(number).padStart(4, '0')}`;
    await expectCreated(store, key, Buffer.from(key));
    created.push(key);
    const found = await keysOf(store, folder);
    expectTrue(
      found.join() === created.join(),
      `List of ${folder} after PUT ${key}: ${found.length} keys, not ${created.length}`,
    );
  }
  const [deleted = ''] = created;
  await store.delete(deleted);
  const found = await keysOf(store, folder);
  expectTrue(!found.includes(deleted), `List of ${folder} after DELETE ${deleted}: has the key`);
}

async function refusesOverwrites({ store, bytes, folder }: Ground): Promise<void> {
  for (const count of [0, SMALL_BYTES, LARGE_BYTES]) {
    const key = `${folder}${count}`;
    const first = bytes(count);
    await store.put(key, first);
    const isCreated = await store.create(key, Buffer.from('another'));
    expectTrue(!isCreated, `PUT ${key} with If-None-Match: replaced an object of ${count} bytes`);
    await expectObject(store, key, first);
  }
}

/** Turns the bytes of one racer into its upload. @param opened resolves when all are under way */
type Upload = (bytes: Uint8Array, opened: Promise<void>) => ObjectBody;

const plainUpload: Upload = (bytes) => bytes;

/**
 * A store that looks whether the key is free when an upload begins, not when it ends, finds it free
 * for all of these.
 */
const heldUpload: Upload = (bytes, opened) => ({
  bytes: bytes.length,
  chunks: async function* () {
    yield bytes.subarray(0, -HELD_BYTES);
    await opened;
    yield bytes.subarray(-HELD_BYTES);
  },
});

async function raceOften(ground: Ground, name: string, upload: Upload): Promise<void> {
  for (let number = 0; number < RACES; number++)
    await race(ground, `${ground.folder}${name}-${number}`, upload);
}

async function racesAfterDeletion(ground: Ground): Promise<void> {
  const { store, folder } = ground;
  const key = `${folder}again`;
  await expectCreated(store, key, Buffer.from('old'));
  await store.delete(key);
  await expectNone(store, key, 'after DELETE');
  await race(ground, key, plainUpload);
}

async function race(
  { store, bytes, openingMs }: Ground,
  key: string,
  upload: Upload,
): Promise<void> {
  const bodies = Array.from({ length: RACERS }, () => bytes(SMALL_BYTES));
  const opened = upload === plainUpload ? Promise.resolve() : sleep(openingMs);
  const won = await Promise.all(bodies.map((body) => store.create(key, upload(body, opened))));
  const winners = bodies.filter((_, at) => won[at]);
  expectTrue(
    winners.length === 1,
    `PUT ${key} with If-None-Match: ${winners.length} of ${RACERS} concurrent calls won, not 1`,
  );
  await expectObject(store, key, winners[0] as Uint8Array);
}

async function leavesNoHalf(ground: Ground): Promise<void> {
  const { store, bytes, folder } = ground;
  for (const count of [SMALL_BYTES * 50, LARGE_BYTES]) {
    const key = `${folder}${count}`;
    await brokenUpload(ground, key, bytes(count));
    await expectNone(store, key, 'after an upload that broke off');
    const whole = bytes(SMALL_BYTES);
    await expectCreated(store, key, whole);
    await brokenUpload(ground, key, bytes(count));
    await expectObject(store, key, whole);
  }
}

/** Sends a part of the bytes, then closes the connection, as a process does that is killed. */
async function brokenUpload(
  { store, openingMs }: Ground,
  key: string,
  bytes: Uint8Array,
): Promise<void> {
  const cut = new Error('the upload ends here');
  const body: ObjectBody = {
    bytes: bytes.length,
    chunks: async function* () {
      yield bytes.subarray(0, Math.floor(bytes.length * 0.6));
      await sleep(openingMs / 10);
      throw cut;
    },
  };
  try {
    await store.put(key, body);
  } catch {
    await sleep(openingMs / 10);
    return;
  }
  throw new Error(`PUT ${key}: answered with success to a part of the bytes`);
}

async function ordersByArrival({ open, folder }: Ground): Promise<void> {
  const ahead = open(CLOCK_MS);
  const behind = open(-CLOCK_MS);
  try {
    const key = `${folder}clock`;
    await ahead.put(key, Buffer.from('first'));
    const second = Buffer.from('second, by a slow clock');
    await behind.put(key, second);
    await expectObject(ahead, key, second);
    await behind.delete(key);
    await expectNone(ahead, key, 'after DELETE by a slow clock');
    await expectCreated(behind, key, Buffer.from('third'));
  } finally {
    ahead.close();
    behind.close();
  }
}

/** A stream in two parts. */
const streamOf = (bytes: Uint8Array): ObjectBody => ({
  bytes: bytes.length,
  chunks: async function* () {
    const middle = bytes.length >> 1;
    yield bytes.subarray(0, middle);
    yield bytes.subarray(middle);
  },
});

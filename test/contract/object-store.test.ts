/**
 * What every object store must do, run on a directory and on S3: a stub, or the store at S3_ENDPOINT
 * with the bucket S3_BUCKET.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  type ObjectBody,
  type ObjectStore,
  ObjectStoreError,
} from '../../src/storage/object-store/object-store.ts';
import { openObjectStore } from '../../src/storage/object-store/open-store.ts';
import { probeStore } from '../../src/storage/object-store/probe.ts';
import { S3Stub } from '../support/s3-stub.ts';

interface Place {
  readonly url: string;
  readonly env: Record<string, string | undefined>;
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'object-store-'));
const stub = await S3Stub.start();
afterAll(() => stub.stop());
const { S3_ENDPOINT: endpoint, S3_BUCKET: bucket = 'gannet' } = process.env;

const places: Record<string, Place> = {
  'a directory': { url: `file://${folder}`, env: {} },
  'a stub of S3': stub.store,
  ...(endpoint && {
    [endpoint]: { url: `s3://${bucket}/test?endpoint=${endpoint}`, env: process.env },
  }),
};

const opened = ({ url, env }: Place, aheadMs = 0): ObjectStore =>
  openObjectStore(url, { env, nowMs: () => Date.now() + aheadMs, random: Math.random });

const text = (bytes: Uint8Array | null) => bytes && Buffer.from(bytes).toString();
const bytes = (content: string) => Buffer.from(content);
const stream = (...chunks: readonly string[]): ObjectBody => ({
  bytes: Buffer.byteLength(chunks.join('')),
  chunks: async function* () {
    for (const chunk of chunks) yield bytes(chunk);
  },
});

async function keysOf(store: ObjectStore, ...given: Parameters<ObjectStore['list']>) {
  const keys: string[] = [];
  for await (const { key } of store.list(...given)) keys.push(key);
  return keys;
}

for (const [name, place] of Object.entries(places)) {
  describe(`object store on ${name}`, () => {
    const store = opened(place);
    afterAll(() => store.close());
    /** A folder of keys for each test. */
    const at = (key: string) => `${randomUUID()}/${key}`;

    it('returns what was put, and null for the rest', async () => {
      const key = at('a');
      expect(await store.get(key)).toBeNull();
      await store.put(key, bytes('first'));
      expect(text(await store.get(key))).toBe('first');
      await store.put(key, stream('sec', 'ond'));
      expect(text(await store.get(key))).toBe('second');
      await store.put(key, bytes(''));
      expect(await store.get(key)).toHaveLength(0);
    });

    it('returns a range, cut at the end of the object', async () => {
      const key = at('a');
      await store.put(key, bytes('0123456789'));
      expect(text(await store.get(key, { start: 2, end: 5 }))).toBe('234');
      expect(text(await store.get(key, { start: 8, end: 50 }))).toBe('89');
      expect(text(await store.get(key, { start: 10, end: 50 }))).toBe('');
      expect(text(await store.get(key, { start: 3, end: 3 }))).toBe('');
      expect(await store.get(at('b'), { start: 0, end: 1 })).toBeNull();
    });

    it('creates an object once', async () => {
      const key = at('a');
      const racers = Array.from({ length: 8 }, (_, i) => `racer ${i}`);
      const won = await Promise.all(racers.map((racer) => store.create(key, bytes(racer))));
      expect(won.filter(Boolean)).toHaveLength(1);
      expect(text(await store.get(key))).toBe(racers[won.indexOf(true)]);
      expect(await store.create(key, stream('late'))).toBe(false);
      await store.delete(key);
      expect(await store.create(key, stream('la', 'te'))).toBe(true);
      expect(text(await store.get(key))).toBe('late');
    });

    it('deletes an object, and does not mind a missing one', async () => {
      const key = at('a');
      await store.put(key, bytes('a'));
      await store.delete(key);
      await store.delete(key);
      expect(await store.get(key)).toBeNull();
    });

    it('lists keys with a prefix in byte order, over pages', async () => {
      const prefix = at('');
      const names = ['b', 'a/2', 'a/10', 'a-1', 'Z', '_', '9'];
      for (const [i, key] of names.entries()) await store.put(prefix + key, bytes('x'.repeat(i)));
      const sorted = ['9', 'Z', '_', 'a-1', 'a/10', 'a/2', 'b'].map((key) => prefix + key);
      expect(await keysOf(store, prefix)).toEqual(sorted);
      expect(await keysOf(store, prefix, { pageKeys: 2 })).toEqual(sorted);
      expect(await keysOf(store, `${prefix}a`)).toEqual(sorted.slice(3, 6));
      const rest = { after: `${prefix}a-1`, pageKeys: 2 };
      expect(await keysOf(store, prefix, rest)).toEqual(sorted.slice(4));
      for await (const { key, bytes: size } of store.list(prefix))
        expect(size).toBe(names.indexOf(key.slice(prefix.length)));
      expect(await keysOf(store, `${prefix}none`)).toEqual([]);
    });

    it('shows nothing of an upload whose source fails', async () => {
      const key = at('a');
      const broken: ObjectBody = {
        bytes: 10,
        chunks: async function* () {
          yield bytes('12345');
          throw new Error('the source failed');
        },
      };
      await expect(store.put(key, broken)).rejects.toThrow('the source failed');
      expect(await store.get(key)).toBeNull();
      expect(await store.create(key, bytes('whole'))).toBe(true);
    });

    it('refuses keys that a file system or a URL would change', async () => {
      for (const key of ['', '/a', 'a/', 'a//b', '../a', 'a/../b', '.a', 'a b', 'ä', 'a?b'])
        await expect(store.put(key, bytes('a'))).rejects.toThrow(ObjectStoreError);
    });

    it('passes the probe, which leaves no object', async () => {
      const run = randomUUID();
      const failures: (string | null)[] = [];
      const open = (aheadMs: number) => opened(place, aheadMs);
      await probeStore({ open, run, bytes: randomBytes }, ({ failure }) => failures.push(failure));
      expect(failures.length).toBeGreaterThan(10);
      expect(failures.filter(Boolean)).toEqual([]);
      expect(await keysOf(store, run)).toEqual([]);
    });
  });
}

/** Files of a data folder that caches a store: uploads, fetches, deletions, orphans. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { FsIndexFiles } from '../../../../src/storage/files/index-files.ts';
import { openObjectStore } from '../../../../src/storage/object-store/open-store.ts';
import {
  StoredFiles,
  segmentKey,
  segmentObject,
  spoolKey,
} from '../../../../src/storage/object-store/stored-files.ts';
import { PayloadStore } from '../../../../src/storage/payload-store.ts';
import { type Fault, S3Stub } from '../../../support/s3-stub.ts';

let stub: S3Stub;
afterEach(() => stub.stop());

/** A machine with an empty data folder. */
function machine() {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'stored-files-'));
  const [indexes, spool] = [path.join(root, 'indexes'), path.join(root, 'spool')];
  fs.mkdirSync(indexes);
  const { url, env } = stub.store;
  const objects = openObjectStore(url, { env, nowMs: Date.now, random: Math.random });
  const log = { info: () => undefined, warn: () => undefined };
  const stored = new StoredFiles({ objects, indexes, spool, keepRemovedMs: 0, log });
  return { indexes, spool, stored, files: new FsIndexFiles(indexes, stored) };
}

const segment = { indexId: 7, name: '1-ab-0.seg' };
const object = segmentObject({ ...segment, bytes: 7 });
const keys = () => [...stub.objects.keys()].map((key) => key.replace('some/prefix/', ''));

async function kept(fault: Fault | null = null) {
  stub = await S3Stub.start(fault);
  const first = machine();
  const folder = first.files.locate(7);
  fs.writeFileSync(path.join(folder, segment.name), 'segment');
  return first;
}

describe('files of a data folder that caches a store', () => {
  it('are on another machine what was uploaded', async () => {
    const { stored } = await kept();
    await stored.keep([segmentKey(segment)]);
    expect(keys()).toEqual(['indexes/7/1-ab-0.seg']);
    const other = machine();
    expect(await other.stored.fetch([object])).toBe(1);
    const file = path.join(other.indexes, '7', segment.name);
    expect(fs.readFileSync(file, 'utf8')).toBe('segment');
    expect(await other.stored.fetch([object])).toBe(0);
    fs.writeFileSync(file, 'half');
    expect(await other.stored.fetch([object])).toBe(1);
    expect(fs.readFileSync(file, 'utf8')).toBe('segment');
  });

  it('are not committed when the store returns other bytes', async () => {
    const { stored } = await kept('returns other bytes');
    const error = 'PUT indexes/7/1-ab-0.seg: the store returns other bytes than it received';
    await expect(stored.keep([segmentKey(segment)])).rejects.toThrow(error);
  });

  it('are refused when they are missing or have another length than the commit', async () => {
    const { stored } = await kept();
    await stored.keep([segmentKey(segment)]);
    const other = machine();
    const fetch = (file: typeof segment, bytes: number) =>
      other.stored.fetch([segmentObject({ ...file, bytes })]);
    await expect(fetch(segment, 9)).rejects.toThrow(
      'object indexes/7/1-ab-0.seg has 39 bytes, expected 41',
    );
    await expect(fetch({ ...segment, indexId: 8 }, 7)).rejects.toThrow(
      'object indexes/8/1-ab-0.seg is missing',
    );
    expect(fs.existsSync(path.join(other.indexes, '7', segment.name))).toBe(false);
  });

  it('are refused when the store has damaged them', async () => {
    const { stored } = await kept();
    await stored.keep([segmentKey(segment)]);
    const [damaged] = stub.objects.values();
    damaged?.body.fill(0, 2, 3);
    const other = machine();
    const fetched = other.stored.fetch([object]);
    await expect(fetched).rejects.toThrow('its SHA-256 does not match');
    expect(fs.existsSync(path.join(other.indexes, '7', segment.name))).toBe(false);
  });

  it('are fetched again when their folder is deleted meanwhile', async () => {
    const { stored } = await kept();
    await stored.keep([segmentKey(segment)]);
    const other = machine();
    const folder = path.join(other.indexes, '7');
    let removals = 0;
    stub.onAnswer = (line) => {
      if (!line.startsWith('GET') || removals === 2) return null;
      removals += 1;
      fs.rmSync(folder, { recursive: true, force: true });
      return null;
    };
    expect(await other.stored.fetch([object])).toBe(1);
    expect([removals, fs.readdirSync(folder)]).toEqual([2, [segment.name]]);
  });

  it('are deleted from the store with the folder', async () => {
    const { stored, files, spool } = await kept();
    await stored.keep([segmentKey(segment)]);
    const payloads = new PayloadStore(spool, stored);
    const writer = payloads.create();
    writer.write(Buffer.from('body'));
    const { name } = await writer.finish();
    await stored.keep([spoolKey(name)]);
    expect(keys()).toEqual(['indexes/7/1-ab-0.seg', `payloads/${name}`]);
    files.removeFile(7, segment.name);
    payloads.remove(name);
    await expect.poll(keys).toEqual([]);
  });

  it('are orphans when nothing names them', async () => {
    const { stored } = await kept();
    await stored.keep([segmentKey(segment)]);
    const refuse = () => Promise.reject(new Error('another node writes'));
    const accepted = async () => undefined;
    // Of this process, which may commit it later.
    expect(await stored.removeOrphans(new Set(), accepted)).toBe(0);
    expect(await machine().stored.removeOrphans(new Set([object.key]), accepted)).toBe(0);
    await expect(machine().stored.removeOrphans(new Set(), refuse)).rejects.toThrow(
      'another node writes',
    );
    expect(keys()).toEqual(['indexes/7/1-ab-0.seg']);
    expect(await machine().stored.removeOrphans(new Set(), accepted)).toBe(1);
    expect(keys()).toEqual([]);
  });
});

/**
 * Uploads that wait, in the spool folder and in backups, cut short or with bits flipped: found out
 * by the name of the file, and no document of them is taken.
 */

import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { inProcessPool } from '../../../load-tests/bench/in-process-pool.ts';
import { randomOf } from '../../../load-tests/bench/random.ts';
import { OpenPayloads, type PayloadOnDisk } from '../../../src/indexing/payload/open-payloads.ts';
import type { PayloadRef } from '../../../src/model/task.ts';
import { DEFAULT_UNPACK_LIMITS, unpackArchive } from '../../../src/storage/backups/archive.ts';
import { mapFile } from '../../../src/storage/files/file-mapping.ts';
import { PayloadStore } from '../../../src/storage/payload-store.ts';
import { inProcessWriters } from '../../support/in-process-writers.ts';
import {
  drafts,
  type Harness,
  openHarness,
  temporaryFolder,
} from '../../support/indexer-harness.ts';
import { amount } from '../../support/run-length.ts';

const FLIPS = amount(300, 10_000);
/** Of an archive: each unpacks one. */
const ARCHIVE_FLIPS = Math.ceil(FLIPS / 10);
const CUT_EVERY = 100;
const DOCUMENTS = Array.from({ length: 200 }, (_, id) => ({ id, title: `Film ${id * 7919}` }));
const TEXT = JSON.stringify(DOCUMENTS);

const open: Harness[] = [];
afterEach(async () => {
  for (const { service } of open.splice(0)) await service.drain();
});

async function start() {
  const backups = temporaryFolder();
  const { run } = inProcessPool();
  const harness = await openHarness({
    openWriter: inProcessWriters(),
    readOut: (task) => run('readOut', task),
    backupPlaces: {
      dumpFolder: backups,
      snapshotFolder: backups,
      snapshotName: 'data.ms',
      snapshotsKept: 1,
    },
  });
  open.push(harness);
  return { ...harness, backups };
}

async function spooled(store: PayloadStore): Promise<PayloadRef & { readonly kind: 'file' }> {
  const writer = store.create();
  for (let at = 0; at < TEXT.length; at += 999) writer.write(Buffer.from(TEXT.slice(at, at + 999)));
  return { kind: 'file', ...(await writer.finish()) };
}

function flipped(bytes: Uint8Array, random: () => number): Uint8Array {
  const changed = bytes.slice();
  const at = Math.floor(random() * bytes.length);
  changed[at] = (changed[at] as number) ^ (1 << Math.floor(random() * 8));
  return changed;
}

/** Reads a spool file whose bytes are replaced by these. */
function read(source: PayloadOnDisk, bytes: Uint8Array): Uint8Array {
  fs.writeFileSync(source.path, bytes);
  const payloads = new OpenPayloads([source], mapFile);
  try {
    return payloads.soundBytes(0).slice();
  } finally {
    payloads.close();
  }
}

describe('a spool file', () => {
  it('is found out, by its name, when it is cut short or a bit flips', async () => {
    const store = new PayloadStore(path.join(temporaryFolder(), 'spool'));
    const payload = await spooled(store);
    const source = store.onDisk(payload);
    const sound = Buffer.from(TEXT);
    expect(Buffer.from(read(source, sound)).toString()).toBe(TEXT);
    for (let length = 0; length < sound.length; length += CUT_EVERY)
      expect(() => read(source, sound.subarray(0, length))).toThrow(payload.name);
    const random = randomOf(5);
    for (let flip = 0; flip < FLIPS; flip++)
      expect(() => read(source, flipped(sound, random))).toThrow(payload.name);
  });

  it('fails its own task only, which says that it has to be sent again', async () => {
    const harness = await start();
    const spool = path.join(harness.dataDir, 'spool');
    const payload = await spooled(new PayloadStore(spool));
    const file = path.join(spool, payload.name);
    const uids = await harness.send(
      drafts.add('films', [{ id: 'before' }]),
      drafts.add('films', [], { payload, documentCount: DOCUMENTS.length }),
      drafts.add('films', [{ id: 'after' }]),
    );
    fs.writeFileSync(file, TEXT.replace('"id":7,', '"id":8,'));
    harness.service.start();
    const tasks = await harness.wait(uids);
    expect(tasks.map(({ status }) => status)).toEqual(['succeeded', 'failed', 'succeeded']);
    expect(tasks[1]?.error?.code).toBe('invalid_store_file');
    expect(tasks[1]?.error?.message).toContain(`task 1 has to be sent again: ${file} is damaged`);
    expect(fs.readdirSync(spool)).toEqual([]);
  });

  it('fails a dump, which would keep its documents as if they were sound', async () => {
    const harness = await start();
    const spool = path.join(harness.dataDir, 'spool');
    const payload = await spooled(new PayloadStore(spool));
    const [dump] = await harness.send(
      { type: 'dumpCreation' },
      drafts.add('films', [], { payload, documentCount: DOCUMENTS.length }),
    );
    fs.writeFileSync(path.join(spool, payload.name), TEXT.replace('"id":7,', '"id":8,'));
    harness.service.start();
    const [task] = await harness.wait([dump as number]);
    expect(task?.error).toMatchObject({ code: 'invalid_store_file' });
    expect(task?.error?.message).toContain(payload.name);
  });
});

describe('a backup with a waiting upload', () => {
  it.each([
    ['snapshotCreation', /^spool\/.*\.payload$/],
    ['dumpCreation', /^tasks\/update_files\/1\.jsonl$/],
  ] as const)('of a %s is refused by its name when it is damaged', async (type, copy) => {
    const harness = await start();
    const payload = await spooled(new PayloadStore(path.join(harness.dataDir, 'spool')));
    const upload = drafts.add('films', [], { payload, documentCount: DOCUMENTS.length });
    const [backup] = await harness.send({ type }, upload);
    harness.service.start();
    await harness.wait([backup as number]);
    const [name] = fs.readdirSync(harness.backups);
    const sound = fs.readFileSync(path.join(harness.backups, String(name)));
    const damaged = path.join(temporaryFolder(), 'damaged');
    const unpacked = async (bytes: Uint8Array): Promise<string> => {
      fs.writeFileSync(damaged, bytes);
      const target = temporaryFolder();
      const limits = DEFAULT_UNPACK_LIMITS;
      const options = { wants: () => true, limits, isSynced: false, onBytes: () => undefined };
      try {
        const files = await unpackArchive(damaged, target, options);
        return JSON.stringify(files.map(({ name, sha256 }) => [name, sha256]));
      } finally {
        fs.rmSync(target, { recursive: true });
      }
    };
    const expected = await unpacked(sound);
    const names = (JSON.parse(expected) as string[][]).map(([name]) => String(name));
    expect(names.filter((name) => copy.test(name))).toHaveLength(1);

    for (let length = 0; length < sound.length; length += Math.ceil(sound.length / 20))
      await expect(unpacked(sound.subarray(0, length))).rejects.toThrow(damaged);
    const random = randomOf(6);
    for (let flip = 0; flip < ARCHIVE_FLIPS; flip++) {
      // A flip in what gzip notes of itself, such as the time, changes nothing.
      const found = await unpacked(flipped(sound, random)).catch((error: Error) => error.message);
      if (found !== expected) expect(found).toContain(damaged);
    }
  });
});

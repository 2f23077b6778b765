/**
 * The offline verifier on folders written by the real writer: sound ones pass, each kind of damage
 * is named.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkIndex } from '../../../scripts/check-index.ts';
import { encodeDocIds } from '../../../src/engine/sets/doc-ids.ts';
import {
  decodeManifest,
  encodeManifest,
  type IndexManifest,
} from '../../../src/model/index-manifest.ts';
import { encodeKey } from '../../../src/storage/database/key-encoding.ts';
import { put } from '../../../src/storage/database/key-value-store.ts';
import { RocksDbStore } from '../../../src/storage/database/rocksdb-store.ts';
import { fromArray } from '../../support/bits.ts';
import { inProcessWriters } from '../../support/in-process-writers.ts';
import { drafts, openHarness, temporaryFolder } from '../../support/indexer-harness.ts';
import { DIST } from '../../support/test-server.ts';

const { add, remove } = drafts;
const words = ['red', 'green', 'blue', 'naïve', 'Žižek'];
const document = (id: number) => ({
  id,
  title: `${words[id % 5]} ${words[(id * 3) % 5]} ${id}`,
  n: id / 2,
});
const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => document(from + i));

/** Several segments and tombstones are wanted, so nothing is merged meanwhile. */
const noMerges = {
  mergeTiming: { quietMs: 3_600_000, settledMs: 3_600_000, urgentSegmentCount: 10 },
};

const sound = temporaryFolder();
beforeAll(async () => {
  const harness = await openHarness({
    dataDir: sound,
    openWriter: inProcessWriters(),
    limits: noMerges,
  });
  harness.service.start();
  await harness.run(add('films', range(0, 400)));
  await harness.run(add('films', range(100, 150)), remove('films', ['5', '6']));
  const embedders = { own: { source: 'userProvided', dimensions: 2 } };
  const tasks = await harness.run(
    add('films', [{ id: 900, title: 'alone' }]),
    add('empty', []),
    drafts.settings('colours', { embedders }),
    add('colours', [{ id: 1, _vectors: { own: [1, 0.5] } }]),
  );
  expect(tasks.map(({ error }) => error)).toEqual([null, null, null, null]);
  await harness.service.drain();
});
afterAll(() => fs.rmSync(sound, { recursive: true, force: true }));

async function check(folder: string): Promise<{ code: number; text: string }> {
  const lines: string[] = [];
  const code = await checkIndex(folder, (line) => void lines.push(line));
  return { code, text: lines.join('\n') };
}

/** The report on a copy of the sound folder after `damage`. */
async function checkDamaged(
  damage: (folder: string) => void | Promise<void>,
): Promise<{ code: number; text: string }> {
  const copy = temporaryFolder();
  fs.cpSync(sound, copy, { recursive: true });
  await damage(copy);
  const report = await check(copy);
  fs.rmSync(copy, { recursive: true, force: true });
  return report;
}

async function changeManifest(
  folder: string,
  change: (manifest: IndexManifest) => IndexManifest,
): Promise<void> {
  const store = await RocksDbStore.open(path.join(folder, 'rocksdb-3'));
  const key = encodeKey('index', 0);
  const bytes = await store.get(key);
  await store.write([put(key, encodeManifest(change(decodeManifest(bytes ?? new Uint8Array()))))]);
  await store.close();
}

const firstSegment = (folder: string) => {
  const place = path.join(folder, 'indexes', '0');
  const names = fs.readdirSync(place).map((name) => path.join(place, name));
  return names.sort((a, b) => fs.statSync(b).size - fs.statSync(a).size)[0] ?? '';
};

describe('check-index', () => {
  it('finds a folder sound and counts its documents', async () => {
    const { code, text } = await check(sound);
    expect(text).toMatch(/index films \(folder 0, generation \d\): 399 documents in [34] segments/);
    expect(text).toContain('index empty');
    expect(text.endsWith('sound')).toBe(true);
    expect(code).toBe(0);
  });

  it('is a program that prints the report and exits with the code', () => {
    const program = path.join(DIST, 'scripts/check-index.js');
    const { status, stdout } = spawnSync(process.execPath, [program, sound], { encoding: 'utf8' });
    expect([status, stdout.trim().endsWith('sound')]).toEqual([0, true]);
  });

  it('names a segment with a changed byte, wherever it is', async () => {
    for (const share of [0.1, 0.5, 0.9]) {
      const { code, text } = await checkDamaged((folder) => {
        const file = firstSegment(folder);
        const bytes = fs.readFileSync(file);
        const at = Math.floor(bytes.length * share);
        bytes[at] = (bytes[at] ?? 0) ^ 0x40;
        fs.writeFileSync(file, bytes);
      });
      expect(code).toBe(1);
      expect(text).toMatch(/PROBLEM segment .*damaged/);
    }
  });

  it('names missing, cut and orphan files', async () => {
    const missing = await checkDamaged((folder) => fs.rmSync(firstSegment(folder)));
    expect(missing.text).toMatch(/PROBLEM segment \S+, \S+: the file cannot be opened/);
    const cut = await checkDamaged((folder) => fs.truncateSync(firstSegment(folder), 100));
    expect(cut.text).toMatch(/the file has 100 bytes, the manifest says \d+/);
    const noFolder = await checkDamaged((folder) =>
      fs.rmSync(path.join(folder, 'indexes', '0'), { recursive: true }),
    );
    expect(noFolder).toMatchObject({
      code: 1,
      text: expect.stringMatching(/its folder .* is missing/),
    });
    const more = await checkDamaged((folder) => {
      fs.writeFileSync(path.join(folder, 'indexes', '0', 'other.seg'), '');
      fs.mkdirSync(path.join(folder, 'indexes', '99'));
    });
    expect(more.code).toBe(0);
    expect(more.text).toContain('orphan file indexes/0/other.seg');
    expect(more.text).toContain('orphan folder indexes/99');
  });

  it('names documents that live twice, lost tombstones and wrong counts', async () => {
    const revived = await checkDamaged((folder) =>
      changeManifest(folder, (manifest) => ({
        ...manifest,
        segments: manifest.segments.map((segment) => ({
          ...segment,
          deadCount: 0,
          tombstones: null,
        })),
      })),
    );
    expect(revived.code).toBe(1);
    expect(revived.text).toMatch(/DocId \d+ lives in segment \S+ too/);
    expect(revived.text).toMatch(/document "1\d\d" lives in segment \S+ too/);
    const counts = await checkDamaged((folder) =>
      changeManifest(folder, (manifest) => ({
        ...manifest,
        segments: manifest.segments.map((segment, i) =>
          i === 0 ? { ...segment, deadCount: 1, documentCount: 7 } : segment,
        ),
      })),
    );
    expect(counts.text).toMatch(/the file has 400 documents, the manifest says 7/);
    expect(counts.text).toMatch(/it has 52 tombstones, the manifest counts 1/);
    const foreign = await checkDamaged((folder) =>
      changeManifest(folder, (manifest) => ({
        ...manifest,
        segments: manifest.segments.map((segment) =>
          segment.documentCount === 1
            ? { ...segment, deadCount: 1, tombstones: encodeDocIds(fromArray([0], 32)) }
            : segment,
        ),
      })),
    );
    expect(foreign.text).toMatch(/1 tombstones are of documents that it does not hold/);
  });

  it('says why a folder cannot be checked', async () => {
    expect(await check('/nowhere/at/all')).toMatchObject({
      code: 2,
      text: expect.stringContaining('the folder /nowhere/at/all does not exist'),
    });
    const store = await RocksDbStore.open(path.join(sound, 'rocksdb-3'));
    expect(await check(sound)).toMatchObject({
      code: 2,
      text: expect.stringContaining('already in use'),
    });
    await store.close();
  });
});

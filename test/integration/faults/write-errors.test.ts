/**
 * The system refuses one call to the folder of segments, at every call in turn, with every error
 * that it has for that: the task fails with the code of the cause, nothing of its batch is to be
 * seen, no file is left, and the next write succeeds.
 */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Directory } from '../../../src/engine/segment/directory.ts';
import { fileNamesOf } from '../../../src/model/index-manifest.ts';
import type { TaskDraft } from '../../../src/model/task.ts';
import { openFolder } from '../../../src/storage/files/fs-directory.ts';
import { inProcessWriters } from '../../support/in-process-writers.ts';
import {
  drafts,
  type Harness,
  harnessOfTest,
  temporaryFolder,
} from '../../support/indexer-harness.ts';
import { isLongRun } from '../../support/run-length.ts';

const { add, remove, settings } = drafts;
const films = (first: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: first + i, title: `Film ${first + i}`, year: i }));

const WORKLOAD: readonly TaskDraft[] = [
  add('films', films(0, 30)),
  add('films', films(20, 30)),
  settings('films', { filterableAttributes: ['year'] }),
  remove('films', ['3', '25']),
  settings('films', { stopWords: ['film'] }),
];

const CODES = {
  ENOSPC: 'no_space_left_on_device',
  EIO: 'io_error',
  EMFILE: 'too_many_open_files',
} as const;
type Errno = keyof typeof CODES;

/** Counts the calls to all directories of a run, and fails one of them. */
class Faults {
  calls = 0;
  readonly #at: number;
  readonly #errno: Errno;

  constructor(at: number, errno: Errno) {
    this.#at = at;
    this.#errno = errno;
  }

  call<T>(work: () => T): T {
    this.calls += 1;
    if (this.calls !== this.#at) return work();
    throw Object.assign(new Error(`${this.#errno}: made to fail`), { code: this.#errno });
  }

  wrap(inner: Directory): Directory {
    return {
      create: (name, parts) => this.call(() => inner.create(name, parts)),
      createMany: (files) => this.call(() => inner.createMany(files)),
      open: (name) => this.call(() => inner.open(name)),
      list: () => inner.list(),
      remove: (name) => inner.remove(name),
    };
  }
}

/** Sends the workload task by task, each that failed once more. */
async function run(faults: Faults): Promise<{ harness: Harness; codes: string[] }> {
  const harness = await harnessOfTest({
    dataDir: temporaryFolder(),
    openWriter: inProcessWriters(
      2,
      () => undefined,
      (location) => faults.wrap(openFolder(location)),
    ),
  });
  harness.service.start();
  const codes: string[] = [];
  for (const draft of WORKLOAD) {
    const [task] = await harness.run(draft);
    if (task?.status === 'succeeded') continue;
    codes.push(task?.error?.code ?? 'none');
    const [again] = await harness.run(draft);
    expect(again?.status).toBe('succeeded');
  }
  return { harness, codes };
}

/** Until no merge is under way, what the folder holds and what the manifest names. */
async function outcome({ harness }: { harness: Harness }) {
  await harness.service.drain();
  const manifest = harness.manifest('films');
  if (manifest === null) throw new Error('no index');
  const folder = path.join(harness.dataDir, 'indexes', String(manifest.id));
  const live = manifest.segments.reduce((sum, one) => sum + one.documentCount - one.deadCount, 0);
  return {
    live,
    settings: manifest.settings,
    onDisk: fs.readdirSync(folder).sort(),
    named: [...fileNamesOf(manifest.segments)].sort(),
  };
}

describe('a folder that refuses a call', () => {
  it('fails the task that needed it, and nothing else, at each call and for each reason', async () => {
    const without = new Faults(0, 'EIO');
    const plain = await run(without);
    const expected = await outcome(plain);
    expect(plain.codes).toEqual([]);
    expect(expected.live).toBe(48);
    expect(without.calls).toBeGreaterThan(8);
    let failures = 0;
    for (const [i, errno] of (Object.keys(CODES) as Errno[]).entries()) {
      for (let at = 1; at <= without.calls; at++) {
        // `npm test` has one reason for each call.
        if (!isLongRun && at % 3 !== i) continue;
        const done = await run(new Faults(at, errno));
        for (const code of done.codes) expect(code, `${errno} at call ${at}`).toBe(CODES[errno]);
        failures += done.codes.length;
        expect(done.harness.fatal).toEqual([]);
        const { live, settings: after, onDisk, named } = await outcome(done);
        expect({ live, after }).toEqual({ live: expected.live, after: expected.settings });
        expect(onDisk, `${errno} at call ${at}`).toEqual(named);
      }
    }
    expect(failures).toBeGreaterThan(isLongRun ? 10 : 3);
  });
});

/**
 * The disk refuses writes of merges only: tasks go on, the merge is retried at intervals, logged
 * once, leaves no file, and succeeds when there is space again.
 */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { Directory } from '../../../src/engine/segment/directory.ts';
import { fileNamesOf } from '../../../src/model/index-manifest.ts';
import { openFolder } from '../../../src/storage/files/fs-directory.ts';
import { inProcessWriters } from '../../support/in-process-writers.ts';
import { drafts, harnessOfTest, temporaryFolder } from '../../support/indexer-harness.ts';

/** Only merges write files one by one, so only they find the disk full. */
class FullDisk {
  isFull = true;
  attempts = 0;

  wrap(inner: Directory): Directory {
    return {
      create: (name, parts) => {
        this.attempts += 1;
        if (this.isFull) throw Object.assign(new Error('made to fail'), { code: 'ENOSPC' });
        inner.create(name, parts);
      },
      createMany: (files) => inner.createMany(files),
      open: (name) => inner.open(name),
      list: () => inner.list(),
      remove: (name) => inner.remove(name),
    };
  }
}

it('a merge that finds the disk full is put off, until there is room', async () => {
  const disk = new FullDisk();
  const harness = await harnessOfTest({
    dataDir: temporaryFolder(),
    openWriter: inProcessWriters(
      1,
      () => undefined,
      (location) => disk.wrap(openFolder(location)),
    ),
    limits: { mergeRetry: { firstMs: 1, maxMs: 8 } },
  });
  harness.service.start();
  for (let id = 0; id < 6; id++) {
    const [task] = await harness.run(drafts.add('films', [{ id, title: `Film ${id}` }]));
    expect(task?.status).toBe('succeeded');
  }
  await expect.poll(() => disk.attempts).toBeGreaterThan(4);
  const told = harness.logged.filter((line) => /not merged now.*made to fail.*free/.test(line));
  expect(told.length).toBeGreaterThan(1);
  const manifest = () => harness.manifest('films');
  expect(manifest()?.segments).toHaveLength(6);

  disk.isFull = false;
  await expect.poll(() => manifest()?.segments.length).toBe(1);
  const folder = path.join(harness.dataDir, 'indexes', String(manifest()?.id));
  const named = () => [...fileNamesOf(manifest()?.segments ?? [])].sort();
  await expect.poll(() => fs.readdirSync(folder).sort()).toEqual(named());
});

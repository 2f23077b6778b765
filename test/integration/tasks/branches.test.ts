/** Branches of an index: the same bytes under names of their own. Writers are fakes, files are real. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileNamesOf, ruleNamesOf } from '../../../src/model/index-manifest.ts';
import type { TaskDraft } from '../../../src/model/task.ts';
import { drafts, type Harness, harnessOfTest } from '../../support/indexer-harness.ts';

const { add, remove, drop, settings, create } = drafts;
const branch = (
  source: string,
  indexUid: string,
  changes: Pick<Extract<TaskDraft, { readonly type: 'indexBranch' }>, 'settings'> = {},
): TaskDraft => ({ type: 'indexBranch', indexUid, source, ...changes });

async function start(): Promise<Harness> {
  const harness = await harnessOfTest();
  harness.service.start();
  return harness;
}

/** Inode of each file of the index, by name. */
function inodesOf({ dataDir, manifest }: Harness, uid: string): Record<string, number> {
  const found = manifest(uid);
  if (found === null) throw new Error(`no index ${uid}`);
  const folder = path.join(dataDir, 'indexes', String(found.id));
  return Object.fromEntries(
    fileNamesOf(found.segments).map((name) => [name, fs.statSync(path.join(folder, name)).ino]),
  );
}

const idsOf = (harness: Harness, uid: string) =>
  harness.documents(uid).map(({ id }) => id as number);

describe('a branch', () => {
  it('has documents, settings and the very files of its source', async () => {
    const harness = await start();
    await harness.run(settings('a', { synonyms: { sea: ['ocean'] } }));
    for (const id of [1, 2, 3]) await harness.run(add('a', [{ id }]));
    await harness.run(remove('a', ['2']));
    const [task] = await harness.run(branch('a', 'b'));
    expect(task).toMatchObject({
      status: 'succeeded',
      type: 'indexBranch',
      indexUid: 'b',
      details: { source: 'a', documents: 2 },
    });
    expect(idsOf(harness, 'b')).toEqual([1, 3]);
    expect(harness.manifest('b')).toMatchObject({
      primaryKey: 'id',
      settings: { synonyms: { sea: ['ocean'] } },
    });
    expect(inodesOf(harness, 'b')).toEqual(inodesOf(harness, 'a'));
  });

  it('and its source change, and are deleted, independently', async () => {
    const harness = await start();
    for (const id of [1, 2, 3]) await harness.run(add('a', [{ id }]));
    await harness.run(branch('a', 'b'));
    await harness.run(add('b', [{ id: 9 }]), remove('a', ['1']));
    expect(idsOf(harness, 'a')).toEqual([2, 3]);
    expect(idsOf(harness, 'b')).toEqual([1, 2, 3, 9]);
    await harness.run({ type: 'indexCompaction', indexUid: 'a' }, drop('a'), branch('b', 'c'));
    await harness.run(drop('b'));
    expect(idsOf(harness, 'c')).toEqual([1, 2, 3, 9]);
    expect(Object.keys(inodesOf(harness, 'c'))).not.toEqual([]);
  });

  it('copies what was there when its turn came', async () => {
    const harness = await start();
    await harness.run(add('a', [{ id: 1 }]));
    await harness.run(add('a', [{ id: 2 }]), branch('a', 'b'), add('a', [{ id: 3 }]));
    expect(idsOf(harness, 'b')).toEqual([1, 2]);
    expect(idsOf(harness, 'a')).toEqual([1, 2, 3]);
  });

  it('has its own settings from its first commit on, and no file that they replaced', async () => {
    const harness = await start();
    await harness.run(settings('a', { synonyms: { sea: ['ocean'] }, stopWords: ['the'] }));
    for (const id of [1, 2]) await harness.run(add('a', [{ id }]));
    const [task] = await harness.run(
      branch('a', 'b', { settings: { sortableAttributes: ['id'], stopWords: null } }),
    );
    expect(task).toMatchObject({
      status: 'succeeded',
      details: {
        source: 'a',
        documents: 2,
        settings: { sortableAttributes: ['id'], stopWords: null },
      },
    });
    expect(harness.manifest('b')?.settings).toMatchObject({
      synonyms: { sea: ['ocean'] },
      sortableAttributes: ['id'],
      stopWords: [],
    });
    expect(harness.manifest('a')?.settings.stopWords).toEqual(['the']);
    expect(idsOf(harness, 'b')).toEqual([1, 2]);
    const folder = path.join(harness.dataDir, 'indexes', String(harness.manifest('b')?.id));
    expect(fs.readdirSync(folder).sort()).toEqual(Object.keys(inodesOf(harness, 'b')).sort());
  });

  it('whose documents do not fit its settings fails and leaves nothing', async () => {
    const harness = await start();
    await harness.run(add('a', [{ id: 1 }]));
    const folders = () => fs.readdirSync(path.join(harness.dataDir, 'indexes'));
    const before = folders();
    const [task] = await harness.run(
      branch('a', 'b', { settings: { dictionary: ['impossible'] } }),
    );
    expect(task).toMatchObject({
      status: 'failed',
      error: { code: 'invalid_document_geo_field' },
      details: { documents: null },
    });
    expect(harness.manifest('b')).toBeNull();
    expect(folders()).toEqual(before);
  });

  it('has the names of the indexes that it comes from, for their search rules', async () => {
    const harness = await start();
    await harness.run(add('a', [{ id: 1 }]), branch('a', 'b'), branch('b', 'c'));
    await harness.run(add('c', [{ id: 2 }]), drop('a'));
    const names = ['a', 'b', 'c'].map((uid) => {
      const manifest = harness.manifest(uid);
      return manifest && ruleNamesOf(manifest);
    });
    expect(names).toEqual([null, ['b', 'a'], ['c', 'b', 'a']]);
  });

  it('of an empty index is an empty index', async () => {
    const harness = await start();
    await harness.run(create('a', 'key'), branch('a', 'b'));
    expect(harness.manifest('b')).toMatchObject({ primaryKey: 'key', segments: [] });
  });

  it.each<[string, TaskDraft, string]>([
    ['without a source', branch('absent', 'b'), 'index_not_found'],
    ['with the name of an index', branch('a', 'taken'), 'index_already_exists'],
    ['with the name of its source', branch('a', 'a'), 'index_already_exists'],
  ])('%s fails and leaves nothing', async (_, draft, code) => {
    const harness = await start();
    await harness.run(add('a', [{ id: 1 }]), create('taken'));
    const folders = () => fs.readdirSync(path.join(harness.dataDir, 'indexes'));
    const before = folders();
    const [task] = await harness.run(draft);
    expect(task).toMatchObject({ status: 'failed', error: { code }, details: { documents: null } });
    expect(folders()).toEqual(before);
    expect(idsOf(harness, 'a')).toEqual([1]);
  });

  it('on a file system without hard links fails, and says what to use', async () => {
    const harness = await start();
    await harness.run(add('a', [{ id: 1 }]));
    const names = fileNamesOf(harness.manifest('a')?.segments ?? []);
    const folder = path.join(harness.dataDir, 'indexes', '0');
    for (const name of names) {
      fs.rmSync(path.join(folder, name));
      fs.mkdirSync(path.join(folder, name));
    }
    const [task] = await harness.run(branch('a', 'b'));
    expect(task).toMatchObject({ status: 'failed', error: { code: 'io_error' } });
    expect(harness.manifest('b')).toBeNull();
  });
});

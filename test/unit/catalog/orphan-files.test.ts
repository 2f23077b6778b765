/** Files that no manifest names: removed at start, and while the server runs if unused. */
import { describe, expect, it } from 'vitest';
import { newManifest } from '../../../src/catalog/manifest.ts';
import {
  OrphanFilesWatch,
  orphanFiles,
  removeOrphanFiles,
} from '../../../src/catalog/orphan-files.ts';
import type { IndexManifest } from '../../../src/model/index-manifest.ts';
import { FakeIndexFiles } from '../../support/fake-index-files.ts';
import { segmentEntry } from '../../support/segment-entry.ts';

const manifest = (id: number, ...segmentIds: string[]): IndexManifest => ({
  ...newManifest(`i${id}`, id, null, 'now'),
  segments: segmentIds.map((segmentId) => segmentEntry(segmentId)),
});

describe('orphan files', () => {
  it('are those that no manifest names, unfinished ones too', () => {
    const files = new FakeIndexFiles({
      1: ['a.seg', 'a.col', 'x.col', 'b.seg', 'b.col.tmp'],
      2: ['c.seg'],
      3: ['d.seg'],
    });
    const columns = ['a.col', 'x.col'].map((name) => ({
      component: 'columns',
      name,
      covers: [],
      bytes: 1,
    }));
    const withColumns = { ...segmentEntry('a'), files: [...segmentEntry('a').files, ...columns] };
    const manifests = [{ ...manifest(1), segments: [withColumns] }, manifest(2, 'c', 'missing')];
    const orphans = ['b.seg', 'b.col.tmp'].map((name) => ({ indexId: 1, name }));
    expect(orphanFiles(files, manifests)).toEqual({ indexIds: [3], files: orphans });
    expect(removeOrphanFiles(files, manifests)).toBe(3);
    expect(orphanFiles(files, manifests)).toEqual({ indexIds: [], files: [] });
    expect(files.fileNames(1)).toEqual(['a.seg', 'a.col', 'x.col']);
  });

  it('are removed while the server runs when two checks in a row find them unused', () => {
    const files = new FakeIndexFiles({ 1: ['a.seg', 'lost.seg', 'merging.seg'], 2: ['b.seg'] });
    const needed = new Set(['1/merging.seg']);
    const watch = new OrphanFilesWatch({
      files,
      manifestOf: (id) => (id === 1 ? manifest(1, 'a') : null),
      isNeeded: (id, name) => needed.has(`${id}/${name ?? ''}`),
    });
    const sweep = () => watch.sweep();
    expect(sweep()).toEqual([]);
    expect(files.fileNames(1)).toHaveLength(3);
    expect(sweep().sort()).toEqual(['1/lost.seg', '2']);
    expect(files.fileNames(1)).toEqual(['a.seg', 'merging.seg']);
    needed.clear();
    expect(sweep()).toEqual([]);
    needed.add('1/merging.seg');
    expect(sweep()).toEqual([]);
    needed.clear();
    sweep();
    expect(sweep()).toEqual(['1/merging.seg']);
  });

  it('stay, and are tried again, while the system refuses to remove them', () => {
    const files = new FakeIndexFiles({ 1: ['lost.seg'] });
    const all = { files, manifestOf: (id: number) => manifest(id), isNeeded: () => false };
    const watch = new OrphanFilesWatch(all);
    files.refusing = true;
    const sweep = () => watch.sweep();
    expect([sweep(), sweep()]).toEqual([[], []]);
    files.refusing = false;
    expect(sweep()).toEqual(['1/lost.seg']);
  });

  it('are looked for in some folders at a time, each twice before anything goes', () => {
    const files = new FakeIndexFiles({ 1: ['lost.seg'], 2: ['lost.seg'], 3: ['lost.seg'] });
    const all = { files, manifestOf: (id: number) => manifest(id), isNeeded: () => false };
    const watch = new OrphanFilesWatch({ ...all, foldersAtOnce: 2 });
    const sweep = () => {
      const removed = watch.sweep();
      return [removed, watch.isLooking];
    };
    expect([sweep(), sweep()]).toEqual([
      [[], true],
      [[], false],
    ]);
    expect([sweep(), sweep()]).toEqual([
      [['1/lost.seg', '2/lost.seg'], true],
      [['3/lost.seg'], false],
    ]);
  });
});

/** Files that no manifest names are removed at start. */
import { describe, expect, it } from 'vitest';
import { newManifest } from '../../../src/catalog/manifest.ts';
import { orphanFiles, removeOrphanFiles } from '../../../src/catalog/orphan-files.ts';
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
});

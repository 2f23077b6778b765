/** Decisions about manifests and the files they no longer name. */
import { describe, expect, it } from 'vitest';
import { liveDocumentCount, newManifest, segmentBytes, segmentsAfterMerge } from '../../../src/catalog/manifest.ts';
import { RetiredFiles, removeUnreferencedFiles, unreferencedFiles } from '../../../src/catalog/retired-files.ts';
import type { IndexManifest, SegmentEntry } from '../../../src/model/index-manifest.ts';
import type { IndexFiles } from '../../../src/storage/index-files.ts';

const segment = (id: string, documentCount = 3, deadCount = 0): SegmentEntry => ({
  id,
  documentCount,
  deadCount,
  bytes: 10,
  tombstones: null,
});
const manifest = (id: number, ...segments: SegmentEntry[]): IndexManifest => ({
  ...newManifest(`i${id}`, id, null, 'now'),
  segments,
});
const ids = (segments: readonly SegmentEntry[] | null) => segments?.map(({ id }) => id) ?? null;

/** Files in a map of folders. */
class FakeFiles implements IndexFiles {
  readonly folders: Map<number, Set<string>>;
  refusing = false;
  constructor(folders: Record<number, string[]>) {
    this.folders = new Map(Object.entries(folders).map(([id, names]) => [Number(id), new Set(names)]));
  }
  createFolder = (id: number) => String(id);
  indexIds = () => [...this.folders.keys()];
  fileNames = (id: number) => [...(this.folders.get(id) ?? [])];
  removeFile = (id: number, name: string) => !this.refusing && (this.folders.get(id)?.delete(name), true);
  removeIndex = (id: number) => !this.refusing && (this.folders.delete(id), true);
  removeUnfinished = () => undefined;
}

describe('counts', () => {
  it('leave the dead out', () => {
    const index = manifest(0, segment('a', 5, 2), segment('b', 4, 4));
    expect(liveDocumentCount(index)).toBe(3);
    expect(segmentBytes(index)).toBe(20);
  });
});

describe('segments after a merge', () => {
  const index = manifest(0, segment('a'), segment('b'), segment('c'), segment('d'));

  it('have the output in the place of the first input', () => {
    expect(ids(segmentsAfterMerge(index, ['b', 'd'], segment('new')))).toEqual(['a', 'new', 'c']);
    expect(ids(segmentsAfterMerge(index, ['c'], segment('new')))).toEqual(['a', 'b', 'new', 'd']);
  });

  it('have no output that holds no living document', () => {
    expect(ids(segmentsAfterMerge(index, ['b', 'c'], null))).toEqual(['a', 'd']);
    expect(ids(segmentsAfterMerge(index, ['b', 'c'], segment('new', 2, 2)))).toEqual(['a', 'd']);
  });

  it('are none when an input is gone', () => {
    expect(segmentsAfterMerge(index, ['a', 'gone'], segment('new'))).toBeNull();
  });
});

describe('retired files', () => {
  const none = { published: [], removed: [], retiredFiles: [], deletedIndexIds: [] };
  const retired = (name: string, generation: number) => ({
    ...none,
    retiredFiles: [{ indexId: 1, name, generation }],
  });

  it('go when every front reads a generation that does not name them', () => {
    const files = new FakeFiles({ 1: ['a', 'b', 'c'] });
    const waiting = new RetiredFiles(files, 1000);
    waiting.retire(retired('a', 4), 0);
    waiting.retire(retired('b', 6), 0);
    waiting.sweep(1, () => 3);
    expect(files.fileNames(1)).toEqual(['a', 'b', 'c']);
    waiting.sweep(1, () => 5);
    expect(files.fileNames(1)).toEqual(['b', 'c']);
    waiting.sweep(1, () => Number.POSITIVE_INFINITY);
    expect(files.fileNames(1)).toEqual(['c']);
    expect(waiting.count).toBe(0);
  });

  it('go after the grace period whatever fronts say, and are tried again when the system refuses', () => {
    const files = new FakeFiles({ 1: ['a'], 2: ['b'] });
    const waiting = new RetiredFiles(files, 1000);
    waiting.retire(retired('a', 4), 0);
    waiting.retire({ ...none, deletedIndexIds: [2] }, 500);
    waiting.sweep(999, () => 0);
    expect(waiting.count).toBe(2);
    files.refusing = true;
    waiting.sweep(2000, () => 0);
    expect(waiting.count).toBe(2);
    files.refusing = false;
    waiting.sweep(2001, () => 0);
    expect(files.indexIds()).toEqual([1]);
    expect(files.fileNames(1)).toEqual([]);
  });

  it('of a deleted index go with its folder', () => {
    const files = new FakeFiles({ 1: ['a', 'b'] });
    const waiting = new RetiredFiles(files, 1000);
    waiting.retire(retired('a', 4), 0);
    waiting.retire({ ...none, deletedIndexIds: [1] }, 0);
    waiting.sweep(0, () => Number.POSITIVE_INFINITY);
    expect(files.indexIds()).toEqual([]);
    expect(waiting.count).toBe(0);
  });
});

describe('unreferenced files', () => {
  it('are those that no manifest names', () => {
    const files = new FakeFiles({ 1: ['a.seg', 'a.col', 'x.col', 'b.seg', 'b.col'], 2: ['c.seg'], 3: ['d.seg'] });
    const columns = ['a', 'x'].map((id) => ({ id, patterns: [id], bytes: 1 }));
    const manifests = [manifest(1, { ...segment('a'), columns }), manifest(2, segment('c'), segment('missing'))];
    const unnamed = ['b.seg', 'b.col'].map((name) => ({ indexId: 1, name }));
    expect(unreferencedFiles(files, manifests)).toEqual({ indexIds: [3], files: unnamed });
    expect(removeUnreferencedFiles(files, manifests)).toBe(3);
    expect(unreferencedFiles(files, manifests)).toEqual({ indexIds: [], files: [] });
    expect(files.fileNames(1)).toEqual(['a.seg', 'a.col', 'x.col']);
  });
});

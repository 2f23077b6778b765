/** Decisions about manifests and the files they no longer name. */
import { describe, expect, it } from 'vitest';
import { newManifest, segmentBytes } from '../../../src/catalog/manifest.ts';
import { ObsoleteFiles } from '../../../src/catalog/obsolete-files.ts';
import type { IndexManifest, SegmentEntry } from '../../../src/model/index-manifest.ts';
import { liveDocumentCount } from '../../../src/model/index-manifest.ts';
import { FakeIndexFiles } from '../../support/fake-index-files.ts';
import { segmentEntry } from '../../support/segment-entry.ts';

const segment = (id: string, documentCount = 3, deadCount = 0): SegmentEntry => ({
  ...segmentEntry(id, documentCount, 10),
  deadCount,
});
const manifest = (id: number, ...segments: SegmentEntry[]): IndexManifest => ({
  ...newManifest(`i${id}`, id, null, 'now'),
  segments,
});

describe('counts', () => {
  it('leave the dead out', () => {
    const index = manifest(0, segment('a', 5, 2), segment('b', 4, 4));
    expect(liveDocumentCount(index)).toBe(3);
    expect(segmentBytes(index)).toBe(20);
  });
});

describe('obsolete files', () => {
  const none = {
    published: [],
    removed: [],
    obsoleteFiles: [],
    deletedBytes: new Map<number, number>(),
  };
  const obsolete = (name: string, generation: number) => ({
    ...none,
    obsoleteFiles: [{ indexId: 1, name, generation, bytes: 10 }],
  });

  it('go when every front reads a generation that does not name them', () => {
    const files = new FakeIndexFiles({ 1: ['a', 'b', 'c'] });
    const waiting = new ObsoleteFiles(files, 1000);
    waiting.add(obsolete('a', 4), 0);
    waiting.add(obsolete('b', 6), 0);
    waiting.sweep(1, () => 3);
    expect(files.fileNames(1)).toEqual(['a', 'b', 'c']);
    waiting.sweep(1, () => 5);
    expect(files.fileNames(1)).toEqual(['b', 'c']);
    waiting.sweep(1, () => Number.POSITIVE_INFINITY);
    expect(files.fileNames(1)).toEqual(['c']);
    expect(waiting.count).toBe(0);
  });

  it('go after the grace period whatever fronts say, and are tried again when the system refuses', () => {
    const files = new FakeIndexFiles({ 1: ['a'], 2: ['b'] });
    const waiting = new ObsoleteFiles(files, 1000);
    waiting.add(obsolete('a', 4), 0);
    waiting.add({ ...none, deletedBytes: new Map([[2, 7]]) }, 500);
    expect(waiting.bytes).toBe(17);
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
    const files = new FakeIndexFiles({ 1: ['a', 'b'] });
    const waiting = new ObsoleteFiles(files, 1000);
    waiting.add(obsolete('a', 4), 0);
    waiting.add({ ...none, deletedBytes: new Map([[1, 7]]) }, 0);
    expect(waiting.bytes).toBe(17);
    waiting.sweep(0, () => Number.POSITIVE_INFINITY);
    expect(files.indexIds()).toEqual([]);
    expect(waiting.bytes).toBe(0);
    expect(waiting.count).toBe(0);
  });
});

import { describe, expect, it } from 'vitest';
import type { Directory, MappedFile } from '../../../../src/engine/segment/directory.ts';
import {
  encodeManifest,
  fileNamesOf,
  type IndexManifest,
} from '../../../../src/model/index-manifest.ts';
import { SnapshotCache } from '../../../../src/search/snapshot/snapshot-cache.ts';
import { TestIndex } from '../../indexing/support.ts';

/** Records the open files. */
class WatchedDirectory implements Pick<Directory, 'open'> {
  readonly open: (name: string) => MappedFile;
  readonly opened: string[] = [];
  constructor(directory: Directory) {
    this.open = (name) => {
      const file = directory.open(name);
      this.opened.push(name);
      return { ...file, close: () => void this.opened.splice(this.opened.indexOf(name), 1) };
    };
  }
}

const manifestOf = (index: TestIndex): SharedArrayBuffer => sharedManifest(index.manifest);

function sharedManifest(manifest: IndexManifest): SharedArrayBuffer {
  const bytes = encodeManifest(manifest);
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  return shared;
}

describe('SnapshotCache', () => {
  it('opens each file of the newest generation once', async () => {
    const index = new TestIndex({ settings: { filterableAttributes: ['year'] } });
    const watched = new WatchedDirectory(index.directory);
    const cache = new SnapshotCache(() => watched as unknown as Directory, 1 << 20);
    const show = () =>
      cache.get(`1:${index.manifest.generation}`, manifestOf(index), index.location);
    await index.apply(index.upsert([{ id: 1, year: 2000, tag: 'a' }]));
    await index.apply(index.upsert([{ id: 2, year: 2001, tag: 'b' }]));
    const before = show();
    expect(watched.opened.sort()).toEqual(fileNamesOf(index.manifest.segments).sort());
    expect(watched.opened).toHaveLength(4);
    await index.applySettings({ filterableAttributes: ['year', 'tag'] });
    const after = show();
    expect(watched.opened).toHaveLength(6);
    expect(after.columns[0]?.[0]).toBe(before.columns[0]?.[0]);
    expect(after.columns.map((files) => files.map(({ paths }) => paths))).toEqual([
      [['year'], ['tag']],
      [['year'], ['tag']],
    ]);
    await index.applySettings({ filterableAttributes: ['tag'] });
    show();
    expect(watched.opened.sort()).toEqual(fileNamesOf(index.manifest.segments).sort());
    expect(watched.opened).toHaveLength(4);
  });

  it('reuses the analyzer of an older generation while the settings are unchanged', async () => {
    const index = new TestIndex({ settings: {} });
    const cache = new SnapshotCache(() => index.directory, 1 << 20);
    const show = () =>
      cache.get(`1:${index.manifest.generation}`, manifestOf(index), index.location);
    await index.apply(index.upsert([{ id: 1, text: 'a' }]));
    const first = show();
    await index.apply(index.upsert([{ id: 2, text: 'b' }]));
    const second = show();
    expect(second.analyzer).toBe(first.analyzer);
    expect(second.live.count).toBe(2);
    await index.applySettings({ stopWords: ['the'] });
    const third = show();
    expect(third.analyzer).not.toBe(second.analyzer);
    expect(third.analyzer.tokenize('the', null)[0]?.kind).not.toBe(
      second.analyzer.tokenize('the', null)[0]?.kind,
    );
  });

  it('decodes deleted documents again only for segments with new ones', async () => {
    const index = new TestIndex({ settings: {} });
    const cache = new SnapshotCache(() => index.directory, 1 << 20);
    const show = () =>
      cache.get(`1:${index.manifest.generation}`, manifestOf(index), index.location);
    await index.apply(index.upsert([1, 2, 3].map((id) => ({ id, text: 'a' }))));
    await index.apply(index.upsert([4, 5, 6].map((id) => ({ id, text: 'a' }))));
    await index.apply(index.upsert([{ id: 1 }, { id: 4 }]));
    const first = show();
    await index.apply(index.upsert([{ id: 2 }]));
    const second = show();
    expect(second.dead[0]).not.toEqual(first.dead[0]);
    expect(second.dead[1]).toBe(first.dead[1]);
    expect(second.dead[1]).not.toBeNull();
    expect(second.live.count).toBe(6);
  });

  it('closes all opened files when a columns file is missing', async () => {
    const index = new TestIndex({ settings: { filterableAttributes: ['year'] } });
    await index.apply(index.upsert([{ id: 1, year: 2000 }]));
    const watched = new WatchedDirectory(index.directory);
    const cache = new SnapshotCache(() => watched as unknown as Directory, 1 << 20);
    for (const name of index.directory.list())
      if (name.endsWith('.col')) index.directory.remove(name);
    expect(() => cache.get('1:2', manifestOf(index), index.location)).toThrow();
    expect(watched.opened).toEqual([]);
  });

  it('closes no snapshot that a read has got before the read ends', async () => {
    const index = new TestIndex({ settings: {} });
    const watched = new WatchedDirectory(index.directory);
    const cache = new SnapshotCache(() => watched as unknown as Directory, 1 << 20);
    await index.apply(index.upsert([{ id: 1, text: 'a' }]));
    const fileCount = fileNamesOf(index.manifest.segments).length;
    const get = (id: number) =>
      cache.get(`${id}:1`, sharedManifest({ ...index.manifest, id }), index.location);
    const openedCount = cache.during(() => {
      const snapshots = Array.from({ length: 40 }, (_, id) => get(id));
      expect(snapshots.map(({ live }) => live.count)).toEqual(snapshots.map(() => 1));
      return watched.opened.length;
    });
    expect(openedCount).toBe(40 * fileCount);
    expect(watched.opened).toHaveLength(32 * fileCount);
    get(0);
    expect(watched.opened).toHaveLength(32 * fileCount);
  });

  it('opens a generation in advance only if an older one of its index is open', async () => {
    const index = new TestIndex({ settings: {} });
    const watched = new WatchedDirectory(index.directory);
    const cache = new SnapshotCache(() => watched as unknown as Directory, 1 << 20);
    const generation = () =>
      [`1:${index.manifest.generation}`, manifestOf(index), index.location] as const;
    await index.apply(index.upsert([{ id: 1, text: 'a' }]));
    cache.renew(...generation());
    expect(watched.opened).toEqual([]);
    cache.get(...generation());
    await index.apply(index.upsert([{ id: 2, text: 'b' }]));
    cache.renew(...generation());
    expect(watched.opened.sort()).toEqual(fileNamesOf(index.manifest.segments).sort());
    expect(cache.figures.openSnapshots).toBe(1);
    for (const name of index.directory.list()) index.directory.remove(name);
    expect(cache.get(...generation()).live.count).toBe(2);
  });
});

/**
 * Open segments of a thread: opened once, updated with their dead documents, closed when they are
 * no longer live.
 */
import { describe, expect, it } from 'vitest';
import { MemoryDirectory } from '../../../load-tests/bench/memory-directory.ts';
import type { Directory, MappedFile } from '../../../src/engine/segment/directory.ts';
import { encodeDocIds } from '../../../src/engine/sets/doc-ids.ts';
import { SegmentCache } from '../../../src/indexing/files/segment-cache.ts';
import type { SegmentEntry } from '../../../src/model/index-manifest.ts';
import { segmentEntry } from '../../support/segment-entry.ts';
import { SegmentFileBuilder } from '../../support/segment-file.ts';

const utf8 = new TextEncoder();

/** Records the open segments. */
class WatchedDirectory extends MemoryDirectory {
  readonly opened: string[] = [];
  readonly closed: string[] = [];
  override open(name: string): MappedFile {
    this.opened.push(name);
    return { ...super.open(name), close: () => void this.closed.push(name) };
  }
}

const INDEX = '/i';

function segmentIn(directory: Directory, id: string): SegmentEntry {
  const builder = new SegmentFileBuilder(id);
  for (const docId of [3, 40]) {
    builder.beginDocument(docId);
    builder.endDocument(utf8.encode(`d${docId}`), utf8.encode('{}'), []);
  }
  directory.create(`${id}.seg`, builder.finish());
  return segmentEntry(id, 2);
}

describe('SegmentCache', () => {
  it('opens a segment once, and reads its dead again when they change', () => {
    const directory = new WatchedDirectory();
    const cache = new SegmentCache(() => directory);
    const entry = segmentIn(directory, 'a');
    const [first] = cache.open(INDEX, [entry], []);
    expect(first?.dead).toBeNull();
    const [second] = cache.open(
      INDEX,
      [{ ...entry, deadCount: 1, tombstones: encodeDocIds(Uint32Array.of(8)) }],
      [],
    );
    expect(second?.reader).toBe(first?.reader);
    expect([...(second?.dead ?? [])]).toEqual([8, 0]);
    expect(directory.opened).toEqual(['a.seg']);
  });

  it('closes what is not live any more, and indexes that were not used for long', () => {
    const directory = new WatchedDirectory();
    const cache = new SegmentCache(() => directory);
    const a = segmentIn(directory, 'a');
    const b = segmentIn(directory, 'b');
    cache.open(INDEX, [a, b], []);
    cache.open(INDEX, [b], ['a', 'b']);
    expect(directory.closed).toEqual([]);
    cache.open(INDEX, [b], []);
    expect(directory.closed).toEqual(['a.seg']);
    for (let other = 0; other < 16; other++) cache.open(`other${other}`, [], []);
    expect(directory.closed).toEqual(['a.seg', 'b.seg']);
    cache.open(INDEX, [b], []);
    expect(directory.opened).toEqual(['a.seg', 'b.seg', 'b.seg']);
  });

  it('closes all files on demand, and opens them again', () => {
    const directory = new WatchedDirectory();
    const cache = new SegmentCache(() => directory);
    const a = segmentIn(directory, 'a');
    cache.open(INDEX, [a], []);
    cache.closeAll();
    expect(directory.closed).toEqual(['a.seg']);
    expect(cache.open(INDEX, [a], [])).toHaveLength(1);
    expect(directory.opened).toEqual(['a.seg', 'a.seg']);
  });
});

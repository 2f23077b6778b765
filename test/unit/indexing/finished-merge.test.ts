/** Result of a merge in an index that has changed while it ran. */
import { describe, expect, it } from 'vitest';
import { encodeDocIds } from '../../../src/engine/sets/doc-ids.ts';
import { encodeTombstones } from '../../../src/engine/sets/tombstones.ts';
import {
  type FinishedMerge,
  segmentsAfterMerge,
} from '../../../src/indexing/files/finished-merge.ts';
import type { SegmentEntry } from '../../../src/model/index-manifest.ts';
import { documentsFileOf, segmentEntry } from '../../support/segment-entry.ts';

/** Two documents each: 0 and 1 in the first, 2 and 3 in the second … */
const all = ['a', 'b', 'c', 'd'].map((id) => segmentEntry(id, 2));
const [a, b, c, d] = all as [SegmentEntry, SegmentEntry, SegmentEntry, SegmentEntry];
const bitsOf = (...docIds: number[]) =>
  Uint32Array.of(docIds.reduce((bits, docId) => bits | (1 << docId), 0));
const ids = (segments: readonly SegmentEntry[] | null) => segments?.map(({ id }) => id);

const mergeOf = (...entries: SegmentEntry[]): FinishedMerge => ({
  changeId: 'new',
  inputs: entries.map((entry) => {
    const first = all.findIndex(({ id }) => id === entry.id) * 2;
    return { entry, living: encodeDocIds(bitsOf(first, first + 1)) };
  }),
  output: segmentEntry('new-0', entries.length * 2),
  docIdWordCount: 1,
});

describe('segments after a merge', () => {
  it('have the output in the place of the first input', () => {
    expect(ids(segmentsAfterMerge(mergeOf(b, d), all))).toEqual(['a', 'new-0', 'c']);
    expect(ids(segmentsAfterMerge(mergeOf(c), all))).toEqual(['a', 'b', 'new-0', 'd']);
  });

  it('have the documents dead that died meanwhile, alone or with their segment', () => {
    const withDeath = { ...b, ...encodeTombstones(bitsOf(2)) };
    const after = segmentsAfterMerge(mergeOf(b, d), [a, withDeath, c]);
    expect(ids(after)).toEqual(['a', 'new-0', 'c']);
    expect(after?.[1]).toMatchObject(encodeTombstones(bitsOf(2, 6, 7)));
  });

  it('leave out what was dead when the merge began', () => {
    const before = { ...b, ...encodeTombstones(bitsOf(2)) };
    const inputs = [{ entry: before, living: encodeDocIds(bitsOf(3)) }];
    const merge = { ...mergeOf(), inputs, output: segmentEntry('new-0', 1) };
    expect(segmentsAfterMerge(merge, [a, before])?.[1]).toMatchObject({ deadCount: 0 });
    const later = { ...b, ...encodeTombstones(bitsOf(2, 3)) };
    expect(ids(segmentsAfterMerge(merge, [a, later]))).toEqual(['a']);
  });

  it('are none when no input is left, or one has other files', () => {
    expect(segmentsAfterMerge(mergeOf(b, c), [a, d])).toBeNull();
    const refitted = { ...b, files: [...b.files, documentsFileOf('x', 1)] };
    expect(segmentsAfterMerge(mergeOf(b, c), [a, refitted, c])).toBeNull();
  });

  it('are without the inputs when none of their documents was alive', () => {
    expect(ids(segmentsAfterMerge({ ...mergeOf(b, c), output: null }, all))).toEqual(['a', 'd']);
  });
});

/** Which segments a compaction combines. */
import { expect, it } from 'vitest';
import { DEFAULT_MERGE_POLICY, planCompaction } from '../../../src/indexing/files/merge-policy.ts';
import type { SegmentEntry } from '../../../src/model/index-manifest.ts';
import { documentsFileOf } from '../../support/segment-entry.ts';

const segment = (id: string, bytes: number, deadCount = 0): SegmentEntry => ({
  id,
  documentCount: 100,
  deadCount,
  tombstones: null,
  files: [documentsFileOf(id, bytes)],
});

const upTo = (settledBytesMax: number) => ({ ...DEFAULT_MERGE_POLICY, settledBytesMax });

it('puts small segments together, up to the size that a merge may make', () => {
  const segments = [segment('a', 60), segment('b', 10), segment('c', 30), segment('d', 50)];
  expect(planCompaction(segments, upTo(100))).toEqual([['b', 'c', 'd']]);
  expect(planCompaction(segments, upTo(1000))).toEqual([['b', 'c', 'd', 'a']]);
});

it('rewrites a segment that has dead documents, and counts only its living bytes', () => {
  expect(planCompaction([segment('a', 1000, 1)], upTo(100))).toEqual([['a']]);
  expect(planCompaction([segment('a', 100, 90), segment('b', 85)], upTo(100))).toEqual([
    ['a', 'b'],
  ]);
});

it('leaves what is as small as it can be', () => {
  expect(planCompaction([], upTo(100))).toEqual([]);
  expect(planCompaction([segment('a', 10)], upTo(100))).toEqual([]);
  expect(planCompaction([segment('a', 90), segment('b', 80)], upTo(100))).toEqual([]);
});

it('makes no segment whose files could be too long to be mapped', () => {
  const policy = { ...DEFAULT_MERGE_POLICY, filesBytesMax: 100 };
  const segments = [segment('a', 60), segment('b', 30), segment('c', 50)];
  expect(planCompaction(segments, policy)).toEqual([['b', 'c']]);
});

/** Uids kept as runs. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rangesInclude, toRanges } from '../../../../src/tasks/store/uid-ranges.ts';

describe('matched uids', () => {
  it('are kept as runs that answer the same', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat({ max: 60 })), (uids) => {
        const sorted = uids.sort((a, b) => a - b);
        const ranges = toRanges(sorted);
        for (let uid = 0; uid <= 61; uid++)
          expect(rangesInclude(ranges, uid)).toBe(sorted.includes(uid));
      }),
    );
    expect(toRanges(Array.from({ length: 1000 }, (_, i) => i + 5))).toEqual([5, 1004]);
  });
});

/** A lane with long searches leaves a thread to other lanes, if there are any. */
import { describe, expect, it } from 'vitest';
import { LaneUsage } from '../../../../src/ipc/queries/lane-usage.ts';

/** @param ms of earlier searches of lane `a`, which then has one search running since 0 */
function usageAfter(ms: readonly number[], others: readonly string[] = ['b']): LaneUsage {
  const usage = new LaneUsage();
  for (const lane of ['a', ...others]) usage.asked(lane, 0);
  for (const each of ms) {
    usage.started('a', -each);
    usage.ended('a', -each, each);
  }
  usage.started('a', 0);
  return usage;
}

describe('the last free thread', () => {
  it('is refused to a lane with long searches while another lane is active', () => {
    expect(usageAfter([500, 500]).mayTakeLast('a', 2, 1)).toBe(false);
    expect(usageAfter([500, 500]).mayTakeLast('b', 2, 1)).toBe(true);
    expect(usageAfter([500, 500], []).mayTakeLast('a', 2, 1)).toBe(true);
    expect(usageAfter([500, 500]).mayTakeLast('a', 1, 1)).toBe(true);
    expect(usageAfter([500, 500]).mayTakeLast('a', 3, 1)).toBe(true);
  });

  it('is given to a lane with short searches, until one of them has run for long', () => {
    expect(usageAfter([2, 2]).mayTakeLast('a', 2, 1)).toBe(true);
    expect(usageAfter([2, 2]).mayTakeLast('a', 2, 150)).toBe(false);
  });

  it('is refused to a lane whose first search still runs', () => {
    expect(usageAfter([]).mayTakeLast('a', 2, 1)).toBe(false);
    const usage = usageAfter([]);
    usage.ended('a', 0, 2);
    expect(usage.mayTakeLast('a', 2, 1)).toBe(true);
  });

  it('is given again when the others have sent nothing for a while', () => {
    const usage = usageAfter([500]);
    expect(usage.mayTakeLast('a', 2, 9_000)).toBe(false);
    expect(usage.mayTakeLast('a', 2, 11_000)).toBe(true);
    usage.asked('c', 12_000);
    expect(usage.mayTakeLast('a', 2, 12_001)).toBe(false);
  });
});

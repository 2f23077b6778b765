/** How long batches wait for more tasks. */
import { describe, expect, it } from 'vitest';
import { BatchDebounce } from '../../../../src/tasks/batching/batch-debounce.ts';

/** Tasks arrive every `everyMs` for `forMs`; a batch takes `batchMs`. Sizes of the batches. */
function simulate(everyMs: number, forMs: number, batchMs: number): number[] {
  const debounce = new BatchDebounce();
  const sizes: number[] = [];
  let waiting = 0;
  let busyUntilMs = 0;
  for (let nowMs = 0; nowMs < forMs + 5000; nowMs++) {
    if (nowMs < forMs && nowMs % everyMs === 0) {
      debounce.arrived('a', nowMs);
      waiting++;
    }
    if (nowMs === busyUntilMs) debounce.batchEnded('a', nowMs);
    if (nowMs < busyUntilMs || waiting === 0 || debounce.leftMs('a', nowMs) > 0) continue;
    debounce.batchBegins('a');
    sizes.push(waiting);
    waiting = 0;
    busyUntilMs = nowMs + batchMs;
  }
  expect(waiting).toBe(0);
  return sizes;
}

describe('a batch', () => {
  it('begins at once when its task comes alone, or after few others', () => {
    expect(simulate(100, 1000, 30)).toEqual(Array(10).fill(1));
    expect(Math.max(...simulate(10, 1000, 30))).toBeLessThan(8);
  });

  it('waits longer and longer while tasks pour in, at most a second', () => {
    const sizes = simulate(1, 5000, 30);
    expect(sizes.length).toBeLessThan(12);
    expect(sizes.slice(0, 4)).toEqual([1, 30, 80, 130]);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1030);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(5000);
  });

  it('waits for a client that sends each task when the one before is enqueued', () => {
    const sizes = simulate(3, 3000, 5);
    expect(sizes.length).toBeLessThan(16);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(1000);
  });

  it('begins as soon as the tasks have stopped coming', () => {
    const debounce = new BatchDebounce();
    for (let round = 0; round < 6; round++) {
      for (let i = 0; i < 10; i++) debounce.arrived('a', 100);
      debounce.batchBegins('a');
    }
    for (let i = 0; i < 10; i++) debounce.arrived('a', 200);
    expect(debounce.leftMs('a', 205)).toBe(45);
    expect(debounce.leftMs('a', 250)).toBe(0);
  });

  it('does not wait for tasks of another index', () => {
    const debounce = new BatchDebounce();
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 10; i++) debounce.arrived('a', 100);
      debounce.batchBegins('a');
      debounce.batchEnded('a', 100);
    }
    for (let i = 0; i < 10; i++) debounce.arrived('a', 100);
    debounce.arrived('b', 100);
    expect(debounce.leftMs('a', 100)).toBe(50);
    expect(debounce.leftMs('b', 100)).toBe(0);
  });
});

/** Which indexes stay on the disk of a node that reads. */
import { expect, it } from 'vitest';
import { LocalIndexes } from '../../../src/tasks/local-indexes.ts';

const NOW = 100_000;

it('removes the least recently used indexes until the others fit', () => {
  const local = new LocalIndexes(100);
  for (const [id, usedAtMs] of [
    [1, 3],
    [2, 1],
    [3, 2],
  ] as const)
    local.add(id, 40, usedAtMs);
  expect(local.shrink(NOW)).toEqual([2]);
  expect([local.bytes, local.count, local.has(2)]).toEqual([80, 2, false]);
  local.used([3, 9], NOW - 50_000);
  local.add(4, 60, NOW - 40_000);
  expect(local.shrink(NOW)).toEqual([1]);
});

it('keeps an index that was used a moment ago, also above the budget', () => {
  const local = new LocalIndexes(100);
  local.add(1, 200, NOW - 5000);
  expect(local.shrink(NOW)).toEqual([]);
  expect(local.shrink(NOW + 5000)).toEqual([1]);
});

it('counts the bytes of the newest state', () => {
  const local = new LocalIndexes(100);
  local.add(1, 40, 0);
  local.resize(1, 90);
  local.resize(2, 90);
  expect(local.bytes).toBe(90);
  local.remove(1);
  local.remove(1);
  expect(local.bytes).toBe(0);
});

it('keeps an index until its last user has released it', () => {
  const local = new LocalIndexes(100);
  local.add(1, 200, 0);
  local.add(2, 50, 1);
  local.pin(1);
  local.pin(1);
  expect(local.shrink(NOW)).toEqual([2]);
  local.unpin(1);
  expect(local.shrink(NOW)).toEqual([]);
  local.unpin(1);
  expect(local.shrink(NOW)).toEqual([1]);
});

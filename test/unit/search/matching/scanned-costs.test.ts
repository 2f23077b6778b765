/** Costs of earlier scans for documents of a further one. */
import { expect, it } from 'vitest';
import { bothScanned, takeKnown } from '../../../../src/search/matching/scanned-costs.ts';

const scanned = (costs: Record<number, number>) => ({
  ranks: Uint32Array.from(Object.keys(costs), Number),
  costs: Int32Array.from(Object.values(costs)),
});

it('takes known costs and names the places without one', () => {
  const known = scanned({ 2: 20, 5: 50, 9: 90 });
  const out = new Int32Array(5);
  expect(takeKnown(known, Uint32Array.of(1, 2, 6, 9, 11), out)).toEqual([0, 2, 4]);
  expect([...out]).toEqual([0, 20, 0, 90, 0]);
});

it('takes the same costs for few documents of many', () => {
  const many = Array.from({ length: 1000 }, (_, i) => [3 * i, i] as const);
  const out = new Int32Array(4);
  const ranks = Uint32Array.of(0, 299, 300, 2997);
  expect(takeKnown(scanned(Object.fromEntries(many)), ranks, out)).toEqual([1]);
  expect([...out]).toEqual([0, 0, 100, 999]);
});

it('knows no costs of documents after the last one', () => {
  expect(takeKnown(scanned({}), Uint32Array.of(4), new Int32Array(1))).toEqual([0]);
});

it.each([
  [
    { 1: 10, 4: 40 },
    { 2: 20, 9: 90 },
    { 1: 10, 2: 20, 4: 40, 9: 90 },
  ],
  [{}, { 3: 30 }, { 3: 30 }],
  [{ 7: 70 }, { 1: 10 }, { 1: 10, 7: 70 }],
])('joins %o and %o', (a, b, both) => {
  expect(bothScanned(scanned(a), scanned(b))).toEqual(scanned(both));
});

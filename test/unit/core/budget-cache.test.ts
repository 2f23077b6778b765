/**
 * Goal: what is kept stays within the budget, what was used stays longer than what was not, and
 * large entries do not push small ones out.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BudgetCache } from '../../../src/core/budget-cache.ts';

const BUDGET = 1 << 20;
const SMALL = 1000;
const LARGE = 100_000;

describe('a budget cache', () => {
  it('gives back what was kept, and the last value of a key', () => {
    const cache = new BudgetCache<string>(BUDGET);
    cache.set('a', 'one', SMALL);
    cache.set('a', 'two', LARGE);
    expect(cache.get('a')).toBe('two');
    expect(cache.get('b')).toBeUndefined();
  });

  it('lets the oldest go that was not used', () => {
    const cache = new BudgetCache<number>(BUDGET);
    for (let i = 0; i < 10; i++) cache.set(`k${i}`, i, LARGE);
    cache.get('k0');
    cache.set('k10', 10, LARGE);
    expect(cache.get('k0')).toBe(0);
    expect(cache.get('k1')).toBeUndefined();
  });

  it('gives large entries what small ones do not need, until they need it', () => {
    const cache = new BudgetCache<number>(BUDGET);
    for (let i = 0; i < 10; i++) cache.set(`large ${i}`, i, LARGE);
    expect(cache.figures.bytes).toBe(10 * LARGE);
    for (let i = 0; i < 100; i++) cache.set(`small ${i}`, i, SMALL);
    expect(cache.figures.bytes).toBe(9 * LARGE + 100 * SMALL);
    expect(cache.get('large 0')).toBeUndefined();
  });

  it('forgets by the beginning of the keys, and has the room again', () => {
    const cache = new BudgetCache<number>(BUDGET);
    for (let i = 0; i < 8; i++) cache.set(`old ${i}`, i, LARGE);
    cache.set('old small', 8, SMALL);
    cache.set('older', 9, SMALL);
    cache.forget('old ');
    expect([
      cache.get('old 0'),
      cache.get('old 7'),
      cache.get('old small'),
      cache.get('older'),
    ]).toEqual([undefined, undefined, undefined, 9]);
    for (let i = 0; i < 9; i++) cache.set(`new ${i}`, i, LARGE);
    expect(cache.get('new 0')).toBe(0);
  });

  it('keeps no entry that would take more than a quarter', () => {
    const cache = new BudgetCache<number>(BUDGET);
    cache.set('huge', 1, BUDGET / 3);
    expect(cache.get('huge')).toBeUndefined();
  });

  it('keeps small entries through any number of large ones', () => {
    const cache = new BudgetCache<number>(BUDGET);
    cache.set('small', 1, SMALL);
    for (let i = 0; i < 100; i++) cache.set(`large ${i}`, i, LARGE);
    expect(cache.get('small')).toBe(1);
  });

  it('never holds more than the budget, whatever is kept', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(40), fc.nat(BUDGET / 2)), { maxLength: 200 }),
        (entries) => {
          const cache = new BudgetCache<number>(BUDGET);
          const bytesOf = new Map<string, number>();
          for (const [n, bytes] of entries) {
            const key = `${n}`;
            if (cache.get(key) === undefined) bytesOf.set(key, bytes);
            cache.set(key, n, bytes);
          }
          let held = 0;
          for (const [key, bytes] of bytesOf) if (cache.get(key) !== undefined) held += bytes;
          expect(held).toBeLessThanOrEqual(BUDGET);
        },
      ),
    );
  });
});

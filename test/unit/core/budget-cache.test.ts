/**
 * Goal: what is kept stays within the budget, and what is worth more a byte stays longer: asked for
 * more often lately, dearer to make, smaller.
 */
import { spawnSync } from 'node:child_process';
import { build } from 'esbuild';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BudgetCache } from '../../../src/core/budget-cache.ts';

const BUDGET = 1 << 20;
const SMALL = 1000;
const LARGE = 100_000;
const COST = 1;

/** Bytes that an entry counts in addition to its value. */
function overheadOf(key: string): number {
  const cache = new BudgetCache<null>(BUDGET);
  cache.set(key, null, 0, COST);
  return cache.figures.bytes;
}

function filled(count: number, bytes = LARGE): BudgetCache<number> {
  const cache = new BudgetCache<number>(BUDGET);
  for (let i = 0; i < count; i++) cache.set(`k${i}`, i, bytes, COST);
  return cache;
}

/** Number of the first `count` keys that are cached. */
const keptOf = (cache: BudgetCache<number>, count: number): number =>
  Array.from({ length: count }, (_, i) => cache.get(`k${i}`)).filter((n) => n !== undefined).length;

describe('a budget cache', () => {
  it('gives back what was kept, and the last value of a key', () => {
    const cache = new BudgetCache<string>(BUDGET);
    cache.set('a', 'one', SMALL, COST);
    cache.set('a', 'two', LARGE, COST);
    expect(cache.get('a')).toBe('two');
    expect(cache.get('b')).toBeUndefined();
    expect(cache.figures).toEqual({ hits: 1, misses: 1, bytes: LARGE + overheadOf('a') });
  });

  it('has one that is used in the place of one that was not', () => {
    const cache = filled(10);
    for (let i = 1; i < 10; i++) cache.get(`k${i}`);
    cache.set('k10', 10, LARGE, 3 * COST);
    expect([cache.get('k0'), cache.get('k10')]).toEqual([undefined, 10]);
    expect(keptOf(cache, 10)).toBe(9);
  });

  it('keeps used entries through any number of entries that are used once', () => {
    const cache = filled(10);
    for (let i = 0; i < 10; i++) cache.get(`k${i}`);
    for (let i = 0; i < 1000; i++) cache.set(`scan ${i}`, i, LARGE, COST);
    expect(keptOf(cache, 10)).toBe(10);
  });

  it('evicts entries used long ago in favour of entries used now', () => {
    const cache = filled(10);
    for (let i = 0; i < 1000; i++) cache.get('k0');
    for (let i = 0; i < 100_000; i++) cache.get('nobody has it');
    for (let i = 0; i < 100; i++) cache.set(`later ${i}`, i, LARGE, COST);
    expect(keptOf(cache, 10)).toBe(0);
  });

  it('keeps what was dear to make through what was cheap', () => {
    const cache = new BudgetCache<number>(BUDGET);
    cache.set('dear', 1, LARGE, 50 * COST);
    for (let i = 0; i < 1000; i++) cache.set(`cheap ${i}`, i, LARGE, COST);
    expect(cache.get('dear')).toBe(1);
  });

  it('keeps small entries through any number of large ones', () => {
    const cache = new BudgetCache<number>(BUDGET);
    for (let i = 0; i < 100; i++) cache.set(`k${i}`, i, SMALL, COST);
    for (let i = 0; i < 1000; i++) cache.set(`large ${i}`, i, LARGE, COST);
    expect(keptOf(cache, 100)).toBe(100);
  });

  it('values what has become of an entry as the entry', () => {
    const cache = new BudgetCache<number>(BUDGET);
    cache.set('dear', 1, LARGE, 50 * COST);
    cache.renew('dear', 2, LARGE + 1);
    cache.renew('nobody has it', 3, LARGE);
    for (let i = 0; i < 1000; i++) cache.set(`cheap ${i}`, i, LARGE, COST);
    expect([cache.get('dear'), cache.get('nobody has it')]).toEqual([2, undefined]);
  });

  it('shares its budget with others, which have keys of their own', () => {
    const cache = filled(10);
    const beside = new BudgetCache<number, number>(cache);
    const bytes = 10 * (LARGE + overheadOf('k0'));
    expect(beside.figures.bytes).toBe(bytes);
    for (let i = 0; i < 1000; i++) beside.set(i, -i, LARGE, 50 * COST);
    expect(keptOf(cache, 10)).toBe(0);
    expect(cache.figures.bytes).toBeGreaterThan(10 * LARGE);
    expect(cache.figures.bytes).toBeLessThanOrEqual(bytes);
    cache.set('7', 7, SMALL, 50 * COST);
    beside.set(7, -7, SMALL, 50 * COST);
    expect([cache.get('7'), beside.get(7)]).toEqual([7, -7]);
  });

  it('lets go of all that is its own, and has the room again', () => {
    const cache = new BudgetCache<number>(BUDGET);
    const old = new BudgetCache<number>(cache);
    for (let i = 0; i < 8; i++) old.set(`${i}`, i, LARGE, COST);
    cache.set('1', 9, SMALL, COST);
    old.clear();
    expect(cache.figures.bytes).toBe(SMALL + overheadOf('1'));
    expect([old.get('0'), old.get('7'), cache.get('1')]).toEqual([undefined, undefined, 9]);
    for (let i = 0; i < 9; i++) old.set(`new ${i}`, i, LARGE, COST);
    expect(old.get('new 0')).toBe(0);
  });

  it('keeps no entry that would take more than a quarter, nor the one that it was to replace', () => {
    const cache = filled(1);
    cache.set('k0', 1, BUDGET / 3, COST);
    expect(cache.get('k0')).toBeUndefined();
    expect(cache.figures.bytes).toBe(0);
  });

  it('never holds more than the budget, whatever is kept, and counts what it holds', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(40), fc.nat(BUDGET / 2), fc.nat(9)), { maxLength: 200 }),
        (entries) => {
          const cache = new BudgetCache<number>(BUDGET);
          const bytesOf = new Map<string, number>();
          for (const [n, bytes, costMs] of entries) {
            const key = `${n}`;
            if (costMs === 0) cache.delete(key);
            cache.set(key, n, bytes, costMs);
            bytesOf.set(key, bytes + overheadOf(key));
            expect(cache.figures.bytes).toBeLessThanOrEqual(BUDGET);
          }
          let held = 0;
          for (const [key, bytes] of bytesOf) if (cache.get(key) !== undefined) held += bytes;
          expect(held).toBe(cache.figures.bytes);
        },
      ),
    );
  });

  it('counts about the memory that small entries take', async () => {
    // In a process of its own: a collection also frees what earlier tests of this process left.
    const contents = `
      import { BudgetCache } from './src/core/budget-cache.ts';
      const cache = new BudgetCache(2 ** 30);
      // The scores are outside of the heap.
      const used = () => {
        gc();
        const { heapUsed, arrayBuffers } = process.memoryUsage();
        return heapUsed + arrayBuffers;
      };
      const before = used();
      for (let i = 0; i < 20_000; i++) cache.set(\`scope \${i % 7} \${i % 3} word\${i}\`, i, 0, ${COST});
      const bytes = used() - before;
      const value = cache.get('scope 0 0 word0');
      console.log(JSON.stringify({ value, ratio: bytes / cache.figures.bytes }));`;
    const stdin = { contents, resolveDir: process.cwd() };
    const { outputFiles } = await build({ stdin, bundle: true, write: false, platform: 'node' });
    const args = ['--expose-gc', '--eval', outputFiles[0]?.text ?? ''];
    const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    const { value, ratio } = JSON.parse(stdout) as { value: number; ratio: number };
    expect(value).toBe(0);
    expect(ratio).toBeGreaterThan(0.7);
    expect(ratio).toBeLessThan(1.3);
  });
});

/** The cache that threads share: values as they were written, within its memory. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SharedCache } from '../../../../src/search/snapshot/shared-cache.ts';
import { amount } from '../../../support/run-length.ts';

const plain = (length: number): Uint32Array => new Uint32Array(length);
const numbers = (length: number, from: number): Uint32Array =>
  Uint32Array.from({ length }, (_, i) => from + i);

const read = (cache: SharedCache, key: string): [number, number[]] | null => {
  const found = cache.read(key, plain);
  return found && [found.generation, [...found.words]];
};

describe('the shared cache', () => {
  it('gives what another view of the same memory has written', () => {
    const memory = SharedCache.memory(1 << 20);
    const [one, other] = [new SharedCache(memory), new SharedCache(memory)];
    one.write('sun', 3, [numbers(2, 7), numbers(500, 100)], 1);
    expect(read(other, 'sun')).toEqual([3, [7, 8, ...numbers(500, 100)]]);
    expect([read(other, 'su'), read(other, 'sunn'), read(other, '')]).toEqual([null, null, null]);
    expect([one.figures.hits, other.figures.hits, other.figures.misses]).toEqual([0, 1, 3]);
  });

  it('keeps the value of the latest generation', () => {
    const cache = new SharedCache(SharedCache.memory(1 << 20));
    cache.write('sun', 5, [numbers(3, 0)], 4);
    cache.write('sun', 4, [numbers(9, 0)], 1);
    expect(read(cache, 'sun')).toEqual([5, [0, 1, 2]]);
    cache.advance('sun', 7);
    cache.advance('sun', 6);
    cache.advance('moon', 6);
    expect(read(cache, 'sun')).toEqual([7, [0, 1, 2]]);
    expect([cache.costMs('sun'), cache.costMs('moon')]).toEqual([expect.closeTo(4), 0]);
    cache.write('sun', 7, [numbers(1, 9)], 1);
    expect(read(cache, 'sun')).toEqual([7, [9]]);
  });

  it('gives written values only, whatever it forgets, and never grows', () => {
    const writes = fc.array(
      fc.record({
        key: fc.oneof(
          fc.nat(30).map((n) => `k${n}`),
          fc.string({ unit: 'binary', maxLength: 600 }),
        ),
        length: fc.nat(3000),
        costMs: fc.nat(9),
      }),
      { minLength: 1, maxLength: 60 },
    );
    fc.assert(
      fc.property(writes, (all) => {
        const bytes = 128 << 10;
        const cache = new SharedCache(SharedCache.memory(bytes));
        let hits = 0;
        all.forEach(({ key, length, costMs }, i) => {
          const value = numbers(length, i * 7);
          const half = length >> 1;
          cache.write(key, i, [value.subarray(0, half), value.subarray(half)], costMs);
          for (const each of new Set(all.slice(0, i + 1).map((write) => write.key))) {
            const found = cache.read(each, plain);
            if (found === null) continue;
            hits++;
            const write = all[found.generation]!;
            const expected = numbers(write.length, found.generation * 7);
            if (write.key !== each || found.words.join() !== expected.join())
              throw new Error(`not a value of ${each}`);
          }
          if (cache.figures.bytes > bytes) throw new Error(`holds ${cache.figures.bytes} bytes`);
        });
        expect(hits).toBeGreaterThan(0);
      }),
      { numRuns: amount(8, 25) },
    );
  });

  it('forgets what is cheap, large and not used', () => {
    const cache = new SharedCache(SharedCache.memory(256 << 10));
    cache.write('dear', 0, [numbers(1000, 0)], 1000);
    for (let i = 0; i < 2000; i++) cache.write(`cheap ${i}`, 0, [numbers(1000, i)], 0.01);
    expect(read(cache, 'dear')).not.toBeNull();
    const left = Array.from({ length: 2000 }, (_, i) => cache.read(`cheap ${i}`, plain) !== null);
    expect(left.filter(Boolean).length).toBeLessThan(64);
  });

  it('does not keep a value that is larger than a quarter of it, nor anything without memory', () => {
    const cache = new SharedCache(SharedCache.memory(64 << 10));
    cache.write('large', 0, [numbers(5000, 0)], 1000);
    expect(read(cache, 'large')).toBeNull();
    const none = new SharedCache(SharedCache.memory(0));
    none.write('sun', 0, [numbers(1, 0)], 1);
    none.advance('sun', 1);
    expect([read(none, 'sun'), none.costMs('sun'), none.figures.bytes]).toEqual([null, 0, 0]);
  });
});

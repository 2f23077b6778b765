/** The term hash: equal for equal bytes wherever they lie, well spread in its low bits. */
import { describe, expect, it } from 'vitest';
import { HASH_SEED, hashBytes, hashFinish, hashStep, NumbersHash } from '../../../src/core/hash.ts';

const utf8 = new TextEncoder();

describe('hashBytes', () => {
  it('depends on the bytes of the range only', () => {
    const bytes = utf8.encode('xxwordyy');
    expect(hashBytes(bytes, 2, 6)).toBe(hashBytes(utf8.encode('word'), 0, 4));
    expect(hashBytes(bytes, 2, 6)).not.toBe(hashBytes(bytes, 2, 7));
  });

  it('is an unsigned 32-bit integer, for the empty range too', () => {
    for (const text of ['', 'a', 'zzzz', 'é', '\u{1f600}']) {
      const bytes = utf8.encode(text);
      const hash = hashBytes(bytes, 0, bytes.length);
      expect(Number.isInteger(hash) && hash >= 0 && hash <= 0xffffffff).toBe(true);
    }
  });

  it('agrees with the byte-by-byte form', () => {
    const bytes = utf8.encode('step by step');
    let state = HASH_SEED;
    for (const byte of bytes) state = hashStep(state, byte);
    expect(hashFinish(state)).toBe(hashBytes(bytes, 0, bytes.length));
  });

  it('spreads 40,000 similar words over 65,536 slots about as evenly as chance', () => {
    const slots = new Set<number>();
    for (let i = 0; i < 40_000; i++) {
      const bytes = utf8.encode(`word${i}`);
      slots.add(hashBytes(bytes, 0, bytes.length) & 0xffff);
    }
    const expectedByChance = 65_536 * (1 - Math.exp(-40_000 / 65_536));
    expect(slots.size).toBeGreaterThan(expectedByChance * 0.98);
  });
});

describe('NumbersHash', () => {
  const hashOf = (...lists: number[][]): string => {
    const hash = new NumbersHash();
    for (const list of lists) hash.addAll(list);
    return hash.text;
  };

  it('depends on every number, their order and where a list ends', () => {
    const texts = [[[1, 2, 3]], [[1, 3, 2]], [[1, 2], [3]], [[1, 2, 3, 0]], [[]], [[0]]].map(
      (lists) => hashOf(...lists),
    );
    expect(new Set(texts).size).toBe(texts.length);
    expect(hashOf([7, 8])).toBe(hashOf([7, 8]));
  });

  it('has two halves that do not collide together', () => {
    const texts = Array.from({ length: 200_000 }, (_, i) => hashOf([i % 400, (i / 400) | 0]));
    expect(new Set(texts).size).toBe(texts.length);
    const halves = new Set(texts.map((text) => text.split('.')[0]));
    expect(halves.size).toBeGreaterThan(texts.length * 0.999);
  });
});

/** Goal: bitsets behave like sets of numbers. Method: random sets against Set. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as bitset from '../../../../src/engine/sets/bitset.ts';
import { decodeDocIds, encodeDocIds } from '../../../../src/engine/sets/doc-ids.ts';
import { fromArray } from '../../../support/bits.ts';

const CAPACITY = 400;
const members = fc.oneof(
  fc.uniqueArray(fc.nat(CAPACITY - 1), { maxLength: 60 }),
  fc
    .tuple(fc.nat(300), fc.nat(100))
    .map(([start, count]) => Array.from({ length: count }, (_, i) => start + i)),
);
const ascending = (numbers: Iterable<number>): number[] => [...numbers].sort((a, b) => a - b);
const asSet = (numbers: readonly number[]): Uint32Array => fromArray(numbers, CAPACITY);

describe('bitsets', () => {
  it('list, count and walk their members', () => {
    fc.assert(
      fc.property(members, (numbers) => {
        const bits = asSet(numbers);
        const sorted = ascending(numbers);
        expect([...bitset.toArray(bits)]).toEqual(sorted);
        expect(bitset.countBits(bits)).toBe(sorted.length);
        const visited: number[] = [];
        bitset.forEachBit(bits, (bit) => visited.push(bit));
        expect(visited).toEqual(sorted);
        const walked: number[] = [];
        for (let bit = bitset.nextSetBit(bits, 0); bit >= 0; bit = bitset.nextSetBit(bits, bit + 1))
          walked.push(bit);
        expect(walked).toEqual(sorted);
      }),
    );
  });

  it('take in ranges, without exceptions', () => {
    const bound = fc.nat(CAPACITY - 1);
    fc.assert(
      fc.property(
        members,
        bound,
        bound,
        fc.option(members, { nil: null }),
        (numbers, from, end, except) => {
          const bits = asSet(numbers);
          bitset.addRange(bits, from, end, except === null ? null : asSet(except));
          const added = Array.from({ length: Math.max(0, end - from) }, (_, i) => from + i);
          const kept = added.filter((number) => except === null || !except.includes(number));
          expect([...bitset.toArray(bits)]).toEqual(ascending(new Set([...numbers, ...kept])));
        },
      ),
    );
  });

  it('combine like sets', () => {
    fc.assert(
      fc.property(members, members, (a, b) => {
        const inB = new Set(b);
        const both = ascending(a.filter((number) => inB.has(number)));
        expect([...bitset.toArray(bitset.andInto(asSet(a), asSet(b)))]).toEqual(both);
        expect([...bitset.toArray(bitset.orInto(asSet(a), asSet(b)))]).toEqual(
          ascending(new Set([...a, ...b])),
        );
        expect([...bitset.toArray(bitset.andNotInto(asSet(a), asSet(b)))]).toEqual(
          ascending(a.filter((number) => !inB.has(number))),
        );
        expect(bitset.countAnd(asSet(a), asSet(b))).toBe(both.length);
      }),
    );
  });

  it('treat missing words as empty', () => {
    const long = fromArray([1, 40, 399], CAPACITY);
    const short = fromArray([1, 2], 32);
    expect([...bitset.toArray(bitset.andInto(long.slice(), short))]).toEqual([1]);
    expect([...bitset.toArray(bitset.andNotInto(long.slice(), short))]).toEqual([40, 399]);
    expect([...bitset.toArray(bitset.orInto(short.slice(), long))]).toEqual([1, 2]);
    expect(bitset.hasBit(short, 300)).toBe(false);
    expect(bitset.nextSetBit(short, 1000)).toBe(-1);
  });

  it('set ranges and single bits', () => {
    fc.assert(
      fc.property(fc.nat(CAPACITY), fc.nat(CAPACITY), (a, b) => {
        const [start, end] = [Math.min(a, b), Math.max(a, b)];
        const bits = bitset.makeBitset(CAPACITY);
        bitset.addRange(bits, start, end);
        expect([...bitset.toArray(bits)]).toEqual(
          Array.from({ length: end - start }, (_, i) => start + i),
        );
        if (start < end) {
          bitset.clearBit(bits, start);
          expect(bitset.hasBit(bits, start)).toBe(false);
          bitset.setBit(bits, start);
          expect(bitset.hasBit(bits, start)).toBe(true);
        }
      }),
    );
  });
});

describe('encoded DocIds', () => {
  it('come back as they were', () => {
    fc.assert(
      fc.property(
        members,
        (numbers) =>
          void expect(decodeDocIds(encodeDocIds(asSet(numbers)), asSet([]).length)).toEqual(
            asSet(numbers),
          ),
      ),
    );
  });

  it('are short for runs, for few and for many', () => {
    const million = 1_000_000;
    const all = bitset.makeBitset(million);
    bitset.addRange(all, 0, million);
    expect(encodeDocIds(all).length).toBeLessThan(12);
    expect(encodeDocIds(fromArray([5, 999_999], million)).length).toBeLessThan(12);
    const third = fromArray(
      Array.from({ length: million / 4 }, (_, i) => i * 4 - (i % 3 === 0 ? 0 : 1) + 1),
      million,
    );
    expect(encodeDocIds(third).length).toBeLessThan((million / 8) * 1.4);
  });

  it('refuse to exceed the capacity', () => {
    for (const numbers of [
      [100, 7],
      Array.from({ length: 90 }, (_, i) => i),
      Array.from({ length: 60 }, (_, i) => i * 2),
    ]) {
      expect(() => decodeDocIds(encodeDocIds(asSet(numbers)), 2)).toThrow('capacity');
    }
  });

  it('refuse an unknown form', () => {
    expect(() => decodeDocIds('//8=', 4)).toThrow('unknown kind');
    expect(() => decodeDocIds('', 4)).toThrow('unknown kind');
  });
});

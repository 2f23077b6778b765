/**
 * Encoded tuples must compare as bytes exactly like the tuples do, and decode to what they were.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compareKeys,
  decodeKey,
  encodeKey,
  type KeyPart,
  keyRange,
} from '../../../../src/storage/database/key-encoding.ts';

const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('\0', 'a', 'ÿ', '😀') }));
const part: fc.Arbitrary<KeyPart> = fc.oneof(
  text,
  fc.nat(),
  fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
);

function compareParts(a: readonly KeyPart[], b: readonly KeyPart[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const [x, y] = [a[i]!, b[i]!];
    if (typeof x !== typeof y) return typeof x === 'string' ? -1 : 1;
    const order =
      typeof x === 'number'
        ? Math.sign(x - (y as number))
        : Buffer.compare(Buffer.from(x as string), Buffer.from(y as string));
    if (order !== 0) return order;
  }
  return Math.sign(a.length - b.length);
}

describe('key encoding', () => {
  it('gives tuples back', () => {
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        expect(decodeKey(encodeKey(...parts))).toEqual(parts);
      }),
    );
  });

  it('orders like the tuples', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 3 }), fc.array(part, { maxLength: 3 }), (a, b) => {
        expect(Math.sign(compareKeys(encodeKey(...a), encodeKey(...b)))).toBe(compareParts(a, b));
      }),
    );
  });

  it('ranges over exactly the keys that begin with the given parts', () => {
    const { gte, lt } = keyRange('task');
    const inside = (...parts: KeyPart[]) =>
      compareKeys(encodeKey(...parts), gte) >= 0 && compareKeys(encodeKey(...parts), lt) < 0;
    expect(inside('task', 0)).toBe(true);
    expect(inside('task', Number.MAX_SAFE_INTEGER, 'x')).toBe(true);
    expect(inside('task', '\uffff')).toBe(true);
    expect(inside('tasks', 0)).toBe(false);
    expect(inside('tas', 0)).toBe(false);
  });

  it('refuses what is no whole number from 0', () => {
    for (const bad of [-1, 0.5, Number.NaN, 2 ** 53])
      expect(() => encodeKey(bad)).toThrow('must be an integer');
  });

  it('refuses bytes that are no key', () => {
    expect(() => decodeKey(Uint8Array.of(9))).toThrow('unknown tag 9');
    expect(() => decodeKey(Uint8Array.of(1, 97))).toThrow('ends within a string');
  });
});

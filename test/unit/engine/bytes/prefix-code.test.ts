/** Symbols come back out of their codes, and frequent ones take fewer bits. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CODE_BITS_MAX,
  codeLengths,
  decodingTable,
  encodeSymbols,
  SYMBOLS_MAX,
} from '../../../../src/engine/bytes/prefix-code.ts';

function decoded(words: Uint32Array, count: number, lengths: Uint8Array): number[] {
  const table = decodingTable(lengths, Uint16Array.from(lengths.keys()));
  const bits = [...words].flatMap((word) =>
    Array.from({ length: 32 }, (_, bit) => (word >>> bit) & 1),
  );
  let at = 0;
  return Array.from({ length: count }, () => {
    let code = 0;
    for (let bit = 0; bit < CODE_BITS_MAX; bit++) code |= (bits[at + bit] ?? 0) << bit;
    const entry = table[code & (table.length - 1)]!;
    at += entry & 0xf;
    return entry >>> 4;
  });
}

const countsOf = (symbols: readonly number[], end: number): number[] =>
  Array.from({ length: end }, (_, symbol) => symbols.filter((one) => one === symbol).length);

describe('a prefix code', () => {
  it('gives back what was encoded', () => {
    const texts = fc.array(fc.oneof(fc.nat(2), fc.nat(40)), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(texts, (text) => {
        const distinct = [...new Set(text)];
        const symbols = text.map((one) => distinct.indexOf(one));
        const lengths = codeLengths(countsOf(symbols, distinct.length));
        expect(decoded(encodeSymbols(symbols, lengths), symbols.length, lengths)).toEqual(symbols);
      }),
    );
  });

  it('takes nothing for a symbol that is alone', () => {
    expect([...codeLengths([7])]).toEqual([0]);
    expect(encodeSymbols([0, 0, 0], codeLengths([3]))).toHaveLength(0);
  });

  it('takes as many bits as Huffman codes do', () => {
    expect([...codeLengths([8, 4, 2, 1, 1])]).toEqual([1, 2, 3, 4, 4]);
  });

  it('keeps every code short, however rare its symbol', () => {
    const fibonacci = [1, 1];
    while (fibonacci.length < 40) fibonacci.push(fibonacci.at(-1)! + fibonacci.at(-2)!);
    const many = Array.from({ length: SYMBOLS_MAX }, (_, i) => (i === 0 ? 1 << 30 : 1));
    for (const counts of [fibonacci, many]) {
      const lengths = codeLengths(counts);
      expect(Math.max(...lengths)).toBeLessThanOrEqual(CODE_BITS_MAX);
      expect([...lengths].reduce((sum, length) => sum + 2 ** -length, 0)).toBeLessThanOrEqual(1);
    }
  });
});

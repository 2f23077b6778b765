/**
 * Goal: texts compressed by a learnt token table come back byte by byte, and get small. Method:
 * round trips on random and real-looking texts.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteBuffer } from '../../../../src/engine/bytes/byte-buffer.ts';
import { TokenDecoder } from '../../../../src/engine/bytes/token-decoder.ts';
import { TokenEncoder } from '../../../../src/engine/bytes/token-encoder.ts';
import { decodedLength, TokenTable } from '../../../../src/engine/bytes/token-table.ts';
import { trainTokens } from '../../../../src/engine/bytes/token-trainer.ts';
import { encodeUtf8 } from '../../../../src/engine/bytes/utf8.ts';
import { amount } from '../../../support/run-length.ts';

function roundTrip(table: TokenTable, texts: readonly Uint8Array[]): number {
  const encoder = new TokenEncoder(table);
  const decoder = new TokenDecoder(TokenTable.parse(table.serialize()));
  const codes = new ByteBuffer(0);
  for (const text of texts) {
    const start = codes.length;
    encoder.encode(text, codes);
    expect(decodedLength(table, codes.view().subarray(start))).toBe(text.length);
    expect(Buffer.compare(decoder.decode(codes.view(), start, codes.length), text)).toBe(0);
  }
  return codes.length;
}

const document = (i: number): Uint8Array =>
  encodeUtf8(
    JSON.stringify({
      id: i,
      title: `The ${['cat', 'dog', 'bird'][i % 3]} of number ${i}`,
      url: 'https://example.org/pictures/',
      year: 1900 + (i % 99),
    }),
  );

describe('a token table', () => {
  it('gives back any bytes, learnt from them or not', () => {
    const texts = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 20 });
    fc.assert(
      fc.property(
        texts,
        texts,
        (sample, others) => void roundTrip(trainTokens(sample, 1000), [...sample, ...others]),
      ),
      { numRuns: amount(25, 60) },
    );
  });

  it('gives back repetitive bytes, where tokens grow long', () => {
    const text = fc
      .string({ unit: fc.constantFrom('ab', 'abc', 'x'), maxLength: 500 })
      .map(encodeUtf8);
    fc.assert(
      fc.property(
        fc.array(text, { minLength: 1, maxLength: 30 }),
        (texts) => void roundTrip(trainTokens(texts, 40_000), texts),
      ),
      { numRuns: amount(25, 60) },
    );
  });

  it('makes similar documents small, also those it has not seen', () => {
    const table = trainTokens(
      Array.from({ length: 1000 }, (_, i) => document(i)),
      1_000_000,
    );
    const texts = Array.from({ length: 1000 }, (_, i) => document(5000 + i));
    const raw = texts.reduce((sum, text) => sum + text.length, 0);
    expect(roundTrip(table, texts)).toBeLessThan(raw * 0.25);
  });

  it('decodes texts much longer than its scratch space', () => {
    const table = trainTokens([encodeUtf8('lorem ipsum dolor sit amet '.repeat(100))], 2600);
    roundTrip(table, [encodeUtf8('lorem ipsum dolor sit amet '.repeat(20_000))]);
  });

  it('yields something for any codes', () => {
    const table = trainTokens([document(1), document(2)], 200);
    const decoder = new TokenDecoder(table);
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 50 }),
        (codes) => void decoder.decode(codes, 0, codes.length),
      ),
    );
  });

  it('refuses a table whose parts do not fit', () => {
    const serialized = trainTokens([document(1)], 100).serialize();
    expect(() => TokenTable.parse(serialized.subarray(0, 5))).toThrow('too short');
    expect(() => TokenTable.parse(serialized.subarray(0, 100))).toThrow('too short');
    expect(() => TokenTable.parse(serialized.subarray(0, serialized.length - 1))).toThrow(
      'another length',
    );
  });
});

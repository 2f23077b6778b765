/**
 * Goal: what the byte codecs write they read back, for any input. Method: round trips, and known
 * values where a standard has some.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBase64, encodeBase64 } from '../../../../src/engine/bytes/base64.ts';
import {
  bitWidth,
  pack,
  packedWordCount,
  unpack,
} from '../../../../src/engine/bytes/bitpacking.ts';
import { ByteBuffer } from '../../../../src/engine/bytes/byte-buffer.ts';
import { crc32c } from '../../../../src/engine/bytes/crc32c.ts';
import {
  codePointAt,
  codePointBytes,
  compareBytes,
  encodeUtf8,
} from '../../../../src/engine/bytes/utf8.ts';
import { VarintCursor } from '../../../../src/engine/bytes/varint.ts';

describe('crc32c', () => {
  it('gives the published check values', () => {
    expect(crc32c(encodeUtf8('123456789'))).toBe(0xe3069283);
    expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
    expect(crc32c(new Uint8Array(32).fill(0xff))).toBe(0x62a8ab43);
    expect(crc32c(new Uint8Array(0))).toBe(0);
  });

  it('can be continued piece by piece', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(100), (bytes, cut) => {
        const at = Math.min(cut, bytes.length);
        expect(crc32c(bytes, at, bytes.length, crc32c(bytes, 0, at))).toBe(crc32c(bytes));
      }),
    );
  });

  it('is the same of long bytes as of their pieces, which no kernel folds', () => {
    const bytes = Uint8Array.from({ length: 200_000 }, (_, i) => (i * i) >>> 7);
    const lengths = fc.record({ start: fc.nat(20), length: fc.integer({ min: 1, max: 199_900 }) });
    fc.assert(
      fc.property(lengths, fc.nat(0xffffffff), ({ start, length }, seed) => {
        let inPieces = seed;
        for (let at = start; at < start + length; at += 1000)
          inPieces = crc32c(bytes, at, Math.min(at + 1000, start + length), inPieces);
        expect(crc32c(bytes, start, start + length, seed)).toBe(inPieces);
      }),
    );
  });

  it('changes with any bit of long bytes', () => {
    const bytes = Uint8Array.from({ length: 150_000 }, (_, i) => i * 31);
    const sound = crc32c(bytes);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(7), (at, bit) => {
        bytes[at]! ^= 1 << bit;
        const changed = crc32c(bytes);
        bytes[at]! ^= 1 << bit;
        expect(changed).not.toBe(sound);
      }),
    );
  });
});

describe('varints', () => {
  it('keep any 32-bit number', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(0xffffffff)), (values) => {
        const writer = new ByteBuffer(0);
        for (const value of values) writer.pushVarint(value);
        const cursor = new VarintCursor(writer.view());
        expect(values.map(() => cursor.next())).toEqual(values);
        expect(cursor.position).toBe(writer.length);
      }),
    );
  });

  it('end at the end of the bytes, however they are cut', () => {
    const cursor = new VarintCursor(Uint8Array.of(0x80, 0x80));
    for (let i = 0; i < 10; i++) expect(cursor.next()).toBe(0);
  });
});

describe('bit packing', () => {
  it('keeps values of any width', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 32 }),
        fc.array(fc.nat(0xffffffff), { maxLength: 300 }),
        (width, numbers) => {
          const values = Uint32Array.from(numbers, (number) =>
            width === 0 ? 0 : number >>> (32 - width),
          );
          const words = new Uint32Array(packedWordCount(values.length, width) + 6).fill(0xdeadbeef);
          expect(pack(values, 0, values.length, width, words, 2)).toBe(words.length - 4);
          const out = new Uint32Array(values.length + 3);
          unpack(words, 2, values.length, width, out);
          expect(out.subarray(0, values.length)).toEqual(values);
        },
      ),
    );
  });

  it('computes how many bits a number takes', () => {
    expect([0, 1, 2, 255, 256, 0xffffffff].map(bitWidth)).toEqual([0, 1, 2, 8, 9, 32]);
  });
});

describe('base64', () => {
  it('is the usual one', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
        const text = encodeBase64(bytes);
        expect(text).toBe(Buffer.from(bytes).toString('base64'));
        expect(decodeBase64(text)).toEqual(bytes);
      }),
    );
  });

  it('refuses other characters', () => {
    expect(() => decodeBase64('ab*d')).toThrow('not base64');
    expect(() => decodeBase64('é')).toThrow('not base64');
  });
});

describe('ByteBuffer', () => {
  it('keeps what is appended, by bytes or words, and aligns with zeros', () => {
    const writer = new ByteBuffer(1);
    writer.pushByte(7);
    writer.align();
    writer.pushU32(0xcafebabe);
    writer.pushBytes(new Uint8Array(Uint32Array.of(2).buffer));
    writer.pushRange(new Uint8Array(100).fill(9), 10, 90);
    expect([...writer.view().subarray(0, 12)]).toEqual([
      7, 0, 0, 0, 0xbe, 0xba, 0xfe, 0xca, 2, 0, 0, 0,
    ]);
    expect(writer.length).toBe(92);
    expect(writer.view().subarray(12)).toEqual(new Uint8Array(80).fill(9));
  });
});

describe('code points', () => {
  it('are those of the string, and consume all bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const bytes = encodeUtf8(text);
        const points: number[] = [];
        for (let at = 0; at < bytes.length; ) {
          const point = codePointAt(bytes, at, bytes.length);
          points.push(point);
          at += codePointBytes(point);
        }
        expect(points).toEqual(
          Array.from(Buffer.from(bytes).toString(), (character) => character.codePointAt(0)),
        );
      }),
    );
  });

  it('take malformed bytes one by one', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20 }), (bytes) => {
        let at = 0;
        while (at < bytes.length) at += codePointBytes(codePointAt(bytes, at, bytes.length));
        expect(at).toBe(bytes.length);
      }),
    );
  });
});

describe('compareBytes', () => {
  it('orders like Buffer.compare', () => {
    const bytes = fc.uint8Array({ maxLength: 4, max: 3 });
    fc.assert(
      fc.property(
        bytes,
        bytes,
        (a, b) => void expect(Math.sign(compareBytes(a, b))).toBe(Buffer.compare(a, b)),
      ),
    );
  });
});

/** UTF-8 of words: agrees with the platform's coders on well-formed text. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  codePointOrReplacement,
  decodeShortUtf8,
  sequenceLength,
  utf8Length,
  writeUtf8,
} from '../../../../../src/engine/analysis/characters/word-codec.ts';

const encoder = new TextEncoder();
const texts = fc.string({ unit: 'binary', maxLength: 60 });

describe('word codec', () => {
  it('decodes what the platform encodes, a byte-order mark included', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const bytes = encoder.encode(`<${text}>`);
        expect(decodeShortUtf8(bytes, 1, bytes.length - 1)).toBe(text);
      }),
    );
    const bytes = encoder.encode(`\ufeff${'long enough for the other decoder '.repeat(3)}`);
    expect(decodeShortUtf8(bytes, 0, bytes.length).charCodeAt(0)).toBe(0xfeff);
  });

  it('encodes as the platform does', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const target = new Uint8Array(250);
        const length = writeUtf8(text, target, 2, 248);
        expect(target.slice(2, 2 + length)).toEqual(encoder.encode(text));
        expect(utf8Length(text, 0, text.length)).toBe(length);
      }),
    );
  });

  it('refuses what does not fit', () => {
    const target = new Uint8Array(8);
    expect(writeUtf8('ééé', target, 0, 6)).toBe(6);
    expect(writeUtf8('ééé', target, 0, 5)).toBe(-1);
    expect(writeUtf8('abc', target, 0, 2)).toBe(-1);
    expect(writeUtf8('', target, 0, 0)).toBe(0);
  });

  it('gives U+FFFD for bytes that begin nothing or are cut off, and always gets on', () => {
    const bytes = new Uint8Array([0x80, 0xe6, 0x9d, 0xff, 0xbf, 0xbf, 0xbf]);
    expect(codePointOrReplacement(bytes, 0, bytes.length)).toBe(0xfffd);
    expect(codePointOrReplacement(bytes, 1, 3)).toBe(0xfffd);
    expect(codePointOrReplacement(bytes, 3, bytes.length)).toBe(0xfffd);
    for (let lead = 0; lead < 256; lead++) expect(sequenceLength(lead)).toBeGreaterThan(0);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 47 }), (bytes) => {
        expect(decodeShortUtf8(bytes, 0, bytes.length).length).toBeLessThanOrEqual(bytes.length);
      }),
    );
  });
});

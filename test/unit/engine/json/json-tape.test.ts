/**
 * The scanner against JSON.parse on random and damaged text, and on the bad input that reaches a
 * public server.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteBuffer } from '../../../../src/engine/bytes/byte-buffer.ts';
import { decodeUtf8, encodeUtf8 } from '../../../../src/engine/bytes/utf8.ts';
import { JsonError, lineAndColumn } from '../../../../src/engine/json/json-error.ts';
import { escapeInto, stringText } from '../../../../src/engine/json/json-string.ts';
import { JSON_DEPTH_MAX, JsonKind, JsonTape } from '../../../../src/engine/json/json-tape.ts';
import { amount } from '../../../support/run-length.ts';

const utf8 = new TextEncoder();
const tape = new JsonTape();

function scanText(text: string | Uint8Array): number {
  const bytes = typeof text === 'string' ? utf8.encode(text) : text;
  return tape.scan(bytes, 0, bytes.length);
}

/** The value rebuilt from the tape alone. */
function rebuilt(node: number): unknown {
  const text = new TextDecoder().decode(tape.bytes.subarray(tape.start(node), tape.end(node)));
  switch (tape.kind(node)) {
    case JsonKind.object: {
      const members: [string, unknown][] = [];
      for (let key = node + 1; key < tape.next(node); key = tape.next(key + 1)) {
        members.push([stringText(tape, key), rebuilt(key + 1)]);
      }
      return Object.fromEntries(members);
    }
    case JsonKind.array: {
      const elements: unknown[] = [];
      for (let at = node + 1; at < tape.next(node); at = tape.next(at)) elements.push(rebuilt(at));
      return elements;
    }
    case JsonKind.string:
      return stringText(tape, node);
    default:
      return JSON.parse(text);
  }
}

function accepts(bytes: Uint8Array): boolean {
  try {
    const at = tape.scan(bytes, 0, bytes.length);
    return /^[ \n\r\t]*$/.test(new TextDecoder().decode(bytes.subarray(at)));
  } catch (error) {
    if (error instanceof JsonError) return false;
    throw error;
  }
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('JsonTape', () => {
  it('rebuilds any value that JSON.stringify writes, with and without indentation', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(0, 1, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(scanText(text)).toBe(utf8.encode(text).length);
        expect(rebuilt(0)).toEqual(JSON.parse(text));
      }),
      { numRuns: amount(300, 2000) },
    );
  });

  it('accepts exactly what JSON.parse accepts when one character of valid text is changed, added or removed', () => {
    const alphabet = fc.constantFrom(...'{}[]",:\\u0123e+-.tfn \n\u0001é'.split(''));
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 3 }),
        fc.nat(),
        fc.nat(2),
        alphabet,
        (text, place, action, character) => {
          const at = place % (text.length + 1);
          const damaged =
            text.slice(0, at) +
            (action === 2 ? '' : character) +
            text.slice(at + (action === 0 ? 0 : 1));
          const wellFormed = new TextDecoder().decode(utf8.encode(damaged));
          expect(accepts(utf8.encode(wellFormed))).toBe(parses(wellFormed));
        },
      ),
      { numRuns: amount(300, 12_000) },
    );
  });

  it('reads arrays of numbers as JSON.parse does, and stops at the given end', () => {
    const numbers = ['0', '-1.5', '12', '0.0625', '-0', '3e-7'];
    const tokens = [...numbers, ...numbers, '01', '1.', '-', '.5', 'x', '"a"', '[7]', ''];
    const parts = fc.array(
      fc.tuple(fc.constantFrom(...tokens), fc.constantFrom(',', ', ', ' ,', '')),
    );
    fc.assert(
      fc.property(
        parts,
        fc.constantFrom(...tokens),
        fc.constantFrom(']', ' ]', ''),
        (all, last, end) => {
          const text = `[${all.map((part) => part.join('')).join('')}${last}${end}`;
          const bytes = utf8.encode(`${text}.5,1]`);
          const isWhole = parses(text);
          if (!isWhole && text.endsWith(']')) expect(accepts(utf8.encode(text)), text).toBe(false);
          else if (!isWhole)
            expect(() => tape.scan(bytes, 0, text.length), text).toThrow(JsonError);
          else {
            expect(tape.scan(bytes, 0, text.length)).toBe(text.length);
            expect(rebuilt(0)).toEqual(JSON.parse(text));
            expect(tape.whitespace).toBe(text.split(' ').length - 1);
          }
        },
      ),
      { numRuns: amount(300, 12_000) },
    );
  });

  it('never takes a byte sequence that is not UTF-8', () => {
    const fatal = new TextDecoder('utf-8', { fatal: true });
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 6, min: 0x7e }), (content) => {
        const bytes = Uint8Array.from([
          0x22,
          ...content.map((byte) => (byte === 0x22 ? 0x21 : byte)),
          0x22,
        ]);
        let isText = true;
        try {
          fatal.decode(bytes);
        } catch {
          isText = false;
        }
        expect(accepts(bytes)).toBe(isText);
      }),
      { numRuns: amount(400, 20_000) },
    );
  });

  it('reports every cut of a document as an error at or before the cut', () => {
    const text = '{"a":[1.5e-3,true,null,"x\\u00e9\\n"],"bé":{"c":"𝄞"}}';
    const bytes = utf8.encode(text);
    for (let end = 0; end < bytes.length; end++) {
      expect(() => tape.scan(bytes, 0, end), `cut at ${end}`).toThrow(JsonError);
    }
  });

  it('takes a document with a value nested 127 deep and refuses a deeper one', () => {
    const nested = (depth: number): string => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    expect(JSON_DEPTH_MAX).toBe(128);
    expect(() => scanText(nested(127))).not.toThrow();
    expect(() => scanText(nested(128))).toThrow(/nested deeper than 128/);
    expect(() => scanText('['.repeat(100_000))).toThrow(/nested deeper/);
    expect(() => scanText('{"a":'.repeat(100_000))).toThrow(/nested deeper/);
  });

  it('marks escapes of half surrogate pairs and reads them as U+FFFD', () => {
    for (const [text, meant, alone] of [
      ['"\\ud83d\\ude00"', '😀', false],
      ['"\\ud83d"', '\ufffd', true],
      ['"\\ude00\\ud83d"', '\ufffd\ufffd', true],
      ['"\\ud83d\\ud83d\\ude00"', '\ufffd😀', true],
      ['"\\ud83dx"', '\ufffdx', true],
    ] as const) {
      scanText(text);
      expect(stringText(tape, 0)).toBe(meant);
      expect(tape.hasLoneSurrogate).toBe(alone);
    }
  });

  it('says what it expected and what it found', () => {
    expect(() => scanText('{"a" 1}')).toThrow('expected `:`, found `1` at byte 5');
    expect(() => scanText('[1,]')).toThrow('expected a value, found `]` at byte 3');
    expect(() => scanText('{"a":1')).toThrow('found the end of the text');
    expect(() => scanText('01')).not.toThrow();
    expect(scanText('01')).toBe(1);
    expect(lineAndColumn(utf8.encode('ab\ncd\nef'), 7)).toEqual({ line: 3, column: 2 });
  });
});

describe('escapeInto', () => {
  it('escapes as JSON.stringify does', () => {
    const texts = fc.string({
      unit: fc.oneof(
        fc.constantFrom('"', '\\', '\n', '\u0000', '\u001f', '\u007f', '\u2028', 'é', '😀'),
        fc.string({ unit: 'grapheme', maxLength: 1 }),
      ),
    });
    fc.assert(
      fc.property(texts, (text) => {
        const utf8 = encodeUtf8(text);
        const out = new ByteBuffer();
        escapeInto(utf8, 0, utf8.length, out);
        expect(decodeUtf8(out.view(), 0, out.length)).toBe(JSON.stringify(text).slice(1, -1));
      }),
    );
  });
});

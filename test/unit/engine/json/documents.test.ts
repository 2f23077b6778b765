/**
 * Stored form, merging and cutting of documents, each against the same operation on parsed values.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteBuffer } from '../../../../src/engine/bytes/byte-buffer.ts';
import { compactInto, isCompact } from '../../../../src/engine/json/compact-json.ts';
import { JsonTape } from '../../../../src/engine/json/json-tape.ts';
import { mergeDocuments } from '../../../../src/engine/json/merge-documents.ts';
import {
  floatText,
  isPrintedAsStored,
  numberText,
} from '../../../../src/engine/json/number-text.ts';
import { compileSelection, projectDocument } from '../../../../src/engine/json/project-document.ts';
import { amount } from '../../../support/run-length.ts';

const utf8 = new TextEncoder();
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

function tapeOf(text: string): JsonTape {
  const tape = new JsonTape();
  const bytes = utf8.encode(text);
  tape.scan(bytes, 0, bytes.length);
  return tape;
}

function compacted(text: string): string {
  const out = new ByteBuffer();
  compactInto(tapeOf(text), out);
  return decode(out.view());
}

function merged(older: string, newer: string): string {
  const out = new ByteBuffer();
  mergeDocuments(tapeOf(older), tapeOf(newer), 'by name', out);
  return decode(out.view());
}

const cut = (document: unknown, fields: string[]): unknown =>
  JSON.parse(
    decode(projectDocument(utf8.encode(JSON.stringify(document)), compileSelection(fields))),
  );

describe('stored form', () => {
  it('drops white space and keeps the spelling of numbers and escapes', () => {
    expect(compacted(' { "a" : [ 1.0 , 1e2, 12345678901234567890 ] , "b":"\\u00e9\\n x" } ')).toBe(
      '{"a":[1.0,1e2,12345678901234567890],"b":"\\u00e9\\n x"}',
    );
  });

  it('keeps the last value of a name that comes twice, at the place of the first, at every level', () => {
    expect(compacted('{"a":1,"b":{"c":1,"c":2},"a":[{"x":1,"y":2,"x":3}]}')).toBe(
      '{"a":[{"x":3,"y":2}],"b":{"c":2}}',
    );
    expect(compacted('{"a":1,"\\u0061":2}')).toBe('{"a":2}');
    expect(compacted('{"__proto__":1,"__proto__":{"constructor":2}}')).toBe(
      '{"__proto__":{"constructor":2}}',
    );
    const many = Array.from({ length: 50 }, (_, i) => `"k${i % 40}":${i}`).join(',');
    expect(JSON.parse(compacted(`{${many}}`))).toEqual(JSON.parse(`{${many}}`));
  });

  it('replaces escapes of half a surrogate pair and leaves whole pairs', () => {
    expect(compacted('{"a\\ud800":"x\\uDBFFy\\ud83d\\ude00\\\\ud800\\udc00"}')).toBe(
      '{"a\\ufffd":"x\\ufffdy\\ud83d\\ude00\\\\ud800\\ufffd"}',
    );
  });

  it('means the same value for any JSON, and is its own compact form', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify({ value }, null, indent);
        const stored = compacted(text);
        expect(JSON.parse(stored)).toEqual(JSON.parse(text));
        expect(isCompact(tapeOf(stored))).toBe(true);
        expect(compacted(stored)).toBe(stored);
      }),
    );
  });
});

describe('add-or-update', () => {
  it('replaces members at their positions, keeps the others and appends new ones', () => {
    expect(merged('{"id":1,"a":{"x":1},"b":2}', '{ "c" : 3 , "a":{"y": 2}, "id":1}')).toBe(
      '{"id":1,"a":{"y":2},"b":2,"c":3}',
    );
    expect(merged('{}', '{}')).toBe('{}');
    expect(merged('{"a":1}', '{"a":2,"a":3,"b":1,"b":2}')).toBe('{"a":3,"b":2}');
  });

  it('merges one member by its own members where both values are objects', () => {
    expect(
      merged('{"by name":{"a":{"x":1},"b":1}}', '{"by name":{"a":{"y":1},"c":[2]},"d":1}'),
    ).toBe('{"by name":{"a":{"y":1},"b":1,"c":[2]},"d":1}');
    expect(merged('{"by name":{"a":1},"n":{"by name":{"a":1}}}', '{"by name":null}')).toBe(
      '{"by name":null,"n":{"by name":{"a":1}}}',
    );
    expect(merged('{"n":{"by name":{"a":1}}}', '{"n":{"by name":{}}}')).toBe(
      '{"n":{"by name":{}}}',
    );
  });

  it('equals spreading one object over the other', () => {
    const document = fc.dictionary(
      fc.constantFrom('a', 'b', 'é', '__proto__', 'a.b'),
      fc.jsonValue(),
      {
        noNullPrototype: false,
      },
    );
    fc.assert(
      fc.property(document, document, (older, newer) => {
        const both = new Map([...Object.entries(older), ...Object.entries(newer)]);
        const result = JSON.parse(merged(JSON.stringify(older), JSON.stringify(newer)));
        expect(Object.keys(result)).toEqual([...both.keys()]);
        for (const [name, value] of both)
          expect(JSON.stringify(result[name])).toBe(JSON.stringify(value));
      }),
    );
  });
});

describe('field selection', () => {
  it('cuts objects and objects inside arrays, and keeps scalars and empty containers on the way', () => {
    const document = {
      id: 1,
      arr: [{ x: 1, z: 0 }, { y: 1 }, null, [], 5, [{ x: 2 }]],
      o: { y: { k: 1 }, w: 2 },
      n: 5,
    };
    expect(cut(document, ['arr.x'])).toEqual({ arr: [{ x: 1 }, {}, null, [], 5, [{ x: 2 }]] });
    expect(cut(document, ['o.y', 'id'])).toEqual({ id: 1, o: { y: { k: 1 } } });
    expect(cut(document, ['n.x'])).toEqual({ n: 5 });
    expect(cut(document, ['o.q'])).toEqual({ o: {} });
    expect(cut(document, ['o', 'o.y'])).toEqual({ o: document.o });
    expect(cut(document, [])).toEqual({});
    expect(cut(document, ['*', 'a*', 'toString'])).toEqual({});
  });

  it('finds literal names with dots, names with escapes and dangerous names', () => {
    expect(cut({ 'a.b': 1, a: { b: 2, c: 3 } }, ['a.b'])).toEqual({ 'a.b': 1, a: { b: 2 } });
    const bytes = utf8.encode('{"__proto__":{"a":1,"b":2},"\\u0061":7}');
    expect(decode(projectDocument(bytes, compileSelection(['__proto__.a', 'a'])))).toBe(
      '{"__proto__":{"a":1},"\\u0061":7}',
    );
  });
});

describe('number text', () => {
  it('keeps 64-bit integers and prints other numbers as the shortest float', () => {
    const examples: [string, string][] = [
      ['5', '5'],
      ['-5', '-5'],
      ['1.0', '1.0'],
      ['1.50', '1.5'],
      ['12345678901234567890', '12345678901234567890'],
      ['18446744073709551616', '1.8446744073709552e+19'],
      ['-9223372036854775808', '-9223372036854775808'],
      ['1e15', '1000000000000000.0'],
      ['1e16', '1e+16'],
      ['0.00001', '0.00001'],
      ['0.000001', '1e-6'],
      ['-0', '-0.0'],
      ['1E2', '100.0'],
    ];
    for (const [source, text] of examples) expect(numberText(source), source).toBe(text);
    expect(numberText('1e400')).toBe('');
  });

  it('recognises by their bytes most numbers that print as they are written, and no other', () => {
    const isSame = (source: string): boolean => {
      const padded = utf8.encode(`[${source}]`);
      return isPrintedAsStored(padded, 1, padded.length - 1);
    };
    const digits = fc.string({
      unit: fc.constantFrom('0', '0', '1', '5', '9'),
      minLength: 1,
      maxLength: 16,
    });
    const exponent = fc.constantFrom('', '', '', 'e1', 'E-7');
    const source = fc
      .tuple(fc.constantFrom('', '-'), digits, fc.option(digits, { nil: null }), exponent)
      .map(
        ([sign, whole, part, power]) =>
          `${sign}${whole.replace(/^0+(?=.)/, '')}${part ? `.${part}` : ''}${power}`,
      );
    fc.assert(
      fc.property(source, (text) => {
        if (isSame(text)) expect(numberText(text)).toBe(text);
      }),
      { numRuns: amount(300, 12_000) },
    );
    for (const text of ['0', '7', '-12', '123456789012345', '1.0', '-3.25', '48.8566'])
      expect(isSame(text), text).toBe(true);
    for (const text of ['-0', '1.50', '1e3', '0.000001', '1.10'])
      expect(isSame(text), text).toBe(false);
  });

  it('prints floats that read back as themselves', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(Number(floatText(value))).toBe(value);
        expect(floatText(value)).toMatch(/[.e]/);
      }),
    );
  });
});

/** Payload checks at upload: counts, positions of errors, and CSV as the API defines it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/core/errors.ts';
import { checkPayload } from '../../../src/indexing/payload/check-payload.ts';

const utf8 = new TextEncoder();
const json = { format: 'json', csvDelimiter: ',' } as const;
const ndjson = { format: 'ndjson', csvDelimiter: ',' } as const;
const csv = { format: 'csv', csvDelimiter: ',' } as const;

const check = (text: string, options: Parameters<typeof checkPayload>[1]) =>
  checkPayload(utf8.encode(text), options);

function refusal(text: string | Uint8Array, options: Parameters<typeof checkPayload>[1]): string {
  try {
    checkPayload(typeof text === 'string' ? utf8.encode(text) : text, options);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect(error.code).toBe('malformed_payload');
    return error.message;
  }
  throw new Error('the payload was accepted');
}

function rowsOf(text: string, csvDelimiter = ','): unknown[] {
  const { bytes, documentCount, format } = check(text, {
    format: 'csv',
    csvDelimiter,
  });
  expect(format).toBe('ndjson');
  const lines = new TextDecoder()
    .decode(bytes)
    .split('\n')
    .filter((line) => line !== '');
  expect(lines).toHaveLength(documentCount);
  return lines.map((line) => JSON.parse(line));
}

describe('checkPayload of JSON', () => {
  it('counts the objects of an array, one object as one, and an empty array as none', () => {
    expect(check('[{"id":1}, {"id":2} ]\n', json)).toEqual({ format: 'json', documentCount: 2 });
    expect(check(' {"id":1} ', json)).toEqual({ format: 'json', documentCount: 1 });
    expect(check('[]', json)).toEqual({ format: 'json', documentCount: 0 });
  });

  it('counts NDJSON objects with any white space between them', () => {
    expect(check('{"id":1}\n\n{"id":2}{"id":3}\r\n', ndjson)).toEqual({
      format: 'ndjson',
      documentCount: 3,
    });
    expect(check('', ndjson).documentCount).toBe(0);
  });

  it('names the document and the position of what is wrong', () => {
    expect(refusal('[{"id":1},\n {"id":}]', json)).toMatch(
      /document 2: expected a value, found `}` \(line 2, column 8, byte 18\)/,
    );
    expect(refusal('[{"id":1}, 3]', json)).toMatch(/document 2 is not an object/);
    expect(refusal('[[{}]]', json)).toMatch(/document 1 is not an object/);
    expect(refusal('{"id":1}\n1', ndjson)).toMatch(
      /document 2 is not an object \(line 2, column 1/,
    );
    expect(refusal('[{"id":1} {"id":2}]', json)).toMatch(/after document 1/);
    expect(refusal('[{"id":1}] x', json)).toMatch(/after the array/);
    expect(refusal('{"id":1}{"id":2}', json)).toMatch(/after the document/);
    for (const bare of ['3', '"x"', 'null'])
      expect(refusal(bare, json)).toMatch(/document 1 is not an object/);
    expect(refusal('', json)).toMatch(/end of the text/);
  });

  it.each(['1e400', '-1e309', '1E+999', '9'.repeat(400), `${'9'.repeat(309)}.5`])(
    'refuses the number %s, which clients cannot read',
    (number) => {
      for (const text of [`{"id":1,"n":${number}}`, `[{"id":1,"n":[2,${number},3]}]`])
        expect(refusal(text, json)).toMatch(/document 1: the number is out of range of a 64-bit/);
    },
  );

  it('accepts the largest and the least numbers', () => {
    for (const number of ['1.7976931348623157e308', '-1e308', '1e-400', '9'.repeat(308), '0e999'])
      expect(check(`{"id":1,"n":[${number},${number}]}`, json)).toMatchObject({ documentCount: 1 });
  });

  it('refuses a body that is cut anywhere', () => {
    const body = utf8.encode('[{"id":1,"a":["é\\u00e9",{"b":null}]},{"id":-2.5e3}]');
    for (let end = 0; end < body.length; end++) refusal(body.subarray(0, end), json);
  });

  it('refuses 100,000-deep documents and names them', () => {
    expect(refusal(`[{"id":1},{"a":${'['.repeat(100_000)}`, json)).toMatch(
      /document 2: values are nested deeper/,
    );
  });
});

describe('checkPayload of CSV', () => {
  it('types columns by their header and makes empty cells null', () => {
    const text =
      'id:number,name:string,ok:boolean,odd:thing,plain\r\n1,"a ""b"", c",true,x,\r\n-2.50,,false,,y\n';
    expect(rowsOf(text)).toEqual([
      { id: 1, name: 'a "b", c', ok: true, 'odd:thing': 'x', plain: null },
      { id: -2.5, name: null, ok: false, 'odd:thing': null, plain: 'y' },
    ]);
  });

  it('reads numbers that JSON would not: leading zeros, plus signs, bare points', () => {
    expect(rowsOf('n:number\n007\n+5\n.5\n5.\n1e3\n 12 \n')).toEqual(
      [7, 5, 0.5, 5, 1000, 12].map((n) => ({ n })),
    );
  });

  it('reads the integer -0 as 0, and keeps the float -0.0', () => {
    expect(rowsOf('n:number\n-0\n-00\n-0.0\n')).toEqual([{ n: 0 }, { n: 0 }, { n: -0 }]);
  });

  it('reads numbers that JSON does not have as null', () => {
    expect(rowsOf('n:number\nNaN\n-inf\n+Infinity\n1e400\n-1e400\n+2e400\n')).toEqual(
      Array.from({ length: 6 }, () => ({ n: null })),
    );
  });

  it('keeps line ends, delimiters and text of any script inside quotes', () => {
    expect(rowsOf('id;t\n1;"a\nb;c\té"\n2;東京\\\n', ';')).toEqual([
      { id: '1', t: 'a\nb;c\té' },
      { id: '2', t: '東京\\' },
    ]);
  });

  it('gives no document for a header alone, and skips blank lines and a byte-order mark', () => {
    expect(rowsOf('id,name\n')).toEqual([]);
    expect(rowsOf('\ufeffid\n\n1\n\n2')).toEqual([{ id: '1' }, { id: '2' }]);
  });

  it('has at most as many cells in a row as an index has field names', () => {
    const cells = 65_535;
    expect(check(`${'a,'.repeat(cells - 1)}id\n${'1,'.repeat(cells - 1)}1\n`, csv)).toMatchObject({
      documentCount: 1,
    });
    const tooMany = /row 1 has more than 65535 cells/;
    expect(refusal(`${'a,'.repeat(cells)}id\n`, csv)).toMatch(tooMany);
    expect(refusal(`a,b\n${','.repeat(cells)}`, csv)).toMatch(/row 2 has more than 65535 cells/);
  });

  it('reports the row of a wrong cell count, a wrong number, a wrong boolean, an open quote and broken text', () => {
    expect(refusal('a,b\n1,2\n3\n', csv)).toMatch(/row 3 has 1 cells, the header has 2/);
    expect(refusal('a:number\n1\nx\n', csv)).toMatch(/row 3: "x" in column `a` is no number/);
    expect(refusal('a:boolean\nyes\n', csv)).toMatch(/row 2: "yes" in column `a` is no boolean/);
    expect(refusal('a\n"open', csv)).toMatch(/row 2: the quoted cell 1 does not end/);
    expect(refusal(Uint8Array.from([0x61, 0x0a, 0xff, 0x0a]), csv)).toMatch(
      /row 2: cell 1 is not valid UTF-8/,
    );
  });

  it('brings back any table of strings written by the rules of RFC 4180', () => {
    const cell = fc.string({ unit: 'binary' });
    const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;
    const table = fc
      .integer({ min: 1, max: 5 })
      .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width })));
    fc.assert(
      fc.property(table, (rows) => {
        const width = rows[0]?.length ?? 1;
        const names = Array.from({ length: width }, (_, i) => `c${i}`);
        const text = [names, ...rows].map((row) => row.map(quote).join(',')).join('\r\n');
        const expected = rows.map((row) =>
          Object.fromEntries(row.map((value, i) => [names[i], value === '' ? null : value])),
        );
        expect(rowsOf(text)).toEqual(expected);
      }),
    );
  });
});

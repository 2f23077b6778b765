/** Parsing of JSON bodies: what is refused, and the place of the fault in the message. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/core/errors.ts';
import { JsonError } from '../../../src/engine/json/json-error.ts';
import { parseBoundedJson, parseJsonBody } from '../../../src/http/json-body.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

function refusal(text: string | Uint8Array): ApiError {
  try {
    parseJsonBody(typeof text === 'string' ? bytes(text) : text);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('was not refused');
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('parseJsonBody', () => {
  it('gives every JSON value back', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseJsonBody(bytes(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('reads halves of surrogate pairs, which no answer could carry, as U+FFFD', () => {
    const text = String.raw`{"q":"\ud83d\ude00 \ud800x","\udc00":["\uDBFF"]}`;
    expect(parseJsonBody(bytes(text))).toEqual({ q: '😀 \ufffdx', '\ufffd': ['\ufffd'] });
  });

  it.each([
    ['{"q": }', 6, 'a value'],
    ['{"q":"a",}', 9, 'a member name'],
    ['[1 2]', 3, '`,`'],
    ['[', 1, 'the end of the text'],
    ['"abc', 4, 'does not end'],
    ['{"a" 1}', 5, '`:`'],
    ['{} {}', 3, 'the end of the text after the value'],
    ['[01]', 2, '`,`'],
    ['{a: 1}', 1, 'a member name'],
    ['nul', 3, '`null`'],
    ['[1,\n tru]', 8, 'line 2, column 5'],
    ['["\u0001"]', 2, 'control characters'],
    [' ', 1, 'a value'],
  ])('says of %j where it is wrong', (text, byte, words) => {
    const error = refusal(text);
    expect(error.code).toBe('malformed_payload');
    expect(error.message).toContain(`byte ${byte})`);
    expect(error.message).toContain(words);
  });

  it('refuses an empty body, bytes that are no UTF-8, and nesting beyond 128 levels', () => {
    expect(refusal('').code).toBe('missing_payload');
    expect(refusal(Uint8Array.of(0x22, 0xc3, 0x22)).message).toContain('UTF-8');
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(parseJsonBody(bytes(nested(128)))).toBeInstanceOf(Array);
    expect(refusal(nested(129)).code).toBe('malformed_payload');
    expect(refusal('{"a":'.repeat(100_000)).code).toBe('malformed_payload');
  });

  it('counts levels, not brackets', () => {
    const wide = JSON.stringify({ a: Array.from({ length: 300 }, () => [{}]) });
    expect(parseJsonBody(bytes(wide))).toEqual(JSON.parse(wide));
    expect(parseJsonBody(bytes(`[${'[],'.repeat(126)}[]]`))).toHaveLength(127);
    const half = '['.repeat(70) + '{"a":'.repeat(59);
    expect(refusal(`${half}1${'}'.repeat(59)}${']'.repeat(70)}`).message).toContain('deeper');
  });

  it('takes long texts', () => {
    const long = JSON.stringify([1, 'x'.repeat(1_100_000)]);
    expect(parseJsonBody(bytes(long))).toEqual(JSON.parse(long));
    expect(refusal(`${long} 1`).message).toContain('the end of the text after the value');
  });

  it('takes brackets inside strings', () => {
    expect(parseJsonBody(bytes(JSON.stringify('[{"\\'.repeat(200))))).toBe('[{"\\'.repeat(200));
  });
});

describe('parseBoundedJson', () => {
  it('takes the texts that JSON.parse takes, and no others', () => {
    const damaged = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', ']', '}', '"', ':', '0', 'x', '\\', '['))
      .map(([text, at, insert]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + insert + text.slice(place + 1);
      });
    fc.assert(
      fc.property(damaged, (text) => {
        if (isJson(text)) expect(parseBoundedJson(bytes(text))).toEqual(JSON.parse(text));
        else expect(() => parseBoundedJson(bytes(text))).toThrow(JsonError);
      }),
    );
  });
});

describe('the amount of values in a body', () => {
  const list = (item: string, count: number) => `[${Array(count).fill(item).join(',')}]`;
  const members = (count: number) =>
    `{${Array.from({ length: count }, (_, i) => `"k${i}":1`).join(',')}}`;

  it.each([
    ['two million values', list('1', 2_000_000)],
    ['half a million objects', list('{}', 500_000)],
    ['half a million arrays', list('[]', 500_000)],
    ['half a million members', members(500_000)],
    ['members of many objects', list('{"a":1}', 150_000)],
    ['half a million strings', list('"a"', 500_000)],
  ])('is refused beyond the limit: %s', (_, text) => {
    const message = expect.stringMatching(
      /holds more than the (1200000 values|120000 arrays|300000 strings)/,
    );
    expect(refusal(text)).toMatchObject({ code: 'payload_too_large', message });
  });

  it('may be what vectors, lists of ids and synonyms need', () => {
    expect(parseBoundedJson(bytes(list('12345678', 1_000_000)))).toHaveLength(1_000_000);
    expect(parseBoundedJson(bytes(list('"a"', 300_000)))).toHaveLength(300_000);
    expect(Object.keys(parseBoundedJson(bytes(members(119_999))) as object)).toHaveLength(119_999);
  });

  it('counts no commas, colons, quotes and brackets of strings', () => {
    const text = ',:"[{'.repeat(2_000_000);
    expect(parseBoundedJson(bytes(JSON.stringify(text)))).toBe(text);
  });
});

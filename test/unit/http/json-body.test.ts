/** Parsing of JSON bodies: depth, encoding, and the position of the first fault, checked against what the parser itself reports. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/core/errors.ts';
import { isNestedDeeperThan, locateSyntaxError, parseJson } from '../../../src/http/json-body.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

function refusal(text: string | Uint8Array): ApiError {
  try {
    parseJson(typeof text === 'string' ? bytes(text) : text);
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

describe('parseJson', () => {
  it('gives every JSON value back', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseJson(bytes(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([
    ['{"q": }', 6, 'a value'],
    ['{"q":"a",}', 9, 'a member name'],
    ['[1 2]', 3, '`,`'],
    ['[', 1, 'the end of the body'],
    ['"abc', 0, 'a value'],
    ['{"a" 1}', 5, '`:`'],
    ['{} {}', 3, 'nothing more'],
    ['[01]', 2, '`,`'],
    ['{a: 1}', 1, 'a member name or `}`'],
    ['nul', 0, 'a value'],
    ['[1,\n tru]', 5, 'line 2, column 2'],
    ['["\u0001"]', 1, 'a value'],
  ])('says of %j where it is wrong', (text, position, words) => {
    const error = refusal(text);
    expect(error.code).toBe('malformed_payload');
    expect(error.message).toContain(`position ${position} `);
    expect(error.message).toContain(words);
  });

  it('refuses an empty body, bytes that are no UTF-8, and nesting beyond 128 levels', () => {
    expect(refusal('').code).toBe('missing_payload');
    expect(refusal(Uint8Array.of(0x22, 0xc3, 0x22)).message).toContain('UTF-8');
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(parseJson(bytes(nested(128)))).toBeInstanceOf(Array);
    expect(refusal(nested(129)).code).toBe('malformed_payload');
    expect(refusal('{"a":'.repeat(100_000)).code).toBe('malformed_payload');
  });

  it('takes lone surrogates and brackets inside strings', () => {
    expect(parseJson(bytes('"\\ud800"'))).toBe('\ud800');
    expect(parseJson(bytes(JSON.stringify('[{"\\'.repeat(200))))).toBe('[{"\\'.repeat(200));
  });
});

describe('locateSyntaxError', () => {
  it('finds a place in every text that is not JSON, up to which the text can be continued', () => {
    const damaged = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', ']', '}', '"', ':', '0', 'x', '\\', '['))
      .map(([text, at, insert]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + insert + text.slice(place + 1);
      });
    fc.assert(
      fc.property(damaged, (text) => {
        fc.pre(!isJson(text));
        const { position } = locateSyntaxError(text);
        expect(position).toBeLessThanOrEqual(text.length);
        const before = locateSyntaxError(text.slice(0, position));
        if (!isJson(text.slice(0, position))) expect(before.position).toBe(position);
      }),
    );
  });

  it('survives a string of megabytes', () => {
    const text = `["${'x'.repeat(5_000_000)}" oops]`;
    expect(locateSyntaxError(text).position).toBe(5_000_004);
  });
});

describe('isNestedDeeperThan', () => {
  it('counts only brackets outside strings', () => {
    expect(isNestedDeeperThan(bytes('["[[[[", {"a\\"[": []}]'), 3)).toBe(false);
    expect(isNestedDeeperThan(bytes('["[[[[", {"a\\"[": []}]'), 2)).toBe(true);
  });
});

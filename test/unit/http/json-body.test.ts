/** Parsing of JSON bodies: what is refused, and the place of the fault in the message. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/core/errors.ts';
import { TimeSlices } from '../../../src/core/time-slices.ts';
import { JsonError } from '../../../src/engine/json/json-error.ts';
import { JsonTape } from '../../../src/engine/json/json-tape.ts';
import { JsonAmounts } from '../../../src/http/json-amounts.ts';
import {
  parseBoundedJson,
  parseJsonBody,
  parseLargeJsonBody,
} from '../../../src/http/json-body.ts';
import { LargeJson } from '../../../src/http/large-json.ts';
import { ClientGone } from '../../../src/http/request-body.ts';

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

describe('parseLargeJsonBody', () => {
  const HERE = { isAborted: false };
  const slices = () => new TimeSlices(() => 0, {});
  const parsed = (text: string, caller = HERE) => parseLargeJsonBody(bytes(text), slices(), caller);

  it('gives the value of a large text', async () => {
    const value = {
      ids: Array.from({ length: 100_000 }, (_, i) => i),
      words: Object.fromEntries(Array.from({ length: 9000 }, (_, i) => [`wörd ${i}`, [`${i}`]])),
      long: 'x'.repeat(100_000),
      nested: [[Array.from({ length: 20_000 }, () => null)], { '': true }],
    };
    expect(await parsed(JSON.stringify(value, null, 1))).toEqual(value);
  });

  it('reads halves of surrogate pairs as U+FFFD', async () => {
    const text = String.raw`{"q":["\ud800",{"\udc00":"\ud83d\ude00"}]}`;
    expect(await parsed(text)).toEqual({ q: ['\ufffd', { '\ufffd': '😀' }] });
  });

  it('says where a text is wrong', async () => {
    const message = expect.stringContaining('(line 1, column 100002, byte 100001)');
    await expect(parsed(`[${'1'.repeat(100_000)}}`)).rejects.toMatchObject({ message });
  });

  it('ends when the client has left', async () => {
    await expect(parsed('[1]', { isAborted: true })).rejects.toThrow(ClientGone);
    expect(await parsed('[1]')).toEqual([1]);
  });

  it('parses parts of any size as JSON.parse parses the whole', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), fc.nat(30), async (text, partBytes) => {
        const tape = new JsonTape();
        tape.scan(bytes(text), 0, bytes(text).length);
        fc.pre(!tape.hasLoneSurrogate);
        const value = await new LargeJson(tape, slices(), HERE, partBytes).value();
        expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  it.each([
    '{"__proto__":{"a":1},"b":2}',
    '{"a":1,"a":2,"1":3}',
    '{"constructor":{"prototype":null}}',
    '[{"__proto__":null,"toString":1}]',
  ])('has the members of %s', async (text) => {
    for (const partBytes of [0, 8, 1000]) {
      const tape = new JsonTape();
      tape.scan(bytes(text), 0, text.length);
      const value = await new LargeJson(tape, slices(), HERE, partBytes).value();
      expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
    }
    expect(Object.hasOwn(Object.prototype, 'a')).toBe(false);
  });
});

describe('JsonAmounts', () => {
  const count = (text: string, chunkBytes = 65_536) => {
    const amounts = new JsonAmounts();
    const whole = bytes(text);
    for (let at = 0; at < whole.length; at += chunkBytes)
      amounts.add(whole.subarray(at, at + chunkBytes));
  };
  const list = (item: string, length: number) => `[${Array(length).fill(item).join(',')}]`;
  const members = (length: number) =>
    `{${Array.from({ length }, (_, i) => `"k${i}":1`).join(',')}}`;

  it.each([
    ['two million values', list('1', 2_000_000)],
    ['half a million objects', list('{}', 500_000)],
    ['half a million arrays', list('[]', 500_000)],
    ['half a million members', members(500_000)],
    ['members of many objects', list('{"a":1}', 150_000)],
    ['half a million strings', list('"a"', 500_000)],
  ])('refuses more than the limit: %s', (_, text) => {
    const message = expect.stringMatching(
      /holds more than the (1200000 values|120000 arrays|300000 strings)/,
    );
    for (const chunkBytes of [1021, 65_536, text.length])
      expect(() => count(text, chunkBytes)).toThrow(
        expect.objectContaining({ code: 'payload_too_large', message }),
      );
  });

  it('takes as much as vectors, lists of ids and synonyms need', () => {
    for (const text of [list('12345678', 1_000_000), list('"a"', 300_000), members(119_999)])
      count(text);
  });

  it('leaves a text that is nested too deep to the parser', () => {
    const deep = '['.repeat(500_000);
    for (const chunkBytes of [1021, deep.length]) count(deep, chunkBytes);
    expect(() => parseJsonBody(bytes(deep))).toThrow(
      expect.objectContaining({ code: 'malformed_payload' }),
    );
  });

  it('counts no commas, colons, quotes and brackets of strings', () => {
    const text = JSON.stringify(',:"[{\\'.repeat(200_000));
    for (const chunkBytes of [1021, 1024, text.length]) count(text, chunkBytes);
  });
});

/**
 * Violations become the error that the notes of the schema name, with the place, the value and what
 * is allowed.
 */
import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/core/errors.ts';
import { preview } from '../../../src/core/preview.ts';
import { validate } from '../../../src/http/validator.ts';
import {
  closed,
  count,
  mapOf,
  nullable,
  oneOf,
  refused,
  strings,
} from '../../../src/model/schemas/schema.ts';

const schema = closed({
  limit: Type.Optional(count('invalid_search_limit')),
  inner: Type.Optional(
    nullable(
      closed(
        {
          size: Type.Optional(count('invalid_search_offset', 1)),
          other: Type.Optional(Type.Boolean()),
        },
        { code: 'invalid_settings_pagination' },
      ),
    ),
  ),
  list: Type.Optional(strings('invalid_search_facets')),
  map: Type.Optional(
    mapOf(oneOf(['a', 'b'], 'invalid_settings_faceting'), 'invalid_settings_faceting', 'a map'),
  ),
  fixed: Type.Optional(refused('immutable_index_created_at', 'no such member')),
  name: Type.String({ missing: 'missing_index_uid', code: 'invalid_index_uid', expects: 'a name' }),
});

function violation(value: unknown): [string, string] {
  try {
    validate(schema, value);
  } catch (error) {
    if (error instanceof ApiError) return [error.code, error.message];
    throw error;
  }
  return ['', ''];
}

describe('validate', () => {
  it('lets pass what fits', () => {
    expect(
      violation({ name: 'x', limit: 0, inner: null, list: [], map: { 'odd\nkey': 'a' } }),
    ).toEqual(['', '']);
  });

  it('accepts counts of 64 bits, which clients send for no limit', () => {
    expect(violation({ name: 'x', limit: JSON.parse('18446744073709551615') })).toEqual(['', '']);
  });

  it.each([
    [[], 'bad_request', 'The body is []'],
    [{ name: 'x', limit: 1e20 }, 'invalid_search_limit', '`limit` is 100000000000000000000'],
    [null, 'bad_request', 'The body is null, expected an object'],
    [{}, 'missing_index_uid', '`name` is missing, expected a name'],
    [{ name: 1 }, 'invalid_index_uid', '`name` is 1, expected a name'],
    [
      { name: 'x', limit: -1 },
      'invalid_search_limit',
      '`limit` is -1, expected a non-negative integer',
    ],
    [
      { name: 'x', inner: { size: 0 } },
      'invalid_search_offset',
      '`inner.size` is 0, expected an integer of at least 1',
    ],
    [{ name: 'x', inner: { other: 'y' } }, 'invalid_settings_pagination', '`inner.other` is "y"'],
    [
      { name: 'x', inner: { odd: 1 } },
      'invalid_settings_pagination',
      '`inner.odd` is unknown here, expected one of `size`, `other`',
    ],
    [
      { name: 'x', inner: 3 },
      'invalid_settings_pagination',
      '`inner` is 3, expected an object or null',
    ],
    [{ name: 'x', list: ['a', 2] }, 'invalid_search_facets', '`list[1]` is 2, expected a string'],
    [
      { name: 'x', map: { k: 'c' } },
      'invalid_settings_faceting',
      '`map.k` is "c", expected one of `a`, `b`',
    ],
    [{ name: 'x', fixed: null }, 'immutable_index_created_at', '`fixed` is null'],
    [{ name: 'x', Limit: 1 }, 'bad_request', '`Limit` is unknown here'],
    [{ constructor: 1, name: 'x' }, 'bad_request', '`constructor` is unknown here'],
  ])('refuses %j with %s', (value, code, words) => {
    const [found, message] = violation(value);
    expect(found).toBe(code);
    expect(message).toContain(words);
  });

  it('reports the first problem in the order of the value', () => {
    expect(violation({ list: 1, limit: 'a' })[0]).toBe('invalid_search_facets');
    expect(violation({ limit: 'a', list: 1 })[0]).toBe('invalid_search_limit');
    expect(violation(JSON.parse('{"__proto__":1,"limit":"a"}'))[0]).toBe('bad_request');
  });
});

describe('preview', () => {
  it('stays short for any value', () => {
    for (const value of [
      'x'.repeat(1e6),
      Array.from({ length: 1e5 }, () => 'x'),
      Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`${i}`.repeat(500), 1])),
    ]) {
      expect(preview(value).length).toBeLessThan(1000);
    }
    expect(preview(undefined)).toBe('nothing');
    expect(preview([Number.POSITIVE_INFINITY])).toBe('[Infinity]');
    expect(preview({ a: 1 })).toBe('an object with "a"');
  });
});

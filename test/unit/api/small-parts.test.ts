/**
 * The small pure parts of the routes: secrets, request uids, sort criteria, sizes.
 */
import { describe, expect, it } from 'vitest';
import { parseSort } from '../../../src/api/searches/parse-sort.ts';
import { humanSize } from '../../../src/core/human-size.ts';
import { maskSecret } from '../../../src/core/mask-secret.ts';

describe('maskSecret', () => {
  it.each([
    ['', 'XXX...'],
    ['123456789', 'XXX...'],
    ['1234567890', '12XXXX...'],
    ['x'.repeat(20), 'xxxXXXXX...'],
    ['x'.repeat(30), 'xxxxxXXXXXX...'],
    ['Bearer 1234567890', 'Bearer 12XXXX...'],
  ])('%s → %s', (secret, masked) => {
    expect(maskSecret(secret)).toBe(masked);
  });
});

describe('parseSort', () => {
  it.each([
    'title:asc',
    'a:b:desc',
    '_geoPoint(48.8, 2.3):asc',
    '_geoPoint(-90,180):desc',
    '_geoPoint( 1 , +2. ):asc',
    '_geometry:asc',
  ])('takes %s', (criterion) => {
    expect(() => parseSort([criterion], 'invalid_search_sort')).not.toThrow();
  });

  it.each([
    '',
    'title',
    'title:up',
    ':asc',
    '_geoPoint(1):asc',
    '_geoPoint(91,0):asc',
    '_geoPoint(0,181):asc',
    '_geoPoint(a,b):asc',
    '_geoPoint( , ):asc',
    '_geoPoint(1,2,3):asc',
    '_geoDistance:asc',
    '_geojson:asc',
    '_geo:desc',
    '_geoRadius(1,2,3):asc',
  ])('refuses %j', (criterion) => {
    expect(() => parseSort(['title:asc', criterion], 'invalid_document_sort')).toThrow(
      expect.objectContaining({ code: 'invalid_document_sort' }),
    );
  });

  it.each([' ', '1', ':'])('takes linear time for a million times %j', (character) => {
    const filling = character.repeat(1_000_000);
    for (const field of [`_geoPoint(${filling}x,1)`, `_geoPoint(${filling}`, `_geo(${filling}`])
      expect(() => parseSort([`${field}:asc`], 'invalid_document_sort')).toThrow(
        /^`_geo.{1,80}…` is not a valid sort criterion/,
      );
  });
});

describe('humanSize', () => {
  it.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1536, '1.5 KiB'],
    [5 * 1024 ** 3, '5 GiB'],
  ])('%d → %s', (bytes, text) => {
    expect(humanSize(bytes)).toBe(text);
  });
});

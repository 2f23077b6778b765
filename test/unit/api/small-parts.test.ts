/**
 * The small pure parts of the routes: secrets, request uids, sort criteria, sizes.
 */
import { describe, expect, it } from 'vitest';
import { parseSort } from '../../../src/api/searches/parse-sort.ts';
import { humanSize } from '../../../src/core/human-size.ts';
import { maskSecret } from '../../../src/core/mask-secret.ts';
import { createTimeOrderedUids } from '../../../src/core/time-ordered-uid.ts';

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

describe('createTimeOrderedUids', () => {
  it('makes distinct version 7 UUIDs that sort by time', () => {
    let time = 1_700_000_000_000;
    const next = createTimeOrderedUids(() => time++);
    const uids = Array.from({ length: 2000 }, next);
    for (const uid of uids)
      expect(uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(uids).size).toBe(uids.length);
    expect([...uids].sort()).toEqual(uids);
  });
});

describe('parseSort', () => {
  it.each([
    'title:asc',
    'a:b:desc',
    '_geoPoint(48.8, 2.3):asc',
    '_geoPoint(-90,180):desc',
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
    '_geoDistance:asc',
    '_geo:desc',
    '_geoRadius(1,2,3):asc',
  ])('refuses %j', (criterion) => {
    expect(() => parseSort(['title:asc', criterion], 'invalid_document_sort')).toThrow(
      expect.objectContaining({ code: 'invalid_document_sort' }),
    );
  });
});

describe('humanSize', () => {
  it.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1536, '1.50 KiB'],
    [5 * 1024 ** 3, '5.00 GiB'],
  ])('%d → %s', (bytes, text) => {
    expect(humanSize(bytes)).toBe(text);
  });
});

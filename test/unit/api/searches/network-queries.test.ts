/** Parameters that accompany a query to remote instances: the restrictions of the caller. */
import { describe, expect, it } from 'vitest';
import { boundFilter } from '../../../../src/api/searches/network-queries.ts';

describe('the filter of a query to another instance', () => {
  it.each([
    ['a filter', 'user = 1', 'year > 2000', ['user = 1', 'year > 2000']],
    [
      'lists',
      ['user = 1'],
      [['a = 1', 'a = 2'], 'b = 3'],
      ['user = 1', ['a = 1', 'a = 2'], 'b = 3'],
    ],
    ['no filter', 'user = 1', null, 'user = 1'],
  ])('adds the restrictions of the caller to %s', (_, binding, filter, both) => {
    expect(boundFilter(binding, filter)).toEqual(both);
  });

  it('is that of the query where nothing binds the caller', () => {
    expect(boundFilter(undefined, 'year > 2000')).toBe('year > 2000');
    expect(boundFilter(undefined, undefined)).toBeNull();
  });

  it('is refused if it is no filter, from any source', () => {
    const code = 'invalid_search_filter';
    expect(() => boundFilter(3, 'a = 1')).toThrow(expect.objectContaining({ code }));
    expect(() => boundFilter('a = 1', 3)).toThrow(expect.objectContaining({ code }));
  });
});

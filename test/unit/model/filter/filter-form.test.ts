/** Filters in their JSON forms. */
import { describe, expect, it } from 'vitest';
import { bothFilters } from '../../../../src/model/filter/filter-form.ts';

const code = 'invalid_search_filter';

describe('two filters', () => {
  it.each([
    ['texts', 'user = 1', 'year > 2000', ['user = 1', 'year > 2000']],
    [
      'lists',
      ['user = 1'],
      [['a = 1', 'a = 2'], 'b = 3'],
      ['user = 1', ['a = 1', 'a = 2'], 'b = 3'],
    ],
    ['a text and null', 'user = 1', null, 'user = 1'],
    ['undefined and a text', undefined, 'year > 2000', 'year > 2000'],
    ['absent ones', undefined, null, null],
  ])('that are %s are joined by AND', (_, one, other, both) => {
    expect(bothFilters(one, other, code)).toEqual(both);
  });

  it('are refused if one of them is no filter', () => {
    expect(() => bothFilters(3, 'a = 1', code)).toThrow(expect.objectContaining({ code }));
    expect(() => bothFilters('a = 1', 3, code)).toThrow(expect.objectContaining({ code }));
  });
});

/** Conditions on other indexes in the text of a filter, and what takes their place. */
import { describe, expect, it } from 'vitest';
import { Deadline } from '../../../../src/core/deadline.ts';
import { FilterClock } from '../../../../src/model/filter/filter-clock.ts';
import type { FilterForm } from '../../../../src/model/filter/filter-form.ts';
import { parseFilter } from '../../../../src/model/filter/parse-filter.ts';
import { replaceForeign } from '../../../../src/model/filter/replace-foreign.ts';

const CODE = 'invalid_search_filter';
const FEATURES = { containsFilter: false, multimodal: false, foreignKeys: true };

async function replaced(form: FilterForm) {
  const found: string[] = [];
  const clock = new FilterClock(Deadline.never(), CODE);
  const result = await replaceForeign(form, { code: CODE, features: FEATURES, clock }, (one) => {
    found.push(`${one.attribute}: ${one.filterText}`);
    return Promise.resolve(`"${one.attribute}" IN ["1"]`);
  });
  return { result, found };
}

describe('replacements of _foreign', () => {
  it.each<[FilterForm, FilterForm, string[]]>([
    ['a = 1', 'a = 1', []],
    ['a = "_foreign(b, c = 1)"', 'a = "_foreign(b, c = 1)"', []],
    ['_foreign(by, team = x)', '"by" IN ["1"]', ['by: team = x']],
    [
      'a = 1 AND NOT (_foreign(by,(x = 1 OR y = ")"))OR b = 2) AND _foreign("the by", z EXISTS)',
      'a = 1 AND NOT ("by" IN ["1"]OR b = 2) AND "the by" IN ["1"]',
      ['by: (x = 1 OR y = ")")', 'the by: z EXISTS'],
    ],
    [
      ['_foreign(a, x = 1)', ['b = 1', ' _foreign( b , y = 2 ) ']],
      ['"a" IN ["1"]', ['b = 1', ' "b" IN ["1"] ']],
      ['a: x = 1', 'b: y = 2'],
    ],
  ])('leave the other parts of %j as they are', async (form, expected, conditions) => {
    const { result, found } = await replaced(form);
    expect(result).toEqual(expected);
    expect(found.sort()).toEqual([...conditions].sort());
    expect(() => parseFilter(result, CODE, FEATURES)).not.toThrow();
  });

  it.each<[FilterForm, string]>([
    ['_foreign(a, x = )', 'The filter has invalid syntax at column 17'],
    [['a = 1', ['_foreign(a)']], 'The filter `filter[1][0]` has invalid syntax at column 11'],
    ['_foreign(a, _foreign(b, c = 1))', 'no `_foreign` inside another'],
    ['_foreign(a, b CONTAINS c)', 'containsFilter'],
  ])('refuse %j', async (form, message) => {
    await expect(replaced(form)).rejects.toThrow(message);
  });
});

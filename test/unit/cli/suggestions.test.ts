/** Suggestions out of queries and values: what is merged, left out, and first. */
import { describe, expect, it } from 'vitest';
import {
  deniedIn,
  rankedSuggestions,
  type SearchedQuery,
  type SuggestionBounds,
  suggestionId,
  topValue,
} from '../../../src/cli/suggestions.ts';

const query = (text: string, searches: number, searchesWithoutResults = 0): SearchedQuery => ({
  query: text,
  searches,
  searchesWithoutResults,
});
const BOUNDS: SuggestionBounds = { searchesMin: 5, count: 100, denied: [] };
const ranked = (
  queries: readonly SearchedQuery[],
  values: readonly string[] = [],
  bounds: Partial<SuggestionBounds> = {},
) =>
  rankedSuggestions(queries, values, { ...BOUNDS, ...bounds }).map(
    ({ text, searches }) => `${text} ${searches}`,
  );

describe('suggestions', () => {
  it.each<[string, string[], string[]]>([
    [
      'the most searched first, then by text',
      ranked([query('b', 5), query('c', 9), query('a', 5)]),
      ['c 9', 'a 5', 'b 5'],
    ],
    ['not what few searched for', ranked([query('rare', 4), query('often', 5)]), ['often 5']],
    [
      'not what never found anything',
      ranked([query('lost', 9, 9), query('found', 9, 8)]),
      ['found 9'],
    ],
    ['not the empty query', ranked([query('', 90)]), []],
    ['not long texts', ranked([query('x'.repeat(81), 9)], ['y'.repeat(81)]), []],
    [
      'values of fields, unsearched',
      ranked([], ['Vertigo', ' North  by Northwest ']),
      ['North by Northwest 0', 'Vertigo 0'],
    ],
    [
      'a value has the searches of its query, and its own spelling',
      ranked([query('vertigo', 7), query('x', 6)], ['Vertigo']),
      ['Vertigo 7', 'x 6'],
    ],
    [
      'not more than allowed',
      ranked([query('a', 9), query('b', 8)], ['c'], { count: 2 }),
      ['a 9', 'b 8'],
    ],
    [
      'not denied words, in a row and whole',
      ranked(
        [query('bad', 9), query('a bad word', 8), query('badly', 7), query('word bad', 6)],
        [],
        {
          denied: ['bad word', 'bad'],
        },
      ),
      ['badly 7'],
    ],
  ])('are %s', (_, found, expected) => {
    expect(found).toEqual(expected);
  });

  it('are denied by lines without comments', () => {
    expect(deniedIn('Bad  Word # why\n\n# all of it\nother\r\n')).toEqual(['bad word', 'other']);
  });

  it('have the same id in each run, whatever their spelling', () => {
    const [a, b, c] = ['Vertigo', ' vertigo', 'Carol'].map((text) =>
      suggestionId({ text, searches: 0 }),
    );
    expect(a).toMatch(/^[\w-]{22}$/);
    expect([a === b, a === c]).toEqual([true, false]);
  });

  it('have the most frequent category', () => {
    expect(topValue({ drama: 2, comedy: 5 })).toBe('comedy');
    expect([topValue({}), topValue(undefined)]).toEqual([null, null]);
  });
});

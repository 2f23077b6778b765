/** Logic of the settings forms that needs no browser. */
import { describe, expect, it } from 'vitest';
import {
  fieldNamesOf,
  isKnownField,
  mergedSynonyms,
  mutualSynonyms,
  wordsOf,
} from '../../../src/search-page/settings/field-names.ts';
import { settingChanges, updateOf } from '../../../src/search-page/settings/settings-change.ts';

const FIELDS = ['id', 'title', 'year', 'author.name', 'a,b', '[x]'];

describe('field names', () => {
  it.each([
    ['year, title', ['year', 'title']],
    ['year\ntitle\n', ['year', 'title']],
    ['["year", "title"]', ['year', 'title']],
    ["'year'", ['year']],
    ['"year", `title`', ['year', 'title']],
    ['"year"', ['year']],
    ['a,b', ['a,b']],
    ['[x]', ['[x]']],
    ['new field', ['new field']],
    ['2024', ['2024']],
  ])('%j are %j', (text, names) => expect(fieldNamesOf(text, FIELDS)).toEqual({ names }));

  it.each(['["year"', 'year"', '{"a": 1}', '[1]', '[[]]'])('%j is refused', (text) =>
    expect(fieldNamesOf(text, FIELDS)).toHaveProperty('refusal'),
  );

  it.each([
    ['year', true],
    ['author', true],
    ['title.en', true],
    ['*', true],
    ['auth*', true],
    ['_geo', true],
    ['titel', false],
    ['zz*', false],
  ])('%s is known: %s', (name, isKnown) => expect(isKnownField(name, FIELDS)).toBe(isKnown));
});

it('words come from lists, lines and JSON', () => {
  expect(wordsOf('the, of\na')).toEqual({ names: ['the', 'of', 'a'] });
  expect(wordsOf('["the"]')).toEqual({ names: ['the'] });
});

it('synonyms are merged in both directions', () => {
  expect(mergedSynonyms({ film: ['show'] }, mutualSynonyms(['film', 'movie']))).toEqual({
    film: ['show', 'movie'],
    movie: ['film'],
  });
});

describe('changes', () => {
  it('of lists are added and removed entries, and the order', () => {
    expect(settingChanges('l', ['a', 'b'], ['a', 'c'])).toEqual([
      { what: 'l', before: 'b', after: null },
      { what: 'l', before: null, after: 'c' },
    ]);
    expect(settingChanges('l', ['a', 'b'], ['c', 'a', 'b'])).toEqual([
      { what: 'l', before: null, after: 'c' },
      { what: 'l, order', before: 'a, b', after: 'c, a, b' },
    ]);
  });

  it('of objects are their members', () => {
    expect(settingChanges('t', { a: { b: 1 }, c: 2 }, { a: { b: 3 }, c: 2 })).toEqual([
      { what: 't.a.b', before: '1', after: '3' },
    ]);
  });
});

describe('an update', () => {
  it('has the changed settings', () => {
    expect(updateOf({ a: [1], b: 2 }, { a: [1], b: 3 })).toEqual({ b: 3 });
  });

  it('removes embedders and their members with null', () => {
    const stored = {
      embedders: {
        gone: { source: 'rest' },
        kept: { source: 'rest', url: 'u', request: { a: 1, b: 2 }, headers: { x: '1' } },
        moved: { source: 'rest', url: 'u' },
      },
    };
    const draft = {
      embedders: {
        kept: { source: 'rest', url: 'u', request: { a: 1 } },
        moved: { source: 'ollama', model: 'm' },
      },
    };
    expect(updateOf(stored, draft)).toEqual({
      embedders: {
        gone: null,
        kept: { request: { a: 1 }, headers: null },
        moved: { source: 'ollama', model: 'm' },
      },
    });
  });
});

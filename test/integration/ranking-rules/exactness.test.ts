/** `exactness`: attributes that equal the query (3.12), and words found as typed (3.13). */
import { describe, expect, it } from 'vitest';
import { indexDocuments, indexTexts, searchDetails, searchIds } from '../../support/search.ts';

const exactness = (...asked: Parameters<typeof searchDetails>) =>
  Object.fromEntries([...searchDetails(...asked)].map(([id, d]) => [String(id), d['exactness']]));
const matchTypes = (...asked: Parameters<typeof searchDetails>) =>
  Object.fromEntries(Object.entries(exactness(...asked)).map(([id, d]) => [id, d?.['matchType']]));
const rankingRules = ['words', 'exactness'];

describe('attributes against the query', () => {
  const index = indexTexts(
    {
      prefix: 'red lamps',
      inside: 'my red lamp',
      starts: 'red lamp shade',
      equal: 'red lamp',
      partly: 'red lampshade',
    },
    { rankingRules },
  );

  it('come first when they equal it, then when they start with it, then by their exact words', () => {
    expect(searchIds(index, { q: 'red lamp' })).toEqual([
      'equal',
      'starts',
      'inside',
      'prefix',
      'partly',
    ]);
    expect(exactness(index, { q: 'red lamp' })).toEqual({
      equal: { order: 1, matchType: 'exactMatch', score: 1 },
      starts: { order: 1, matchType: 'matchesStart', score: 2 / 3 },
      inside: {
        order: 1,
        matchType: 'noExactMatch',
        matchingWords: 2,
        maxMatchingWords: 2,
        score: 3 / 9,
      },
      prefix: {
        order: 1,
        matchType: 'noExactMatch',
        matchingWords: 1,
        maxMatchingWords: 2,
        score: 2 / 9,
      },
      partly: {
        order: 1,
        matchType: 'noExactMatch',
        matchingWords: 1,
        maxMatchingWords: 2,
        score: 2 / 9,
      },
    });
  });

  it('compare with what is left of the query after words were dropped, unless there is a hole', () => {
    const texts = { rest: 'red', hole: 'red sky' };
    const left = indexTexts({ ...texts, full: 'red blue sky' }, { rankingRules });
    expect(matchTypes(left, { q: 'red blue sky ' })).toEqual({
      full: 'exactMatch',
      rest: 'exactMatch',
      hole: 'matchesStart',
    });
    const frequent = indexTexts(
      { hole: 'red sky', a: 'blue', b: 'blue', c: 'blue red sky' },
      { rankingRules },
    );
    expect(
      matchTypes(frequent, { q: 'red blue sky ', matchingStrategy: 'frequency' })['hole'],
    ).toBe('noExactMatch');
  });

  it('need the words in one field, at the places of the query in any field', () => {
    const fields = indexDocuments(
      [
        { id: 'apart', a: 'red', b: 'x lamp' },
        { id: 'borrowed', a: 'x red lamp', b: 'red lamp' },
        { id: 'false', a: 'lamp red', b: 'red', c: 'x lamp' },
      ],
      { rankingRules },
    );
    expect(matchTypes(fields, { q: 'red lamp ' })).toEqual({
      apart: 'noExactMatch',
      borrowed: 'exactMatch',
      false: 'exactMatch',
    });
  });

  it('leave out unknown words at the end of the query', () => {
    expect(
      matchTypes(indexTexts({ one: 'red cat', two: 'red' }, { rankingRules }), { q: 'red ca' }),
    ).toEqual({
      one: 'matchesStart',
      two: 'exactMatch',
    });
  });

  it('count stop words of the query as positions', () => {
    expect(
      matchTypes(indexTexts({ one: 'the red' }, { rankingRules, stopWords: ['the'] }), {
        q: 'the red ',
      }),
    ).toEqual({ one: 'exactMatch' });
  });

  it('equal a query only up to 30 words', () => {
    const ten = 'w0 w1 w2 w3 w4 w5 w6 w7 w8 w9';
    expect(matchTypes(indexTexts({ one: ten }, { rankingRules }), { q: `${ten} ` })).toEqual({
      one: 'exactMatch',
    });
    const phrase = Array.from({ length: 31 }, (_, i) => `w${i}`).join(' ');
    expect(matchTypes(indexTexts({ one: phrase }, { rankingRules }), { q: `"${phrase}"` })).toEqual(
      {
        one: 'matchesStart',
      },
    );
  });

  it('equal or start with a phrase as with plain words', () => {
    const phrases = indexTexts(
      { inside: 'on this balcony', starts: 'this balcony is nice', equal: 'this balcony' },
      { rankingRules },
    );
    expect(matchTypes(phrases, { q: '"this balcony"' })).toEqual({
      equal: 'exactMatch',
      starts: 'matchesStart',
      inside: 'noExactMatch',
    });
    expect(searchIds(phrases, { q: '"this balcony" is ' })).toEqual(['starts', 'equal', 'inside']);
  });

  it('test a phrase that begins with a stop word one slot too far', () => {
    const settings = { rankingRules, stopWords: ['the'] };
    expect(matchTypes(indexTexts({ one: 'the red' }, settings), { q: '"the red"' })).toEqual({
      one: 'noExactMatch',
    });
    expect(matchTypes(indexTexts({ one: 'x the red' }, settings), { q: '"the red"' })).toEqual({
      one: 'matchesStart',
    });
  });
});

describe('exactness', () => {
  const texts = { more: 'red lamps', less: 'red', equal: 'red lamp', typo: 'rad lampe' };

  it('orders only what words leaves together, listed before it or after', () => {
    const order = (rules: string[]) =>
      searchIds(indexTexts(texts, { rankingRules: rules }), { q: 'red lamp' });
    expect(order(['exactness', 'words'])).toEqual(order(['words', 'exactness']));
    expect(order(['words', 'exactness'])).toEqual(['equal', 'more', 'less']);
  });

  it('narrows words found as typed, so that proximity ignores their other forms', () => {
    const rules = ['words', 'exactness', 'proximity'];
    const index = indexTexts(
      { near: 'x garden house', far: 'x garden x x x x house gardan house' },
      { rankingRules: rules },
    );
    const details = searchDetails(index, { q: 'garden house ' });
    expect(details.get('near')?.['proximity']?.['score']).toBe(1);
    expect(details.get('far')?.['proximity']?.['score']).toBe(1 / 4);
  });

  describe('narrows a word as typed, but not its synonyms', () => {
    // `left` has the first word as typed, `right` the second: rules after exactness get both
    // readings, in which one word is narrowed and the other is not.
    const synonyms = { alpha: ['horse'], beta: ['mouse'] };
    const rankOf = (rule: string, ...asked: Parameters<typeof searchDetails>) =>
      Object.fromEntries([...searchDetails(...asked)].map(([id, d]) => [id, d[rule]?.['score']]));

    it('in attributes', () => {
      const index = indexDocuments(
        [
          { id: 'left', title: 'alphas', body: 'alpha', note: 'mouse' },
          { id: 'right', title: 'x', body: 'beta', note: 'horse' },
        ],
        {
          rankingRules: ['exactness', 'attributeRank'],
          searchableAttributes: ['title', 'body', 'note'],
          synonyms,
        },
      );
      expect(rankOf('attributeRank', index, { q: 'alpha beta ' })).toEqual({
        left: 3 / 5,
        right: 2 / 5,
      });
    });

    it('in pairs', () => {
      const index = indexTexts(
        { left: 'alpha x x x x alphas mouse', right: 'beta x x x x horse' },
        { rankingRules: ['exactness', 'proximity'], synonyms },
      );
      expect(rankOf('proximity', index, { q: 'alpha beta ' })).toEqual({ left: 1, right: 1 / 4 });
    });

    it('through the typo rule, which hands down the first reading alone', () => {
      const index = indexDocuments(
        [
          { id: 'left', title: 'alpha', note: 'mouse' },
          { id: 'right', title: 'betax', body: 'horse', note: 'beta' },
        ],
        {
          rankingRules: ['exactness', 'typo', 'attributeRank'],
          searchableAttributes: ['title', 'body', 'note'],
          synonyms,
        },
      );
      expect(rankOf('attributeRank', index, { q: 'alpha beta' })).toEqual({
        right: 4 / 5,
        left: 3 / 5,
      });
    });
  });

  it('narrows a frequent prefix to the exact word, but not its completions', () => {
    const letters = [...'abcdefghijkl'];
    const completions = letters.flatMap((a) => letters.map((b) => `be${a}${b}`)).join(' ');
    const index = indexDocuments(
      [
        { id: 'word', title: 'alphas', body: 'alpha', note: 'bezz' },
        { id: 'prefix', title: 'x', body: 'be', note: 'alphax' },
        { id: 'others', title: completions },
      ],
      {
        rankingRules: ['exactness', 'attributeRank'],
        searchableAttributes: ['title', 'body', 'note'],
      },
    );
    const details = searchDetails(index, { q: 'alpha be' });
    expect(details.get('word')?.['attributeRank']?.['score']).toBe(3 / 5);
    expect(details.get('prefix')?.['attributeRank']?.['score']).toBe(2 / 5);
  });

  it('prefers a prefix match to a typo match through the typo rule after it', () => {
    const index = indexTexts(
      { typo: 'x gardan', prefix: 'x gardens' },
      { rankingRules: ['words', 'exactness', 'typo'] },
    );
    expect(searchIds(index, { q: 'garden' })).toEqual(['prefix', 'typo']);
  });

  it.each([
    ['a split', 'sun flower', 'sunflower '],
    ['an ngram', 'sunflower', 'sun flower '],
    ['a synonym', 'automobile', 'car '],
    ['a typo', 'gardan', 'garden '],
    ['a completion', 'gardens', 'garden'],
  ])('does not count %s as exact', (_, text, q) => {
    const index = indexTexts({ one: text }, { rankingRules, synonyms: { car: ['automobile'] } });
    expect(exactness(index, { q })['one']).toMatchObject({
      matchType: 'noExactMatch',
      matchingWords: 0,
    });
  });
});

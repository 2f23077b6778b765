/** `proximity` (relevance.md 3.7): cost of the distance between words. */
import { describe, expect, it } from 'vitest';
import {
  indexDocuments,
  indexTexts,
  searchBuckets,
  searchDetails,
  searchIds,
} from '../../support/search.ts';

const score = (...asked: Parameters<typeof searchDetails>) =>
  Object.fromEntries(
    [...searchDetails(...asked)].map(([id, d]) => [String(id), d['proximity']?.['score']]),
  );

describe('documents that are priced in parts', () => {
  it('are in order of distance first, wherever the following rules put them', () => {
    const GROUPS = 8;
    const ids = (group: number): string[] => Array.from({ length: 30 }, (_, i) => `${group}-${i}`);
    const fill = (count: number): string => 'x '.repeat(count);
    const texts: Record<string, string> = {};
    for (let group = 0; group < GROUPS; group++)
      for (const id of ids(group)) texts[id] = `${fill(2 ** group)}red ${fill(8)}sky ${fill(200)}`;
    texts['near late'] = `${fill(2 ** (GROUPS - 1))}red sky`;
    texts['near later'] = `${fill(2 ** (GROUPS + 1))}red sky`;
    const found = searchIds(indexTexts(texts), { q: 'red sky ', limit: 1000 });
    const groups = Array.from({ length: GROUPS }, (_, group) => ids(group)).flat();
    expect(found).toEqual(['near late', 'near later', ...groups]);
  });
});

describe('two neighbouring words of a query', () => {
  const index = indexTexts({
    far: 'red x x x x x sky',
    four: 'red x x x sky',
    three: 'red x x sky',
    reversedTwo: 'sky x red',
    two: 'red x sky',
    reversed: 'sky red',
    one: 'red sky',
  });

  it('cost their distance less one, or their distance when reversed; from four on all is equal', () => {
    expect(searchBuckets(index, 'proximity', { q: 'red sky ' }).map((ids) => ids.sort())).toEqual([
      ['one'],
      ['reversed', 'two'],
      ['reversedTwo', 'three'],
      ['far', 'four'],
    ]);
    expect(score(index, { q: 'red sky ' })).toEqual({
      one: 1,
      two: 3 / 4,
      reversed: 3 / 4,
      three: 2 / 4,
      reversedTwo: 2 / 4,
      four: 1 / 4,
      far: 1 / 4,
    });
  });

  it('are far apart across a hard separator and in different values or fields', () => {
    const fields = indexDocuments([
      { id: 'soft', a: 'red,sky' },
      { id: 'dot', a: 'red.sky' },
      { id: 'hard', a: 'red, sky' },
      { id: 'values', a: ['red', 'sky'] },
      { id: 'fields', a: 'red', b: 'sky' },
    ]);
    expect(score(fields, { q: 'red sky ' })).toEqual({
      soft: 1,
      dot: 1,
      hard: 1 / 4,
      values: 1 / 4,
      fields: 1 / 4,
    });
  });

  it('cost nothing when a hard separator stands between them in the query', () => {
    expect(new Set(Object.values(score(index, { q: 'red. sky ' })))).toEqual(new Set([1]));
    expect(new Set(Object.values(score(index, { q: 'red! sky ' })))).toEqual(new Set([1]));
    expect(new Set(Object.values(score(index, { q: 'red,sky ' }))).size).toBe(4);
  });

  it('cost three a pair at most, which the score divides by', () => {
    expect(score(indexTexts({ one: 'aa x x x x bb x x x x cc' }), { q: 'aa bb cc ' })).toEqual({
      one: 1 / 7,
    });
  });
});

describe('phrases, splits and synonyms next to a word', () => {
  it('are measured from the last word of a phrase and to its first', () => {
    const index = indexTexts({ near: 'big red sky', far: 'big sky x x x x big red' });
    expect(score(index, { q: '"big red" sky ' })).toEqual({ near: 1, far: 1 / 4 });
    const right = indexTexts({ near: 'sky big red', far: 'big red x sky' });
    expect(score(right, { q: 'sky "big red"' })).toEqual({ near: 1, far: 1 / 4 });
  });

  it('cost nothing when near words stand elsewhere than the phrase itself does', () => {
    const index = indexTexts({ elsewhere: 'red sky x x x x big red', absent: 'red sky big' });
    expect(score(index, { q: '"big red" sky ' })).toEqual({ elsewhere: 1 });
  });

  it('are measured from and to the words of a split in the same way', () => {
    const index = indexTexts({
      near: 'sun flower field',
      elsewhere: 'flower field x x sun flower',
      far: 'sun flower x x x field',
    });
    expect(score(index, { q: 'sunflower field ' })).toEqual({ near: 1, elsewhere: 1, far: 1 / 4 });
  });

  it('are measured from and to a synonym of several words in the same way', () => {
    const index = indexTexts(
      { near: 'motor car race', far: 'motor car x x x race' },
      { synonyms: { auto: ['motor car'] } },
    );
    expect(score(index, { q: 'auto race ' })).toEqual({ near: 1, far: 1 / 4 });
  });

  it('are never reversed neighbours', () => {
    expect(score(indexTexts({ one: 'sky big red' }), { q: '"big red" sky ' })).toEqual({
      one: 1 / 4,
    });
  });
});

describe('proximity with typo', () => {
  it('uses only the words of the bucket`s typo level', () => {
    const index = indexTexts({
      helped: 'garden x x x x house gardan house',
      plain: 'garden x house',
    });
    expect(searchIds(index, { q: 'garden house ' })).toEqual(['plain', 'helped']);
    expect(score(index, { q: 'garden house ' })).toEqual({ plain: 3 / 4, helped: 1 / 4 });
  });

  it('lets each document of a mixed bucket use either reading, but no mixture of both', () => {
    const asked = { q: 'garden house ' };
    const levels = indexTexts({
      first: 'gardan house',
      second: 'garden housa',
      crossed: 'gardan housa x x x x garden',
    });
    expect(searchDetails(levels, asked).get('crossed')?.['typo']).toMatchObject({ typoCount: 1 });
    expect(score(levels, asked)).toEqual({ first: 1, second: 1, crossed: 1 / 4 });
  });

  it('before typo may be satisfied by a word with a typo, and typo still counts the best of the document', () => {
    const rankingRules = ['words', 'proximity', 'typo'];
    const index = indexTexts({ one: 'garden x x x x house gardan house' }, { rankingRules });
    const details = searchDetails(index, { q: 'garden house ' }).get('one');
    expect(details?.['proximity']?.['score']).toBe(1);
    expect(details?.['typo']?.['typoCount']).toBe(0);
  });
});

describe('a prefix as right neighbour', () => {
  const words = Array.from({ length: 120 }, (_, i) => `sk${String(i).padStart(3, '0')}`);
  const index = indexTexts({
    many: words.join('. '),
    reversed: 'sk001 red',
    forward: 'red sk002',
    text: 'sk red',
  });

  it('has no reversed neighbours when it is frequent, but for its own text', () => {
    expect(score(index, { q: 'red sk' })).toEqual({ forward: 1, text: 3 / 4, reversed: 1 / 4 });
  });

  it('has reversed neighbours when it is longer and rare', () => {
    expect(score(index, { q: 'red sk001' })).toMatchObject({ reversed: 3 / 4 });
  });

  it('is completed to any number of words when it is frequent, to 1,000 when not', () => {
    const texts = Object.fromEntries(
      Array.from({ length: 1100 }, (_, i) => [`d${i}`, `prefix${String(i).padStart(4, '0')}`]),
    );
    const many = indexTexts(texts, { pagination: { maxTotalHits: 5000 } });
    expect(searchIds(many, { q: 'pref', limit: 5000 })).toHaveLength(1100);
    const capped = searchIds(many, { q: 'prefi', limit: 5000 });
    expect(capped).toHaveLength(1000);
    expect(capped).toContain('d999');
    expect(capped).not.toContain('d1000');
  });
});

describe('proximity by attribute', () => {
  const settings = { proximityPrecision: 'byAttribute' } as const;

  it('takes two words of one field as close, whatever their distance and order', () => {
    const index = indexDocuments(
      [
        { id: 'far', a: 'sky x x x x x red' },
        { id: 'near', a: 'red sky' },
        { id: 'apart', a: 'red', b: 'sky' },
      ],
      settings,
    );
    expect(score(index, { q: 'red sky ' })).toEqual({ far: 1, near: 1, apart: 1 / 4 });
  });

  it('finds a pair that an earlier bucket looked up in the order of the query only by its reversed order', () => {
    const texts = [
      { id: 'all', a: 'orange purple blue' },
      { id: 'pair', a: 'orange purple' },
      { id: 'apart', a: 'orange', b: 'purple' },
    ];
    const index = indexDocuments(texts, settings);
    expect(score(index, { q: 'orenge purple blue ' })).toEqual({
      all: 1,
      pair: 3 / 4,
      apart: 1 / 4,
    });
    expect(score(index, { q: 'orenge purple blue ', offset: 1 })).toEqual({
      pair: 3 / 4,
      apart: 1 / 4,
    });
  });

  it('takes a pair as far apart when an earlier bucket looked it up in both orders', () => {
    const texts = [
      { id: 'all', a: 'orange', b: 'purple blue' },
      { id: 'pair', a: 'orange purple' },
    ];
    expect(score(indexDocuments(texts, settings), { q: 'orenge purple blue ' })).toEqual({
      all: 4 / 7,
      pair: 1 / 4,
    });
  });

  it('gives pages that join up, whether scores are asked for or not', () => {
    const texts = [
      { id: 'all', a: 'orange', b: 'purple blue' },
      { id: 'all too', a: 'orange', b: 'x purple blue' },
      { id: 'apart', a: 'orange', b: 'purple' },
      { id: 'pair', a: 'x x orange x x purple' },
    ];
    const index = indexDocuments(texts, settings);
    for (const showRankingScore of [false, true]) {
      const asked = { q: 'orenge purple blue ', showRankingScore };
      const whole = searchIds(index, asked);
      expect(whole).toEqual(['all too', 'all', 'apart', 'pair']);
      for (let offset = 0; offset < 4; offset++)
        expect(searchIds(index, { ...asked, offset, limit: 2 })).toEqual(
          whole.slice(offset, offset + 2),
        );
    }
  });

  it('takes only the searched fields into account, for phrases too', () => {
    const index = indexDocuments([{ id: 'one', a: 'red', b: 'red sky', c: 'sky' }], settings);
    expect(score(index, { q: 'red sky ' })).toEqual({ one: 1 });
    expect(score(index, { q: 'red sky ', attributesToSearchOn: ['a', 'c'] })).toEqual({
      one: 1 / 4,
    });
    expect(searchIds(index, { q: '"red sky"', attributesToSearchOn: ['a', 'c'] })).toEqual([]);
    expect(searchIds(index, { q: '"red sky"', attributesToSearchOn: ['b'] })).toEqual(['one']);
  });

  it('matches a phrase where its words share a field', () => {
    const index = indexDocuments(
      [
        { id: 'same', a: 'sky x x red' },
        { id: 'apart', a: 'red', b: 'sky' },
      ],
      settings,
    );
    expect(searchIds(index, { q: '"red sky"' })).toEqual(['same']);
  });
});

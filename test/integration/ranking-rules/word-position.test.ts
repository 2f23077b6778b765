/**
 * `wordPosition` (relevance.md 3.9), places in the query (2.1), and the combined rule `attribute`
 * (relevance.md 3.3, 4.2).
 */
import { describe, expect, it } from 'vitest';
import { indexDocuments, indexTexts, searchDetails } from '../../support/search.ts';

const score = (...asked: Parameters<typeof searchDetails>) =>
  Object.fromEntries(
    [...searchDetails(...asked)].map(([id, d]) => [String(id), d['wordPosition']?.['score']]),
  );
const filler = (n: number) => Array.from({ length: n }, () => 'x').join(' ');

describe('wordPosition', () => {
  it('prices how far a word stands from its place in the query: each of two swapped words costs one', () => {
    expect(
      score(indexTexts({ same: 'green lamp', reversed: 'lamp green' }), { q: 'green lamp ' }),
    ).toEqual({
      same: 1,
      reversed: 19 / 21,
    });
  });

  it('takes the place of a synonym too where only the exact word counts any more', () => {
    const synonyms = { castle: ['keep'] };
    const exact = indexTexts(
      { one: 'keep x castle' },
      { synonyms, rankingRules: ['exactness', 'wordPosition'] },
    );
    expect(score(exact, { q: 'castle ' })).toEqual({ one: 1 });
  });

  it('takes the best place of each word', () => {
    expect(score(indexTexts({ one: `lamp ${filler(30)} lamp` }), { q: 'lamp ' })).toEqual({
      one: 1,
    });
  });

  it.each([
    [0, 0],
    [1, 1],
    [4, 2],
    [5, 3],
    [7, 3],
    [8, 4],
    [11, 4],
    [12, 5],
    [15, 5],
    [16, 6],
    [23, 6],
    [24, 7],
    [33, 7],
    [65, 8],
    [200, 8],
    [300, 9],
    [1025, 10],
  ])('prices position %i at %i of 10', (position, cost) => {
    const index = indexTexts({ one: position === 0 ? 'lamp' : `${filler(position)} lamp` });
    expect(score(index, { q: 'lamp ' })).toEqual({ one: (11 - cost) / 11 });
  });

  it('takes positions 16 to 23 as equal, then those up to each power of two', () => {
    const at = (position: number) => `${filler(position)} lamp`;
    const index = indexTexts({
      p16: at(16),
      p23: at(23),
      p33: at(33),
      p64: at(64),
      p65: at(65),
      p128: at(128),
    });
    const scores = score(index, { q: `${filler(6)} lamp `, matchingStrategy: 'all' });
    expect(scores['p16']).toBe(scores['p23']);
    expect(scores['p33']).toBe(scores['p64']);
    expect(scores['p65']).toBe(scores['p128']);
  });

  it('prices an ngram word by word from its first', () => {
    expect(score(indexTexts({ one: 'sunflower' }), { q: 'sun flower ' })).toEqual({ one: 20 / 21 });
  });

  it('takes the place of the first word of a phrase', () => {
    expect(score(indexTexts({ one: 'x x red sky' }), { q: '"red sky"' })).toEqual({ one: 9 / 11 });
  });

  it('starts a query after a hard separator at position 7, and counts 8 across one inside', () => {
    expect(score(indexTexts({ one: 'lamp' }), { q: '! lamp ' })).toEqual({ one: 8 / 11 });
    expect(score(indexTexts({ one: 'red, lamp' }), { q: 'red, lamp ' })).toEqual({ one: 1 });
    expect(score(indexTexts({ one: 'red!! lamp' }), { q: 'red!! lamp ' })).toEqual({
      one: (21 - 3) / 21,
    });
  });

  it('gives dropped stop words a position', () => {
    const index = indexTexts({ one: 'the lamp' }, { stopWords: ['the'] });
    expect(score(index, { q: 'the lamp ' })).toEqual({ one: 1 });
    expect(score(index, { q: 'lamp ' })).toEqual({ one: 10 / 11 });
  });

  it('counts places in any attribute, also in one outside attributesToSearchOn', () => {
    const index = indexDocuments([{ id: 'one', a: 'x x lamp', b: 'lamp' }], {
      searchableAttributes: ['a', 'b'],
    });
    expect(score(index, { q: 'lamp ', attributesToSearchOn: ['a'] })).toEqual({ one: 1 });
  });

  it('counts a further value of an attribute from 8 behind the last word before it', () => {
    const index = indexDocuments([
      { id: 'values', a: ['x x', 'lamp'] },
      { id: 'null', a: ['x', null, 'lamp'] },
      { id: 'nested', o: { a: ['lamp'] } },
    ]);
    const cost = Object.fromEntries(
      Object.entries(score(index, { q: 'lamp ' })).map(([id, s]) => [
        id,
        Math.round(11 - Number(s) * 11),
      ]),
    );
    expect(cost).toEqual({ values: 4, null: 6, nested: 4 });
  });
});

describe('the combined rule attribute', () => {
  it('orders by attribute and then by position, shown together', () => {
    const index = indexDocuments(
      [
        { id: 'second', title: 'x', body: 'lamp' },
        { id: 'later', title: 'x lamp' },
        { id: 'first', title: 'lamp' },
      ],
      { searchableAttributes: ['title', 'body'], rankingRules: ['words', 'attribute'] },
    );
    const details = searchDetails(index, { q: 'lamp ' });
    expect([...details.keys()]).toEqual(['first', 'later', 'second']);
    expect(details.get('later')?.['attribute']).toEqual({
      order: 1,
      attributeRankingOrderScore: 1,
      queryWordDistanceScore: 10 / 11,
      score: ((2 - 1) * 11 + 10) / 22,
    });
    expect(details.get('second')?.['attribute']?.['attributeRankingOrderScore']).toBe(1 / 2);
  });
});

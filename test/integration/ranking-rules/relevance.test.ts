/** `relevance` (relevance.md 3.15) and the strategy `any` (3.2), which brings it along. */
import { describe, expect, it } from 'vitest';
import { Deadline } from '../../../src/core/deadline.ts';
import {
  indexDocuments,
  indexTexts,
  search,
  searchBuckets,
  searchDetails,
  searchIds,
  searchScores,
} from '../../support/search.ts';

const any = { matchingStrategy: 'any' } as const;
const byRelevance = { rankingRules: ['relevance'] };

const notes = {
  boiling: 'water boils at a hundred degrees at the level of the sea',
  freezing: 'water freezes at zero degrees',
  sea: 'the sea is salt water and so is the ocean',
  tea: 'tea is made of leaves and hot water',
  soup: 'soup is made of vegetables and water and salt',
  steel: 'steel melts at a high temperature',
  lead: 'lead melts early',
  paper: 'paper burns at 233 degrees',
  wood: 'wood burns well when it is dry',
  glass: 'glass is made of sand',
};

describe('matching strategy any', () => {
  const index = indexTexts(notes);

  it('finds documents that hold one word of a sentence', () => {
    expect(searchIds(index, { ...any, q: 'which vegetables burn ' })).toEqual(['soup']);
    expect(searchIds(index, { q: 'which vegetables burn ' })).toEqual([]);
  });

  it('puts the document that answers a question first, without a ranking rule being set', () => {
    const ids = searchIds(index, {
      ...any,
      q: 'At how many degrees does water boil at sea level?',
    });
    expect(ids[0]).toBe('boiling');
  });

  it('reads more than ten words', () => {
    const q = 'aa bb cc dd ee ff gg hh ii jj kk ll mm vegetables ';
    expect(searchIds(index, { ...any, q })).toEqual(['soup']);
    expect(searchIds(index, { ...any, q: `${'xx '.repeat(64)}vegetables ` })).toEqual([]);
  });

  it('keeps phrases and exclusions as conditions', () => {
    expect(searchIds(index, { ...any, q: 'tea "salt water" ' })).toEqual(['sea']);
    expect(searchIds(index, { ...any, q: 'melts -steel ' })).toEqual(['lead']);
  });

  it('lets a word that most documents have match alone only when no other word does', () => {
    const things = 'lamp desk oven door roof sofa wall lock bulb shelf chair stool'.split(' ');
    const many = indexTexts(Object.fromEntries(things.map((thing) => [thing, `the ${thing}`])));
    expect(searchIds(many, { ...any, q: 'the oven ' })).toEqual(['oven']);
    expect(searchIds(many, { ...any, q: 'the banana ' })).toEqual(things);
  });

  it('follows typos, prefixes, synonyms and splits like the other strategies', () => {
    const typed = indexTexts(
      { typo: 'vegetables', split: 'sun flower', synonym: 'automobile' },
      { synonyms: { car: ['automobile'] } },
    );
    expect(searchIds(typed, { ...any, q: 'vegetablse nothing ' })).toEqual(['typo']);
    expect(searchIds(typed, { ...any, q: 'nothing veg' })).toEqual(['typo']);
    expect(searchIds(typed, { ...any, q: 'nothing car ' })).toEqual(['synonym']);
    expect(searchIds(typed, { ...any, q: 'nothing sunflower ' })).toEqual(['split']);
  });

  it('counts totals exactly, with pages and without', () => {
    const asked = { ...any, q: 'melts burns ' };
    expect(search(index, { ...asked, limit: 1 })['estimatedTotalHits']).toBe(4);
    expect(search(index, { ...asked, hitsPerPage: 1 })['totalHits']).toBe(4);
  });
});

describe('relevance', () => {
  const rank = (texts: Readonly<Record<string, string>>, q: string, settings = {}): unknown[] =>
    searchIds(indexTexts(texts, { ...byRelevance, ...settings }), { ...any, q });

  it('prefers the rarer word', () => {
    const texts = { common: 'lamp xx', rare: 'quartz xx', other: 'lamp yy', third: 'lamp zz' };
    expect(rank(texts, 'lamp quartz ')[0]).toBe('rare');
  });

  it('prefers documents with every word, whatever one word by itself says', () => {
    const texts = { often: 'lamp lamp lamp lamp', both: 'a b c d e lamp f g h i j k desk', c: 'x' };
    expect(rank(texts, 'lamp desk ')).toEqual(['both', 'often']);
  });

  it('prefers more occurrences and shorter fields', () => {
    expect(rank({ once: 'lamp x x', twice: 'lamp lamp x' }, 'lamp ')).toEqual(['twice', 'once']);
    expect(rank({ long: 'lamp x x x', short: 'lamp x' }, 'lamp ')).toEqual(['short', 'long']);
    const words = (n: number) => Array.from({ length: n }, (_, i) => `w${i}`).join(' ');
    const longer = { long: `lamp ${words(200)}`, short: `lamp ${words(60)}` };
    expect(rank(longer, 'lamp ')).toEqual(['short', 'long']);
  });

  it('prefers earlier searchable attributes', () => {
    const index = indexDocuments(
      [
        { id: 'body', title: 'x', body: 'lamp' },
        { id: 'title', title: 'lamp', body: 'x' },
      ],
      { ...byRelevance, searchableAttributes: ['title', 'body'] },
    );
    expect(searchIds(index, { ...any, q: 'lamp ' })).toEqual(['title', 'body']);
  });

  it('prefers words as typed to completions, and these to typos', () => {
    const texts = { typo: 'gardan x', longer: 'gardens x', exact: 'garden x' };
    expect(rank(texts, 'garden')).toEqual(['exact', 'longer', 'typo']);
  });

  it('prefers neighbours of the query that stand together, in their order', () => {
    const texts = {
      far: 'red a b c d blue',
      swapped: 'a b c d blue red',
      next: 'a b c d red blue',
      x: 'x',
    };
    expect(rank(texts, 'red blue ')).toEqual(['next', 'swapped', 'far']);
  });

  it('counts neighbours as typed only, however many documents there are', () => {
    const texts: Record<string, string> = {
      near: 'flower low aa bb cc dd',
      apart: 'low aa bb cc dd flower',
    };
    for (let i = 0; i < 100; i++) texts[`other${i}`] = 'low ee ff gg hh ii jj flower';
    for (let i = 0; i < 300; i++) texts[`none${i}`] = 'jj kk';
    const index = indexTexts(texts, byRelevance);
    const request = { ...any, q: 'flowre low ', limit: 2 };
    expect(searchIds(index, request).toSorted()).toEqual(['apart', 'near']);
    const [first, second] = searchScores(index, request);
    expect(first![1]).toBe(second![1]);
  });

  it('gives documents of the same statistics one bucket, which the next rule orders', () => {
    const index = indexTexts(
      { late: 'x lamp', early: 'lamp x' },
      { rankingRules: ['relevance', 'wordPosition'] },
    );
    expect(searchBuckets(index, 'relevance', { ...any, q: 'lamp ' })).toEqual([['early', 'late']]);
    expect(searchIds(index, { ...any, q: 'lamp ' })).toEqual(['early', 'late']);
  });

  it('orders the documents of a bucket of words, with strategy last', () => {
    const index = indexTexts(
      { one: 'red', long: 'red blue x x', short: 'red blue' },
      { rankingRules: ['words', 'relevance'] },
    );
    expect(searchIds(index, { q: 'red blue ' })).toEqual(['short', 'long', 'one']);
  });

  it('may follow words with strategy any, which then counts words in any order', () => {
    const index = indexTexts(
      { one: 'sky', two: 'blue sky x x x x', other: 'red sky', none: 'x' },
      { rankingRules: ['words', 'relevance', 'exactness'] },
    );
    const asked = { ...any, q: 'red blue sky ' };
    expect(searchBuckets(index, 'words', asked)).toEqual([['other', 'two'], ['one']]);
    expect(searchDetails(index, asked).get('one')?.['words']).toEqual({
      order: 0,
      matchingWords: 1,
      maxMatchingWords: 3,
      score: 1 / 3,
    });
  });

  it('may follow a sort', () => {
    const index = indexDocuments(
      [
        { id: 'old', text: 'lamp', year: 1 },
        { id: 'longer', text: 'lamp x', year: 2 },
        { id: 'new', text: 'lamp', year: 2 },
      ],
      { rankingRules: ['year:desc', 'relevance'], searchableAttributes: ['text'] },
    );
    expect(searchIds(index, { ...any, q: 'lamp ' })).toEqual(['new', 'longer', 'old']);
  });

  it('shows its score by itself, between 0 and 1 and the same on every page', () => {
    const index = indexTexts(notes, byRelevance);
    const asked = { ...any, q: 'water degrees salt ' };
    const all = searchScores(index, asked);
    for (const score of all.values()) {
      expect(score).toBeGreaterThan(0);
      expect(score).toBeLessThanOrEqual(1);
    }
    const second = searchScores(index, { ...asked, offset: 2, limit: 2 });
    expect([...second]).toEqual([...all].slice(2, 4));
    const details = searchDetails(index, asked);
    for (const [id, score] of all)
      expect(details.get(id)).toEqual({ relevance: { order: 0, score } });
  });

  it('is bound by a threshold', () => {
    const index = indexTexts(notes, byRelevance);
    const asked = { ...any, q: 'water degrees salt ' };
    const scores = [...searchScores(index, asked)];
    const [, third] = scores[2]!;
    const page = { ...asked, rankingScoreThreshold: third, hitsPerPage: 20 };
    expect(search(index, page)['totalHits']).toBe(scores.filter(([, s]) => s >= third).length);
  });

  it('does not depend on the filter', () => {
    const documents = Object.entries(notes).map(([id, text], i) => ({ id, text, odd: i % 2 }));
    const index = indexDocuments(documents, {
      ...byRelevance,
      searchableAttributes: ['text'],
      filterableAttributes: ['odd'],
    });
    const asked = { ...any, q: 'water degrees ' };
    const all = searchScores(index, asked);
    const odd = searchScores(index, { ...asked, filter: 'odd = 1' });
    expect(odd.size).toBeGreaterThan(1);
    for (const [id, score] of odd) expect(score).toBe(all.get(id));
  });

  it('keeps one document for each distinct value', () => {
    const documents = Array.from({ length: 40 }, (_, i) => ({
      id: i,
      text: `lamp ${'x '.repeat(i)}`,
      kind: i % 20 < 10 ? 'a' : `b${i % 3}`,
    }));
    const index = indexDocuments(documents, {
      ...byRelevance,
      searchableAttributes: ['text'],
      filterableAttributes: ['kind'],
    });
    const ids = searchIds(index, { ...any, q: 'lamp ', distinct: 'kind', limit: 3 });
    expect(ids).toEqual([0, 10, 11]);
  });

  it('leaves documents in their order when the deadline has come', () => {
    const index = indexTexts(notes, byRelevance);
    const answer = search(
      index,
      { ...any, q: 'salt water ', showRankingScoreDetails: true },
      Deadline.after(0, () => 0),
    );
    expect(answer.hits.map(({ id }) => id)).toEqual(['boiling', 'freezing', 'sea', 'tea', 'soup']);
    expect(answer.hits[0]?._rankingScoreDetails).toEqual({ skipped: { order: 0 } });
  });
});

/** `words` (relevance.md 3.5): which words may be missing (3.2), and the buckets they make. */
import { describe, expect, it } from 'vitest';
import { indexTexts, searchBuckets, searchDetails, searchIds } from '../../support/search.ts';

const colours = indexTexts({
  all: 'red blue sky cat',
  phrase: 'blue sky',
  phraseAndFirst: 'a red and blue sky',
  apart: 'red blue cat sky',
  words: 'red cat',
});

describe('matching strategy last', () => {
  const universe = { one: 'red', two: 'red blue', three: 'red blue sky', second: 'blue sky' };

  it('drops words from the end and never the first one', () => {
    const index = indexTexts(universe);
    expect(searchBuckets(index, 'words', { q: 'red blue sky' })).toEqual([
      ['three'],
      ['two'],
      ['one'],
    ]);
    expect(searchIds(index, { q: 'purple blue sky' })).toEqual([]);
  });

  it('ranks three plain words 3/3, 2/3 and 1/3', () => {
    const details = searchDetails(indexTexts(universe), { q: 'red blue sky' });
    const ranks = [...details.values()].map((d) => [
      d['words']?.['matchingWords'],
      d['words']?.['maxMatchingWords'],
    ]);
    expect(ranks).toEqual([
      [3, 3],
      [2, 3],
      [1, 3],
    ]);
    expect(details.get('two')?.['words']).toEqual({
      order: 0,
      matchingWords: 2,
      maxMatchingWords: 3,
      score: 2 / 3,
    });
  });

  it('never drops a phrase but drops all words around it, the first one too', () => {
    expect(searchBuckets(colours, 'words', { q: 'red "blue sky" cat' })).toEqual([
      ['all'],
      ['phraseAndFirst'],
      ['phrase'],
    ]);
  });

  it('counts a phrase as its words: `"a b c" d e` has 5 and the phrase alone 3', () => {
    const index = indexTexts({ phrase: 'aa bb cc', more: 'aa bb cc dd', all: 'aa bb cc dd ee' });
    const details = searchDetails(index, { q: '"aa bb cc" dd ee ' });
    expect(
      [...details].map(([id, d]) => [
        id,
        d['words']?.['matchingWords'],
        d['words']?.['maxMatchingWords'],
      ]),
    ).toEqual([
      ['all', 5, 5],
      ['more', 4, 5],
      ['phrase', 3, 5],
    ]);
  });

  it.each(['"blue sky"', '"blue sky'])('returns only the documents with the phrase for %s', (q) => {
    const details = searchDetails(colours, { q });
    expect([...details.keys()].sort()).toEqual(['all', 'phrase', 'phraseAndFirst']);
    expect(details.get('phrase')?.['words']).toMatchObject({
      matchingWords: 2,
      maxMatchingWords: 2,
      score: 1,
    });
  });

  it('does not ask for a second occurrence of a repeated word', () => {
    const index = indexTexts({ once: 'very good', twice: 'very very good' });
    expect(
      searchBuckets(index, 'words', { q: 'very very good ' }).map((ids) => ids.sort()),
    ).toEqual([['once', 'twice']]);
  });

  it('counts an ngram as its number of words', () => {
    const details = searchDetails(indexTexts({ one: 'sunflower' }), { q: 'sun flower' });
    expect(details.get('one')?.['words']).toMatchObject({ matchingWords: 2, maxMatchingWords: 2 });
  });

  it('asks nothing about the distance of neighbours of a dropped word', () => {
    const index = indexTexts({ near: 'red sky', far: 'red x x x x sky' });
    const asked = { q: 'red blue sky ', matchingStrategy: 'frequency' } as const;
    expect(searchBuckets(index, 'proximity', asked)).toEqual([['near', 'far']]);
  });
});

describe('matching strategy all', () => {
  const index = indexTexts({ both: 'red blue', one: 'red' });

  it('requires every word, so that the details show no `words`', () => {
    const details = searchDetails(index, { q: 'red blue', matchingStrategy: 'all' });
    expect([...details.keys()]).toEqual(['both']);
    expect(Object.keys(details.get('both') ?? {})[0]).toBe('typo');
  });

  it('finds nothing as soon as one word is unknown', () => {
    expect(searchIds(index, { q: 'red blue purplish', matchingStrategy: 'all' })).toEqual([]);
  });
});

describe('matching strategy frequency', () => {
  const index = indexTexts({
    a: 'common',
    b: 'common',
    c: 'common medium',
    d: 'common medium',
    e: 'rare',
    f: 'common medium rare',
  });
  const asked = (q: string) => ({ q, matchingStrategy: 'frequency' }) as const;

  it('keeps the rarest word longest', () => {
    expect(searchBuckets(index, 'words', asked('rare common medium '))).toEqual([['f'], ['e']]);
  });

  it('drops unknown words first', () => {
    const details = searchDetails(index, asked('unknown common rare '));
    expect([...details].map(([id, d]) => [id, d['words']?.['matchingWords']])).toEqual([
      ['f', 2],
      ['e', 1],
    ]);
  });
});

describe('the rule words', () => {
  const texts = {
    typo: 'gardan house',
    partial: 'garden',
    full: 'house garden',
    exact: 'garden house',
  };
  const order = (rankingRules: string[]) =>
    searchIds(indexTexts(texts, { rankingRules }), { q: 'garden house' });

  it.each(['attributeRank', 'wordPosition'])(
    'comes before %s when that is listed first',
    (rule) => {
      expect(order([rule, 'words'])).toEqual(order(['words', rule]));
      expect(order([rule, 'words'])).toContain('partial');
      expect(order([rule, 'words']).at(-1)).toBe('partial');
    },
  );

  it.each(['typo', 'exactness', 'proximity'])(
    'comes before %s, listed later or not at all',
    (rule) => {
      expect(order([rule, 'words'])).toEqual(order(['words', rule]));
      expect(order([rule])).toEqual(order(['words', rule]));
    },
  );

  it('applies once when it is listed twice', () => {
    expect(order(['words', 'words', 'typo', 'typo'])).toEqual(order(['words', 'typo']));
  });
});

describe('the ten words of a query', () => {
  const ten = 'w0 w1 w2 w3 w4 w5 w6 w7 w8 w9';
  const index = indexTexts({ ten, eleven: `${ten} w10`, completed: `${ten}xyz` });

  it('are all that counts: the eleventh has no influence', () => {
    expect(searchBuckets(index, 'words', { q: `${ten} w10` })[0]).toEqual(
      expect.arrayContaining(['ten', 'eleven']),
    );
    const details = searchDetails(index, { q: `${ten} w10` });
    expect(details.get('ten')?.['words']).toMatchObject({
      matchingWords: 10,
      maxMatchingWords: 10,
    });
  });

  it('make the tenth a prefix only when nothing follows it', () => {
    const matching = (q: string) =>
      searchDetails(index, { q }).get('completed')?.['words']?.['matchingWords'];
    expect(matching(ten)).toBe(10);
    expect(matching(`${ten} w10`)).toBe(9);
  });

  it('end the query: exclusions after them are not read', () => {
    expect(searchIds(index, { q: `${ten} -w9` })).toContain('ten');
    expect(searchIds(index, { q: 'w0 -w9' })).toEqual(['completed']);
  });
});

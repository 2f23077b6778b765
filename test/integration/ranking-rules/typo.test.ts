/** `typo` (relevance.md 3.6): which words are reached by typo (2.2), and what they cost. */
import { describe, expect, it } from 'vitest';
import {
  indexDocuments,
  indexTexts,
  searchBuckets,
  searchDetails,
  searchIds,
  typoTolerance,
} from '../../support/search.ts';

const sizes = (oneTypo: number, twoTypos: number) =>
  typoTolerance({ minWordSizeForTypos: { oneTypo, twoTypos } });
const typoCounts = (...asked: Parameters<typeof searchDetails>) =>
  Object.fromEntries(
    [...searchDetails(...asked)].map(([id, d]) => [String(id), d['typo']?.['typoCount']]),
  );

describe('sizes of words that tolerate typos', () => {
  it('leave four letters to exact, prefix and split matches', () => {
    const texts = { exact: 'lamp', prefix: 'lamps', split: 'la mp', typo: 'lump', longer: 'limps' };
    expect(searchIds(indexTexts(texts), { q: 'lamp' }).sort()).toEqual([
      'exact',
      'prefix',
      'split',
    ]);
    expect(searchIds(indexTexts(texts, sizes(4, 9)), { q: 'lamp ' }).sort()).toEqual([
      'exact',
      'prefix',
      'split',
      'typo',
    ]);
  });

  it('let a seven-letter word have two errors only from `twoTypos` 7 on', () => {
    const texts = { two: 'zeellus' };
    expect(searchIds(indexTexts(texts), { q: 'zealous ' })).toEqual([]);
    expect(typoCounts(indexTexts(texts, sizes(5, 7)), { q: 'zealous ' })).toEqual({ two: 2 });
  });

  it('count characters, not bytes', () => {
    const texts = { one: 'жукан' };
    expect(searchIds(indexTexts(texts), { q: 'жукат ' })).toEqual(['one']);
    expect(searchIds(indexTexts({ one: 'жуки' }), { q: 'жука ' })).toEqual([]);
  });
});

describe('one error', () => {
  it.each([
    ['replaced', 'garfen'],
    ['missing', 'garen'],
    ['extra', 'garrden'],
    ['swapped', 'gadren'],
  ])('%s costs one', (_, q) => {
    expect(typoCounts(indexTexts({ one: 'garden' }), { q: `${q} ` })).toEqual({ one: 1 });
  });

  it('in the first letter costs two and needs a budget of two', () => {
    expect(searchIds(indexTexts({ one: 'garden' }), { q: 'harden ' })).toEqual([]);
    expect(typoCounts(indexTexts({ one: 'gardeners' }), { q: 'hardeners ' })).toEqual({ one: 2 });
    expect(searchIds(indexTexts({ one: 'gardeners' }), { q: 'hardenerz ' })).toEqual([]);
  });

  it('in a prefix is counted against the best prefix of the word', () => {
    expect(typoCounts(indexTexts({ one: 'gardening' }), { q: 'gardn' })).toEqual({ one: 1 });
    expect(searchIds(indexTexts({ one: 'gardening' }), { q: 'gardn ' })).toEqual([]);
  });
});

describe('exceptions from tolerance', () => {
  it('protect a query word, but not the index word of another query', () => {
    const index = indexTexts(
      { right: 'zealous', wrong: 'zealouz', longer: 'zealously', split: 'zeal ous' },
      typoTolerance({ disableOnWords: ['Zealous'] }),
    );
    expect(searchIds(index, { q: 'zealous' }).sort()).toEqual(['longer', 'right', 'split']);
    expect(searchIds(index, { q: 'zealouz ' }).sort()).toEqual(['right', 'wrong']);
  });

  it.each(['New York', 'new_york', 'newyork!', ' newyork '])(
    'protect nothing by the entry %j, which holds a separator',
    (entry) => {
      const texts = { one: 'newyorc' };
      expect(
        searchIds(indexTexts(texts, typoTolerance({ disableOnWords: [entry] })), { q: 'newyork ' }),
      ).toEqual(['one']);
      expect(
        searchIds(indexTexts(texts, typoTolerance({ disableOnWords: ['NéwYork'] })), {
          q: 'newyork ',
        }),
      ).toEqual([]);
    },
  );

  it('keep typos out of an attribute, while prefixes and splits reach it', () => {
    const settings = typoTolerance({ disableOnAttributes: ['sku'] });
    const index = indexDocuments(
      [
        { id: 'exact', sku: 'garden' },
        { id: 'typo', sku: 'gardan' },
        { id: 'prefix', sku: 'gardens' },
        { id: 'split', sku: 'gar den' },
        { id: 'elsewhere', name: 'gardan' },
        { id: 'nested', sku: { part: 'gardan' } },
      ],
      settings,
    );
    expect(searchIds(index, { q: 'garden' }).sort()).toEqual([
      'elsewhere',
      'exact',
      'prefix',
      'split',
    ]);
  });

  it('keep typos out of numeric identifiers of an attribute', () => {
    const documents = [
      { id: 'a', code: 123456 },
      { id: 'b', code: 123457 },
    ];
    expect(searchIds(indexDocuments(documents), { q: '123456 ' })).toEqual(['a', 'b']);
    expect(
      searchIds(indexDocuments(documents, typoTolerance({ disableOnAttributes: ['code'] })), {
        q: '123456 ',
      }),
    ).toEqual(['a']);
  });

  it('keep numbers from being reached by typo, not by prefix', () => {
    const texts = { exact: '20240', typo: '20241', prefix: '202405', mixed: '2024o' };
    const index = indexTexts(texts, typoTolerance({ disableOnNumbers: true }));
    expect(searchIds(index, { q: '20240' }).sort()).toEqual(['exact', 'mixed', 'prefix']);
    expect(searchIds(indexTexts(texts), { q: '20240' }).sort()).toEqual([
      'exact',
      'mixed',
      'prefix',
      'typo',
    ]);
  });

  it('keep joined query words from reaching numbers', () => {
    const texts = { joined: '202405', word: '2024x' };
    expect(
      searchIds(indexTexts(texts, typoTolerance({ disableOnNumbers: true })), { q: '20 24' }),
    ).toEqual(['word']);
    expect(searchIds(indexTexts(texts), { q: '20 24' }).sort()).toEqual(['joined', 'word']);
  });

  it('turn typos off, while ngrams, splits and prefixes go on', () => {
    const index = indexTexts(
      { ngram: 'sunflower', split: 'sun flower', prefix: 'sunflowers', typo: 'sunflowar' },
      typoTolerance({ enabled: false }),
    );
    expect(searchIds(index, { q: 'sunflower' }).sort()).toEqual(['ngram', 'prefix', 'split']);
    expect(searchIds(index, { q: 'sun flower' }).sort()).toEqual(['ngram', 'prefix', 'split']);
  });
});

describe('cost of a match', () => {
  it('is nothing for a completion', () => {
    expect(
      typoCounts(indexTexts({ longer: 'gardening', exact: 'garden' }), { q: 'garden' }),
    ).toEqual({
      longer: 0,
      exact: 0,
    });
  });

  it('is one for a split, two for a bigram and three for a trigram, plus their own typos', () => {
    expect(typoCounts(indexTexts({ one: 'sun flower' }), { q: 'sunflower ' })).toEqual({ one: 1 });
    expect(typoCounts(indexTexts({ one: 'sunflower' }), { q: 'sun flower ' })).toEqual({ one: 2 });
    expect(typoCounts(indexTexts({ one: 'sunflowar' }), { q: 'sun flower ' })).toEqual({ one: 3 });
    expect(typoCounts(indexTexts({ one: 'sunflower' }), { q: 'sun flow er ' })).toEqual({ one: 3 });
  });

  it('is nothing for the synonym of a word, two for that of two words', () => {
    const synonyms = { car: ['automobile'], 'new york': ['nyc'] };
    expect(typoCounts(indexTexts({ one: 'automobile' }, { synonyms }), { q: 'car ' })).toEqual({
      one: 0,
    });
    expect(typoCounts(indexTexts({ one: 'nyc' }, { synonyms }), { q: 'new york ' })).toEqual({
      one: 2,
    });
  });

  it('is the total over the words, whatever its distribution', () => {
    const index = indexTexts({
      both: 'gardan housa',
      none: 'garden house',
      second: 'garden housa',
      first: 'gardan house',
    });
    expect(searchBuckets(index, 'typo', { q: 'garden house ' })).toEqual([
      ['none'],
      ['second', 'first'],
      ['both'],
    ]);
  });

  it('is one at most for a word too short for typos, because it may be split', () => {
    const index = indexTexts({ one: 'big tree' });
    const typo = (matchingStrategy: 'last' | 'all') =>
      searchDetails(index, { q: 'big tree', matchingStrategy }).get('one')?.['typo'];
    expect(typo('last')).toEqual({ order: 1, typoCount: 0, maxTypoCount: 2, score: 1 });
    expect(typo('all')).toEqual({ order: 0, typoCount: 0, maxTypoCount: 3, score: 1 });
  });

  it('does not exist for phrases: they never match with a typo', () => {
    const index = indexTexts({ right: 'garden house', wrong: 'gardan house' });
    expect(searchIds(index, { q: '"garden house"' })).toEqual(['right']);
  });
});

describe('caps on words reached by typo', () => {
  const letters = (n: number) => String.fromCharCode(97 + Math.floor(n / 26), 97 + (n % 26));

  it('keep 150 words at one typo, the lowest in byte order', () => {
    const inserted = [1, 2, 3, 4, 5, 6, 7].flatMap((at) =>
      Array.from(
        { length: 26 },
        (_, i) => 'gardens'.slice(0, at) + String.fromCharCode(97 + i) + 'gardens'.slice(at),
      ),
    );
    const words = [...new Set(inserted)].sort();
    const index = indexTexts(Object.fromEntries(words.toReversed().map((word) => [word, word])));
    expect(words.length).toBeGreaterThan(150);
    expect(searchIds(index, { q: 'gardens ', limit: 1000 }).sort()).toEqual(words.slice(0, 150));
  });

  it('keep 50 words at two typos, and then let first letters be wrong at the price of one', () => {
    const twoOff = Array.from({ length: 60 }, (_, i) => `abcdefghij${letters(i)}`);
    const index = indexTexts(
      Object.fromEntries([...twoOff, 'xbcdefghij'].map((word) => [word, word])),
    );
    const counts = typoCounts(index, { q: 'abcdefghij ', limit: 1000 });
    expect(Object.keys(counts)).toHaveLength(51);
    expect(counts['xbcdefghij']).toBe(1);
    expect(counts[twoOff[49] ?? '']).toBe(2);
    expect(counts[twoOff[50] ?? '']).toBeUndefined();
  });

  it('let a wrong first letter cost two while there is room', () => {
    const index = indexTexts({ one: 'xbcdefghij', two: 'abcdefghijzz' });
    expect(typoCounts(index, { q: 'abcdefghij ' })).toEqual({ one: 2, two: 2 });
  });
});

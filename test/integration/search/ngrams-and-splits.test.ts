/** Words typed apart or together (relevance.md 2.3, 2.6). */
import { describe, expect, it } from 'vitest';
import { indexTexts, searchDetails, searchIds } from '../../support/search.ts';

describe('words typed apart', () => {
  it('find the joined word, and its completions when the last one is a prefix', () => {
    const index = indexTexts({ joined: 'sunflower', longer: 'sunflowering' });
    expect(searchIds(index, { q: 'sun flower' })).toEqual(['joined', 'longer']);
    expect(searchIds(index, { q: 'sun flower ' })).toEqual(['joined']);
  });

  it('find what the joined word splits into, when that is not what was typed', () => {
    expect(searchIds(indexTexts({ one: 'sun flower' }), { q: 'sunf lower ' })).toEqual(['one']);
  });

  it('find three words joined exactly, by prefix or by split, never with a typo', () => {
    const index = indexTexts({
      exact: 'sunflowerfield',
      prefix: 'sunflowerfields',
      split: 'sunflower field',
      typo: 'sunflowarfield',
    });
    expect(searchIds(index, { q: 'sun flower field' }).sort()).toEqual([
      'exact',
      'prefix',
      'split',
    ]);
    expect(searchIds(index, { q: 'sun flower field ' }).sort()).toEqual(['exact', 'split']);
  });

  it('are not joined with a phrase, across a hard separator, a stop word or an exclusion', () => {
    const index = indexTexts({ joined: 'sunflower' }, { stopWords: ['the'] });
    expect(searchIds(index, { q: 'sun-flower ' })).toEqual(['joined']);
    for (const q of [
      '"sun" flower',
      'sun "flower"',
      'sun, flower',
      'sun the flower ',
      'sun -x flower ',
    ]) {
      expect(searchIds(index, { q })).toEqual([]);
    }
  });

  it('match as an ngram through tolerant fields only', () => {
    const settings = {
      typoTolerance: {
        enabled: true,
        minWordSizeForTypos: { oneTypo: 5, twoTypos: 9 },
        disableOnWords: [],
        disableOnAttributes: ['text'],
        disableOnNumbers: false,
      },
    };
    expect(searchIds(indexTexts({ joined: 'sunflower' }, settings), { q: 'sun flower ' })).toEqual(
      [],
    );
    expect(searchIds(indexTexts({ joined: 'sunflower' }, settings), { q: 'sunflower ' })).toEqual([
      'joined',
    ]);
  });
});

describe('words typed together', () => {
  it('are split even when very short', () => {
    expect(searchIds(indexTexts({ one: 'xy z' }), { q: 'xyz ' })).toEqual(['one']);
    expect(searchIds(indexTexts({ one: 'x y' }), { q: 'xy ' })).toEqual(['one']);
  });

  it('are split where most documents have the two parts adjacent, at the first position among equals', () => {
    const index = indexTexts({ first: 'a bcd', second: 'abc d', third: 'abc d' });
    expect(searchIds(index, { q: 'abcd ' })).toEqual(['second', 'third']);
    expect(searchIds(indexTexts({ later: 'abc d', first: 'a bcd' }), { q: 'abcd ' })).toEqual([
      'first',
    ]);
  });

  it('are not split into parts that are never adjacent', () => {
    expect(
      searchIds(
        indexTexts({ reversed: 'flower sun', apart: 'sun x flower', hard: 'sun. flower' }),
        {
          q: 'sunflower ',
        },
      ),
    ).toEqual([]);
  });

  it('count one typo, also when the word itself is in the index', () => {
    const details = searchDetails(indexTexts({ whole: 'sunflower', split: 'sun flower' }), {
      q: 'sunflower ',
    });
    expect([...details].map(([id, d]) => [id, d['typo']?.['typoCount']])).toEqual([
      ['whole', 0],
      ['split', 1],
    ]);
  });
});

describe('an ngram of more than 250 bytes', () => {
  it('is not formed', () => {
    const long = 'a'.repeat(130);
    expect(
      searchIds(indexTexts({ one: `${long}${'b'.repeat(120)}` }), {
        q: `${long} ${'b'.repeat(120)} `,
      }),
    ).toEqual(['one']);
    expect(
      searchIds(indexTexts({ one: `${long}${'b'.repeat(121)}` }), {
        q: `${long} ${'b'.repeat(121)} `,
      }),
    ).toEqual([]);
  });
});

/** Stop words, phrases, exclusions, separators, synonyms (relevance.md 2.1, 2.4, 2.5). */
import { describe, expect, it } from 'vitest';
import { indexTexts, searchDetails, searchIds } from '../../support/search.ts';

describe('stop words', () => {
  const index = indexTexts(
    { a: 'the king', b: 'The queen', c: 'theory of kings' },
    { stopWords: ['the', 'of'] },
  );

  it('are neither indexed nor searched, as spelt in the settings', () => {
    expect(searchIds(index, { q: 'The queen ' })).toEqual(['b']);
    expect(searchIds(index, { q: 'the king ', matchingStrategy: 'all' })).toEqual(['a']);
    expect(searchIds(indexTexts({ a: 'the king' }, { stopWords: ['The'] }), { q: 'the ' })).toEqual(
      ['a'],
    );
  });

  it('alone and followed by a space match everything', () => {
    expect(searchIds(index, { q: 'the of ' })).toEqual(['a', 'b', 'c']);
    expect(searchDetails(index, { q: 'the ' }).get('a')).toEqual({});
  });

  it('as the very last word are a prefix to search for', () => {
    expect(searchIds(index, { q: 'the' })).toEqual(['b', 'c']);
    expect(searchIds(index, { q: 'of' })).toEqual([]);
  });

  it('leave a slot in a phrase', () => {
    const kings = indexTexts(
      {
        of: 'king of france',
        in: 'king in france',
        bare: 'king france',
        far: 'king in the france',
        two: 'king of all france',
      },
      { stopWords: ['of'] },
    );
    expect(searchIds(kings, { q: '"king of france"' }).sort()).toEqual(['bare', 'in', 'of']);
  });

  it.each(['"the of"', '"the of'])('make no phrase by themselves: %s is ignored', (q) => {
    expect(searchIds(index, { q })).toEqual(['a', 'b', 'c']);
    expect(searchIds(index, { q: `king ${q}` })).toEqual(['a']);
  });
});

describe('phrases', () => {
  it('need neighbours in order, or any document-level pairs that look so', () => {
    const index = indexTexts({
      yes: 'big red sky',
      no: 'red big sky',
      pieces: 'big red x x x red sky big x sky',
    });
    expect(searchIds(index, { q: '"big red sky"' }).sort()).toEqual(['pieces', 'yes']);
  });

  it('have no prefix, no split and no synonym', () => {
    const index = indexTexts(
      { prefix: 'red skyline', synonym: 'red heaven', split: 're d sky' },
      { synonyms: { sky: ['heaven'] } },
    );
    expect(searchIds(index, { q: '"red sky' })).toEqual([]);
    expect(searchIds(index, { q: '"red" "sky"' })).toEqual([]);
  });

  it('of one word need the word as it is', () => {
    expect(searchIds(indexTexts({ one: 'gardens', two: 'garden' }), { q: '"garden"' })).toEqual([
      'two',
    ]);
  });

  it('end at a hard separator, where a new one starts', () => {
    const index = indexTexts({
      both: 'red sky x x x x blue sea',
      one: 'red sky',
      across: 'red sky blue sea',
    });
    expect(searchIds(index, { q: '"red sky. blue sea"' }).sort()).toEqual(['across', 'both']);
  });
});

describe('exclusions', () => {
  const index = indexTexts({
    exact: 'garden',
    plural: 'gardens',
    typo: 'gardan',
    phrase: 'big garden',
    other: 'garden big',
  });

  it('alone return all documents without exactly that word', () => {
    expect(searchIds(index, { q: '-garden' })).toEqual(['plural', 'typo']);
    expect(searchIds(index, { q: '-gardenz' })).toHaveLength(5);
  });

  it('of a word of the query leave only its synonyms and derivations', () => {
    const garden = indexTexts(
      { exact: 'garden', synonym: 'yard' },
      { synonyms: { garden: ['yard'] } },
    );
    expect(searchIds(garden, { q: '-garden garden ' })).toEqual(['synonym']);
    expect(searchIds(indexTexts({ a: 'day', b: 'night' }), { q: '-day day' })).toEqual([]);
  });

  it('need the minus directly before the word, after a space or at the start', () => {
    expect(searchIds(index, { q: '- garden ' })).toContain('exact');
    expect(searchIds(index, { q: 'big-garden ' })).toContain('phrase');
    expect(searchIds(index, { q: 'big -garden ' })).toEqual([]);
  });

  it('exclude phrases too', () => {
    expect(searchIds(index, { q: '-"big garden"' })).toEqual(['exact', 'plural', 'typo', 'other']);
    expect(searchIds(index, { q: '- "big garden"' })).toEqual(['phrase']);
  });

  it('split an excluded phrase at a hard separator into several', () => {
    expect(searchIds(index, { q: '-"big garden. gardan"' })).toEqual(['exact', 'plural', 'other']);
  });

  it('exclude an ignored stop word from nothing', () => {
    const stop = indexTexts({ one: 'the garden' }, { stopWords: ['the'] });
    expect(searchIds(stop, { q: 'garden -the' })).toEqual(['one']);
  });
});

describe('the last word of a query', () => {
  const index = indexTexts({ whole: 'cat', longer: 'cattle' });

  it.each(['cat ', 'cat.', '"cat"', 'cat!'])('is complete in %j', (q) => {
    expect(searchIds(index, { q })).toEqual(['whole']);
  });

  it('is a prefix otherwise, unless prefix search is disabled', () => {
    expect(searchIds(index, { q: 'cat' })).toEqual(['whole', 'longer']);
    expect(
      searchIds(indexTexts({ whole: 'cat', longer: 'cattle' }, { prefixSearch: 'disabled' }), {
        q: 'cat',
      }),
    ).toEqual(['whole']);
  });

  it('matches nothing when longer than 250 bytes', () => {
    const text = 'a'.repeat(251);
    expect(searchIds(indexTexts({ one: text, two: 'a'.repeat(250) }), { q: text })).toEqual([]);
    expect(
      searchIds(indexTexts({ one: text, two: 'a'.repeat(250) }), { q: 'a'.repeat(250) }),
    ).toEqual(['two']);
  });
});

describe('the shape of text', () => {
  it('takes CamelCase as one word', () => {
    expect(searchIds(indexTexts({ one: 'CamelCase' }), { q: 'camelcase ' })).toEqual(['one']);
    expect(searchIds(indexTexts({ one: 'CamelCase' }), { q: 'case ' })).toEqual([]);
  });

  it('takes blank queries as placeholders', () => {
    const index = indexTexts({ a: 'x', b: 'y' });
    for (const q of [null, '', '  ', '\n', '"', '!?'])
      expect(searchIds(index, { q })).toEqual(['a', 'b']);
  });

  it('reads the first 1 000 tokens only', () => {
    const index = indexTexts({ one: 'cat' });
    expect(searchIds(index, { q: `${'-'.repeat(999)} cat` })).toEqual(['one']);
    expect(searchIds(index, { q: `${'. '.repeat(999)}cat` })).toEqual(['one']);
    expect(searchIds(index, { q: `${', '.repeat(1000)}dog` })).toEqual(['one']);
  });
});

describe('synonyms', () => {
  it('go one way and allow no typo, prefix or split of their own', () => {
    const index = indexTexts(
      { a: 'automobile', b: 'automobiles', c: 'car', d: 'auto mobile', e: 'automobila' },
      { synonyms: { car: ['automobile'] } },
    );
    expect(searchIds(index, { q: 'car ' }).sort()).toEqual(['a', 'c']);
    expect(searchIds(index, { q: 'automobile ' })).not.toContain('c');
  });

  it('apply to the last word as typed so far', () => {
    expect(
      searchIds(indexTexts({ a: 'automobile', b: 'cart' }, { synonyms: { car: ['automobile'] } }), {
        q: 'car',
      }).sort(),
    ).toEqual(['a', 'b']);
  });

  it('match keys and values in normal form', () => {
    const index = indexTexts({ a: 'two words' }, { synonyms: { Càr: ['Two  Words!'] } });
    expect(searchIds(index, { q: 'CAR ' })).toEqual(['a']);
  });

  it('with keys of several words stand for the words, or for them joined', () => {
    const index = indexTexts(
      { a: 'big apple', b: 'nyc' },
      { synonyms: { 'new york': ['big apple'], newyork: ['nyc'] } },
    );
    expect(searchIds(index, { q: 'new york ' }).sort()).toEqual(['a', 'b']);
    expect(searchDetails(index, { q: 'new york ' }).get('a')?.['words']).toMatchObject({
      matchingWords: 2,
    });
    expect(searchIds(index, { q: 'newyork ' })).toEqual(['b']);
    expect(searchIds(index, { q: 'new, york ' })).toEqual([]);
  });

  it('made of separators or stop words only are dropped without error', () => {
    const index = indexTexts(
      { a: 'car', b: 'x' },
      { synonyms: { '&': ['car'], car: ['&', ' ', 'the'] }, stopWords: ['the'] },
    );
    expect(searchIds(index, { q: 'car ' })).toEqual(['a']);
    expect(searchIds(index, { q: '& ' })).toEqual(['a', 'b']);
  });

  it('of one word are at most 50, lowest text first, and 100 words in total', () => {
    const names = Array.from({ length: 60 }, (_, i) => `syn${String(i).padStart(2, '0')}`);
    const single = indexTexts(Object.fromEntries(names.map((n) => [n, n])), {
      synonyms: { car: names.toReversed() },
    });
    expect(searchIds(single, { q: 'car ', limit: 100 })).toEqual(names.slice(0, 50));
    const long = names.map((n) => `${n} aa bb`);
    const phrases = indexTexts(Object.fromEntries(long.map((n) => [n, n])), {
      synonyms: { car: long },
    });
    expect(searchIds(phrases, { q: 'car ', limit: 100 })).toEqual(long.slice(0, 33));
  });
});

/** Which words a query marks: the cases of relevance.md 6.3. */
import { describe, expect, it } from 'vitest';
import type { MatchingStrategy } from '../../../../../src/model/search.ts';
import type { Settings } from '../../../../../src/model/settings.ts';
import { indexTexts, search, typoTolerance } from '../../../../support/search.ts';
import { marked, matchingWords } from './display.ts';

const manyWords = (start: string): string =>
  Array.from({ length: 120 }, (_, i) => `${start}${i.toString(36)}x`).join(' ');

/** The text as a hit of a search shows it, matches in brackets. */
function markedHit(
  q: string,
  text: string,
  matchingStrategy: MatchingStrategy = 'last',
  settings: Partial<Settings> = {},
): unknown {
  const tags = { highlightPreTag: '[', highlightPostTag: ']', attributesToHighlight: ['text'] };
  const [hit] = search(indexTexts({ one: text }, settings), { q, matchingStrategy, ...tags }).hits;
  return (hit as { _formatted: { text: unknown } })._formatted.text;
}

describe('what a query marks', () => {
  it('marks the typed part of completions', () => {
    expect(marked('wor', 'World words')).toBe('[Wor]ld [wor]ds');
  });

  it('marks whole words of terms that are complete', () => {
    expect(marked('wor ', 'wor world')).toBe('[wor] world');
    expect(marked('word hello', 'words word hellos')).toBe('words [word] [hello]s');
  });

  it('marks original characters when accents fold', () => {
    expect(marked('westfali', 'Westfália')).toBe('[Westfáli]a');
    expect(marked('cafe ', 'Un café noir')).toBe('Un [café] noir');
  });

  it('marks an original character whole when a part of it was typed', () => {
    expect(marked('f', 'ﬁn')).toBe('[ﬁ]n');
  });

  it('marks words reached by typo', () => {
    expect(marked('wrold ', 'a world')).toBe('a [world]');
    expect(marked('wrold ', 'a world', [], typoTolerance({ enabled: false }))).toBe('a world');
  });

  it('marks no more of a typo than the word that was reached', () => {
    expect(marked('world', 'words', ['word'])).toBe('[word]s');
    expect(marked('moistuvizers', 'Moisturizers', ['moisturizer'])).toBe('[Moisturizer]s');
  });

  it('marks no more characters than were typed', () => {
    expect(marked('wrold', 'a worldwide view')).toBe('a [world]wide view');
  });

  it('marks words of fields that are not searched when a prefix is in the index', () => {
    expect(matchingWords('uni', ['unit']).word('units')).toEqual({
      place: { start: 0, end: 0 },
      characters: 3,
    });
    expect(matchingWords('uni', ['unit']).word('unique')).toBeNull();
  });

  it('lists a frequent prefix only when it is a word itself', () => {
    expect(marked('pq', 'pq0x', [manyWords('pq')])).toBe('pq0x');
    expect(marked('pq', 'pq0x pq', [manyWords('pq')])).toBe('[pq]0x [pq]');
  });

  it('marks nothing without prefix search but whole words', () => {
    expect(marked('wor', 'world wor', [], { prefixSearch: 'disabled' })).toBe('world [wor]');
  });

  it('marks a phrase as one, separators included', () => {
    expect(marked('"big cat"', 'A Big, cat and big')).toBe('A [Big, cat] and big');
    expect(marked('"big cat"', 'big cat big cat')).toBe('[big cat] [big cat]');
  });

  it('marks no phrase with a stop word as a whole', () => {
    expect(marked('"king of spades"', 'king of spades', [], { stopWords: ['of'] })).toBe(
      'king of spades',
    );
  });

  it('marks synonyms, split words and joined words', () => {
    expect(
      marked('car ', 'a red automobile', ['car'], {
        synonyms: { car: ['automobile', 'motor vehicle'] },
      }),
    ).toBe('a red [automobile]');
    expect(
      marked('car ', 'motor vehicle, motor', ['car'], { synonyms: { car: ['motor vehicle'] } }),
    ).toBe('[motor vehicle], motor');
    expect(marked('sunflower ', 'sun flower sun')).toBe('[sun flower] sun');
    expect(marked('sun flower ', 'sunflower')).toBe('[sunflower]');
  });

  it('marks no typos of a term that no document reaches', () => {
    const text = 'first absent-minded second';
    expect(markedHit('first secnod ', text)).toBe('[first] absent-minded [second]');
    expect(markedHit('first nowhere secnod ', text)).toBe('[first] absent-minded second');
    expect(markedHit('first nowhere second ', text)).toBe('[first] absent-minded [second]');
    expect(markedHit('first nowhere secnod ', text, 'frequency')).toBe(
      '[first] absent-minded [second]',
    );
  });

  it('marks typos of all terms when no term may be missing', () => {
    const synonyms = { 'brown zealous quick': ['of'] };
    const shown = (strategy: MatchingStrategy) =>
      markedHit('brown zealous quick york ', 'of york quikc', strategy, { synonyms });
    expect(shown('all')).toBe('[of] [york] [quikc]');
    expect(shown('last')).toBe('[of] [york] quikc');
  });

  it('marks synonyms that only texts that are not searched hold', () => {
    const settings = { synonyms: { car: ['motor vehicle', 'van'] } };
    const words = matchingWords('car ', ['car'], settings);
    const phrases = [...words.phrasesFrom('motor'), ...words.phrasesFrom('van')];
    expect(phrases.map((phrase) => phrase.words)).toEqual([['motor', 'vehicle'], ['van']]);
  });

  it('marks no typos of a term that may be missing when no rule reads the query', () => {
    const shown = (q: string, strategy: MatchingStrategy = 'last') =>
      markedHit(q, 'first second', strategy, { rankingRules: ['sort'] });
    expect(shown('frist secnod ')).toBe('[first] second');
    expect(shown('first second ')).toBe('[first] [second]');
    expect(shown('frist secnod ', 'all')).toBe('[first] [second]');
    expect(shown('"first" secnod ')).toBe('[first] second');
  });

  it('prefers complete terms to a prefix', () => {
    expect(marked('planet plan', 'planet plans')).toBe('[planet] [plan]s');
  });

  it('marks nothing for a placeholder, negations, or words the index lacks', () => {
    expect(matchingWords('', ['a']).isEmpty).toBe(true);
    expect(marked('cat -dog', 'cat')).toBe('[cat]');
    expect(matchingWords('zzz', ['cat']).word('cat')).toBeNull();
  });

  it('marks each token of Chinese text', () => {
    expect(marked('東京', '東京と東京 ').replaceAll('][', '')).toBe('[東京]と[東京] ');
  });
});

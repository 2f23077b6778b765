/** The setting `inflections` (relevance.md 2.8): words find others of their stem. */
import { describe, expect, it } from 'vitest';
import { indexTexts, search, searchDetails, searchIds } from '../../support/search.ts';

const texts = {
  noun: 'a connection of wires',
  past: 'the wires connected',
  typed: 'it connects wires',
  other: 'a connoisseur of wires',
};
const english = { inflections: ['eng'] };

describe('inflections', () => {
  it('are off unless the settings name a language', () => {
    expect(searchIds(indexTexts(texts), { q: 'connects ' })).toEqual(['typed']);
  });

  it('find words of the same stem, the word as typed first', () => {
    const ids = searchIds(indexTexts(texts, english), { q: 'connects ' });
    expect(ids[0]).toBe('typed');
    expect([...ids].sort()).toEqual(['noun', 'past', 'typed']);
  });

  it('do so by relevance too', () => {
    const index = indexTexts(texts, { ...english, rankingRules: ['relevance'] });
    const ids = searchIds(index, { q: 'connects ', matchingStrategy: 'any' });
    expect(ids[0]).toBe('typed');
    expect([...ids].sort()).toEqual(['noun', 'past', 'typed']);
  });

  it('are no typos, and not exact', () => {
    const details = searchDetails(indexTexts(texts, english), { q: 'connects ' });
    expect(details.get('noun')?.['typo']?.['typoCount']).toBe(0);
    expect(details.get('noun')?.['exactness']?.['matchType']).toBe('noExactMatch');
  });

  it('are marked as they stand in the text', () => {
    const { hits } = search(indexTexts(texts, english), {
      q: 'connects ',
      attributesToHighlight: ['text'],
    });
    const past = hits.find(({ id }) => id === 'past');
    expect(past?.['_formatted']).toMatchObject({ text: 'the wires <em>connected</em>' });
  });

  it('are those of the languages that the request names', () => {
    const index = indexTexts(texts, { inflections: ['deu', 'eng'] });
    expect(searchIds(index, { q: 'connects ', locales: ['deu'] })).toEqual(['typed']);
    expect(searchIds(index, { q: 'connects ', locales: ['eng'] })).toHaveLength(3);
  });

  it('do not loosen phrases and exclusions', () => {
    const index = indexTexts(texts, english);
    expect(searchIds(index, { q: '"it connects"' })).toEqual(['typed']);
    expect(searchIds(index, { q: 'wires -connects' })).not.toContain('typed');
    expect(searchIds(index, { q: 'wires -connects' })).toContain('noun');
  });
});

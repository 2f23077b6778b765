/** Settings as they are kept: sets sorted, rule objects filled in, languages in one form. */
import { describe, expect, it } from 'vitest';
import { normalizeSettings } from '../../../src/api/settings-rules.ts';

describe('normalizeSettings', () => {
  it('sorts sets by code point and drops repeated words, and leaves lists alone', () => {
    const words = ['zoo', 'a', '\u{1F41F}', '\uFF5E', 'zoo', 'B'];
    const sorted = ['B', 'a', 'zoo', '\uFF5E', '\u{1F41F}'];
    expect(
      normalizeSettings({
        stopWords: words,
        sortableAttributes: words,
        dictionary: words,
        searchableAttributes: words,
      }),
    ).toEqual({
      stopWords: sorted,
      sortableAttributes: sorted,
      dictionary: sorted,
      searchableAttributes: words,
    });
    expect(normalizeSettings({ typoTolerance: { disableOnWords: words } })).toEqual({
      typoTolerance: { disableOnWords: sorted },
    });
  });

  it('fills the defaults of filterable rules in and keeps names and order', () => {
    const rule = { attributePatterns: ['b_*'] };
    expect(
      normalizeSettings({
        filterableAttributes: [
          'z',
          rule,
          { ...rule, features: { facetSearch: true, filter: { comparison: true } } },
          'a',
        ],
      }),
    ).toEqual({
      filterableAttributes: [
        'z',
        { attributePatterns: ['b_*'], features: { facetSearch: false, filter: { equality: true, comparison: false } } },
        { attributePatterns: ['b_*'], features: { facetSearch: true, filter: { equality: true, comparison: true } } },
        'a',
      ],
    });
  });

  it('keeps languages in their three-letter form', () => {
    expect(
      normalizeSettings({ localizedAttributes: [{ attributePatterns: ['*_de'], locales: ['de', 'eng', 'cmn'] }] }),
    ).toEqual({
      localizedAttributes: [{ attributePatterns: ['*_de'], locales: ['deu', 'eng', 'cmn'] }],
    });
  });

  it('keeps null, which resets, for every member', () => {
    const nulls = {
      stopWords: null,
      typoTolerance: null,
      embedders: null,
      chat: null,
      foreignKeys: null,
      localizedAttributes: null,
    };
    expect(normalizeSettings(nulls)).toEqual(nulls);
  });

  it('accepts repeated, empty and custom ranking rules', () => {
    for (const rankingRules of [[], ['words', 'words'], ['price:asc', 'a:b:desc'], ['attribute', 'typo']]) {
      expect(normalizeSettings({ rankingRules })).toEqual({ rankingRules });
    }
  });

  it('compares typo sizes only when both are given', () => {
    expect(normalizeSettings({ typoTolerance: { minWordSizeForTypos: { oneTypo: 10 } } })).toEqual({
      typoTolerance: { minWordSizeForTypos: { oneTypo: 10 } },
    });
    expect(() => normalizeSettings({ typoTolerance: { minWordSizeForTypos: { oneTypo: 10, twoTypos: 9 } } })).toThrow(
      '`oneTypo` (10)',
    );
  });

  it('accepts embedders of each source with what it needs', () => {
    const embedders = {
      a: { source: 'userProvided', dimensions: 2, binaryQuantized: true },
      b: { source: 'openAi', apiKey: 'x', dimensions: null },
      c: { source: 'rest', url: 'http://x', request: {}, response: {}, headers: {} },
      d: null,
      e: { documentTemplate: '{{doc.title}}' },
    };
    expect(normalizeSettings({ embedders })).toEqual({ embedders });
  });
});

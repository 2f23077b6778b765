/** Which settings make other words of the same documents. */
import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS, type Settings } from '../../../../src/model/settings.ts';
import { textCoverage } from '../../../../src/segments/documents/text-coverage.ts';

/** What a change of settings does to the words that segments hold. */
function effect(before: Partial<Settings>, after: Partial<Settings>): 'none' | 'others' {
  const old = { ...DEFAULT_SETTINGS, ...before };
  return textCoverage(old) === textCoverage({ ...old, ...after }) ? 'none' : 'others';
}

describe('the coverage of words', () => {
  it('is the same for everything that is applied when searching', () => {
    const applied: Partial<Settings>[] = [
      { displayedAttributes: ['a'] },
      { rankingRules: [] },
      { synonyms: { a: ['b'] } },
      { proximityPrecision: 'byAttribute' },
      { searchCutoffMs: 5 },
      { prefixSearch: 'disabled' },
      { pagination: { maxTotalHits: 1 } },
      { distinctAttribute: 'a' },
      {
        typoTolerance: {
          ...DEFAULT_SETTINGS.typoTolerance,
          disableOnAttributes: ['a'],
          disableOnNumbers: true,
        },
      },
      { filterableAttributes: ['a'] },
      { sortableAttributes: ['a'] },
      {},
    ];
    for (const after of applied) expect(effect({}, after), JSON.stringify(after)).toBe('none');
  });

  it('is the same when searchable fields only change order, repeat, or name what is covered already', () => {
    expect(
      effect({ searchableAttributes: ['a', 'b'] }, { searchableAttributes: ['b', 'a', 'b'] }),
    ).toBe('none');
    expect(effect({ searchableAttributes: ['a'] }, { searchableAttributes: ['a.b', 'a'] })).toBe(
      'none',
    );
    expect(effect({ searchableAttributes: ['*'] }, { searchableAttributes: ['title', '*'] })).toBe(
      'none',
    );
  });

  it('is that of files without chunks unless attributes have chunks', () => {
    expect(textCoverage(DEFAULT_SETTINGS)).toBe('RCRXXPM5itlbZ1IGHo5u89');
    expect(effect({}, { substringAttributes: ['sku'] })).toBe('others');
    expect(
      effect({ substringAttributes: ['sku', 'code'] }, { substringAttributes: ['code', 'sku'] }),
    ).toBe('none');
  });

  it('is another when other fields are covered or text is cut otherwise', () => {
    expect(effect({}, { searchableAttributes: ['a'] })).toBe('others');
    expect(effect({ searchableAttributes: ['a'] }, { searchableAttributes: ['a.b'] })).toBe(
      'others',
    );
    expect(effect({ searchableAttributes: ['a'] }, { searchableAttributes: [] })).toBe('others');
    expect(effect({}, { stopWords: ['the'] })).toBe('others');
    expect(effect({}, { separatorTokens: ['|'] })).toBe('others');
    expect(effect({}, { nonSeparatorTokens: ['-'] })).toBe('others');
    expect(effect({}, { dictionary: ['J. R.'] })).toBe('others');
    expect(
      effect({}, { localizedAttributes: [{ attributePatterns: ['*'], locales: ['jpn'] }] }),
    ).toBe('others');
    expect(effect({ stopWords: ['a', 'b'] }, { stopWords: ['b', 'a'] })).toBe('none');
  });
});

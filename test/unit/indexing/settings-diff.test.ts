/** Which settings changes rebuild text and which touch nothing. */
import { describe, expect, it } from 'vitest';
import { settingsEffect } from '../../../src/indexing/settings-diff.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../../src/model/settings.ts';

const effect = (before: Partial<Settings>, after: Partial<Settings>): string =>
  settingsEffect({ ...DEFAULT_SETTINGS, ...before }, { ...DEFAULT_SETTINGS, ...before, ...after });

describe('settingsEffect', () => {
  it('is none for everything that is applied when searching', () => {
    const applied: Partial<Settings>[] = [
      { displayedAttributes: ['a'] },
      { rankingRules: [] },
      { synonyms: { a: ['b'] } },
      { proximityPrecision: 'byAttribute' },
      { searchCutoffMs: 5 },
      { prefixSearch: 'disabled' },
      { pagination: { maxTotalHits: 1 } },
      { distinctAttribute: 'a' },
      { typoTolerance: { ...DEFAULT_SETTINGS.typoTolerance, disableOnAttributes: ['a'], disableOnNumbers: true } },
      { filterableAttributes: ['a'] },
      { sortableAttributes: ['a'] },
      {},
    ];
    for (const after of applied) expect(effect({}, after), JSON.stringify(after)).toBe('nothing');
  });

  it('is none when searchable fields only change order, repeat, or name what is covered already', () => {
    expect(effect({ searchableAttributes: ['a', 'b'] }, { searchableAttributes: ['b', 'a', 'b'] })).toBe('nothing');
    expect(effect({ searchableAttributes: ['a'] }, { searchableAttributes: ['a.b', 'a'] })).toBe('nothing');
    expect(effect({ searchableAttributes: ['*'] }, { searchableAttributes: ['title', '*'] })).toBe('nothing');
  });

  it('is a rebuild when other fields are covered or text is cut otherwise', () => {
    expect(effect({}, { searchableAttributes: ['a'] })).toBe('reindex-text');
    expect(effect({ searchableAttributes: ['a'] }, { searchableAttributes: ['a.b'] })).toBe('reindex-text');
    expect(effect({ searchableAttributes: ['a'] }, { searchableAttributes: [] })).toBe('reindex-text');
    expect(effect({}, { stopWords: ['the'] })).toBe('reindex-text');
    expect(effect({}, { separatorTokens: ['|'] })).toBe('reindex-text');
    expect(effect({}, { nonSeparatorTokens: ['-'] })).toBe('reindex-text');
    expect(effect({}, { dictionary: ['J. R.'] })).toBe('reindex-text');
    expect(effect({}, { localizedAttributes: [{ attributePatterns: ['*'], locales: ['jpn'] }] })).toBe('reindex-text');
    expect(effect({ stopWords: ['a', 'b'] }, { stopWords: ['b', 'a'] })).toBe('nothing');
  });
});

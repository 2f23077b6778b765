/** Which fields are text, and in which languages. */
import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS, type Settings } from '../../../../src/model/settings.ts';
import { textRules, textSettingsOf } from '../../../../src/segments/documents/text-rules.ts';

const rules = (settings: Partial<Settings>) =>
  textRules(textSettingsOf({ ...DEFAULT_SETTINGS, ...settings }));

describe('textRules', () => {
  it('cover everything but the reserved members by default', () => {
    const { isIndexed, leadsToIndexed } = rules({});
    expect(['a', 'a.b', '_geology', 'a._geo', ''].every(isIndexed)).toBe(true);
    expect(['_geo', '_geo.lat', '_vectors.x', '_geojson'].some(leadsToIndexed)).toBe(false);
  });

  it('lead through parents of a listed field without making them text', () => {
    const { isIndexed, leadsToIndexed } = rules({ searchableAttributes: ['a.b', '_geo.lat'] });
    expect([isIndexed('a'), leadsToIndexed('a')]).toEqual([false, true]);
    expect([isIndexed('a.b.c'), isIndexed('a.bc'), leadsToIndexed('ab')]).toEqual([
      true,
      false,
      false,
    ]);
    expect(isIndexed('_geo.lat')).toBe(false);
  });

  it('take the languages of the first rule whose pattern covers the field', () => {
    const { localesOf } = rules({
      localizedAttributes: [
        { attributePatterns: ['*_ja', 'o'], locales: ['jpn'] },
        { attributePatterns: ['t*'], locales: ['deu', 'swe'] },
        { attributePatterns: ['*'], locales: [] },
      ],
    });
    expect(localesOf('title_ja')).toEqual(['jpn']);
    expect(localesOf('o.p')).toEqual(['jpn']);
    expect(localesOf('title')).toEqual(['deu', 'swe']);
    expect(localesOf('x')).toBeNull();
    expect(rules({}).localesOf('title')).toBeNull();
  });
});

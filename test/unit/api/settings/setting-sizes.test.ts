/** Sizes of settings: what is beyond the limit is refused by the code of its setting. */
import { describe, expect, it } from 'vitest';
import { checkSettings } from '../../../../src/api/settings/settings-rules.ts';
import { ApiError } from '../../../../src/core/errors.ts';
import { limits } from '../../../../src/core/limits.ts';
import { NO_FEATURES } from '../../../../src/model/features.ts';
import type { SettingsBody } from '../../../../src/model/schemas/settings-schema.ts';

const texts = (count: number, end = '') => Array.from({ length: count }, (_, i) => `t${i}${end}`);
const long = 'x'.repeat(limits.settingTextLengthMax + 1);
const features = { facetSearch: true, filter: { equality: true, comparison: true } };
const {
  settingWordsMax: words,
  settingSeparatorsMax: separators,
  settingAttributesMax: attributes,
  settingPatternsMax: patterns,
  synonymKeysMax: keys,
  synonymValuesMax: values,
} = limits;

const refused: readonly (readonly [string, number, string, SettingsBody])[] = [
  ['stop_words', words, 'entries', { stopWords: texts(words + 1) }],
  ['stop_words', long.length - 1, 'characters', { stopWords: [long] }],
  ['dictionary', words, 'entries', { dictionary: texts(words + 1) }],
  ['separator_tokens', separators, 'entries', { separatorTokens: texts(separators + 1) }],
  ['non_separator_tokens', separators, 'entries', { nonSeparatorTokens: texts(separators + 1) }],
  ['typo_tolerance', words, 'entries', { typoTolerance: { disableOnWords: texts(words + 1) } }],
  [
    'typo_tolerance',
    attributes,
    'entries',
    { typoTolerance: { disableOnAttributes: texts(attributes + 1) } },
  ],
  ['synonyms', keys, 'keys', { synonyms: Object.fromEntries(texts(keys + 1).map((k) => [k, []])) }],
  ['synonyms', values, 'values', { synonyms: { a: texts(values + 1) } }],
  ['synonyms', long.length - 1, 'characters', { synonyms: { [long]: ['a'] } }],
  ['displayed_attributes', attributes, 'entries', { displayedAttributes: texts(attributes + 1) }],
  ['searchable_attributes', attributes, 'entries', { searchableAttributes: texts(attributes + 1) }],
  ['sortable_attributes', attributes, 'entries', { sortableAttributes: texts(attributes + 1) }],
  ['filterable_attributes', attributes, 'entries', { filterableAttributes: texts(attributes + 1) }],
  [
    'filterable_attributes',
    patterns,
    'patterns',
    { filterableAttributes: [{ attributePatterns: texts(patterns + 1, '*'), features }] },
  ],
  [
    'localized_attributes',
    patterns,
    'patterns',
    { localizedAttributes: [{ attributePatterns: texts(patterns + 1, '*'), locales: ['eng'] }] },
  ],
  ['ranking_rules', attributes, 'entries', { rankingRules: texts(attributes + 1, ':asc') }],
  ['distinct_attribute', long.length - 1, 'characters', { distinctAttribute: long }],
  [
    'faceting',
    attributes,
    'entries',
    {
      faceting: {
        sortFacetValuesBy: Object.fromEntries(texts(attributes + 1).map((t) => [t, 'alpha'])),
      },
    },
  ],
];

describe('a setting larger than its limit', () => {
  it.each(refused)('%s is refused beyond %i %s', (code, max, what, body) => {
    const write = () => checkSettings(body, NO_FEATURES);
    expect(write).toThrow(ApiError);
    expect(write).toThrow(expect.objectContaining({ code: `invalid_settings_${code}` }));
    expect(write).toThrow(new RegExp(`${max + 1} ${what}.*the limit is ${max}`));
  });

  it('is taken at the limit', () => {
    const body = { stopWords: texts(words), sortableAttributes: texts(attributes) };
    expect(checkSettings(body, NO_FEATURES)).toMatchObject({
      stopWords: { length: words },
      sortableAttributes: { length: attributes },
    });
  });
});

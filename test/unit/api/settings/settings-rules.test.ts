/** Settings as they are kept: sets sorted, rule objects filled in, languages in one form. */
import { describe, expect, it } from 'vitest';
import { checkSettings } from '../../../../src/api/settings/settings-rules.ts';
import { ApiError } from '../../../../src/core/errors.ts';
import { validate } from '../../../../src/http/validator.ts';
import { applySettings, normalizeSettingsUpdate } from '../../../../src/model/apply-settings.ts';
import { NO_FEATURES } from '../../../../src/model/features.ts';
import {
  type SettingsBody,
  SettingsPatchBody,
} from '../../../../src/model/schemas/settings-schema.ts';
import { DEFAULT_SETTINGS } from '../../../../src/model/settings.ts';

const normalized = (body: SettingsBody) => {
  validate(SettingsPatchBody, body);
  return normalizeSettingsUpdate(checkSettings(body, NO_FEATURES));
};

describe('settings of a request', () => {
  it('brings languages of inflections into one form', () => {
    expect(normalized({ inflections: ['rus', 'en', 'eng'] })).toEqual({
      inflections: ['eng', 'rus'],
    });
    expect(() => normalized({ inflections: ['ja'] })).toThrow(/`inflections` names `ja`.*eng/);
  });

  it('keeps languages as given in details, and stores their three-letter form', () => {
    const rule = { attributePatterns: ['*_de'], locales: ['de', 'eng', 'cmn'] };
    const update = normalized({ localizedAttributes: [rule] });
    expect(update).toEqual({ localizedAttributes: [rule] });
    expect(applySettings(DEFAULT_SETTINGS, update).localizedAttributes).toEqual([
      { ...rule, locales: ['deu', 'eng', 'cmn'] },
    ]);
  });

  it('names the first wrong member in the order of the body', () => {
    const wrong = {
      rankingRules: ['best'],
      typoTolerance: { minWordSizeForTypos: { oneTypo: 9, twoTypos: 1 } },
      stopWords: 5,
      localizedAttributes: [{ attributePatterns: ['a'], locales: ['xx'] }],
      inflections: ['ja'],
      unknown: 1,
    };
    const codes = [
      'invalid_settings_ranking_rules',
      'invalid_settings_typo_tolerance',
      'invalid_settings_stop_words',
      'invalid_settings_localized_attributes',
      'invalid_settings_inflections',
      'bad_request',
    ];
    const split = { rankingRules: ['attribute', 'attributeRank'], stopWords: 5 };
    expect(() => normalized(split as never)).toThrow(
      expect.objectContaining({ code: 'invalid_settings_stop_words' }),
    );
    const members = Object.entries(wrong);
    for (const [first, member] of members.entries()) {
      const body = Object.fromEntries([member, ...members.toSpliced(first, 1)]);
      expect(() => validate(SettingsPatchBody, body)).toThrow(
        expect.objectContaining({ code: codes[first] }),
      );
    }
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
    expect(normalized(nulls)).toEqual(nulls);
  });

  it('compares typo sizes only when both are given', () => {
    expect(normalized({ typoTolerance: { minWordSizeForTypos: { oneTypo: 10 } } })).toEqual({
      typoTolerance: { minWordSizeForTypos: { oneTypo: 10 } },
    });
    expect(() =>
      normalized({ typoTolerance: { minWordSizeForTypos: { oneTypo: 10, twoTypos: 9 } } }),
    ).toThrow('`oneTypo` (10)');
  });

  it('accepts embedders of each source with what it needs', () => {
    const embedders = {
      a: { source: 'userProvided', dimensions: 2, binaryQuantized: true },
      b: { source: 'openAi', apiKey: 'x', dimensions: null },
      c: { source: 'rest', url: 'http://x', request: '{{text}}', response: '{{embedding}}' },
      d: null,
      e: { documentTemplate: '{{doc.title}}' },
    };
    expect(normalized({ embedders })).toEqual({ embedders });
  });

  const rest = { source: 'rest', url: 'http://x', request: '{{text}}', response: '{{embedding}}' };
  const composite = { source: 'composite', searchEmbedder: rest, indexingEmbedder: rest };
  const fragments = { a: { value: '{{doc.a}}' } };

  it.each([
    { ...rest, url: 'x' },
    { ...rest, url: 'file:///etc/passwd' },
    { ...rest, request: {} },
    { ...rest, request: ['{{text}}', '{{..}}'] },
    { ...rest, response: '{{text}}' },
    { documentTemplate: '{{ doc.title' },
    { source: 'ollama', model: 'm', documentTemplate: '{% nope %}' },
    { indexingFragments: { a: { value: ['{{ doc.a'] } } },
    { searchFragments: { a: { value: { b: '{% if %}' } } } },
    { ...rest, indexingFragments: fragments },
    { source: 'openAi', model: 'nope' },
    { source: 'huggingFace', model: '../../etc' },
    { source: 'huggingFace', model: 'a/b/c' },
    { source: 'huggingFace', revision: 'a/../b' },
    { ...composite, searchEmbedder: { source: 'huggingFace', model: '..' } },
    { ...composite, indexingEmbedder: { ...rest, url: 'x' } },
    { ...composite, indexingEmbedder: { ...rest, documentTemplate: '{{' } },
  ])('refuses the embedder %j', (embedder) => {
    const features = { ...NO_FEATURES, compositeEmbedders: true, multimodal: true };
    const run = () => checkSettings({ embedders: { a: embedder } }, features);
    expect(run).toThrow(expect.objectContaining({ code: 'invalid_settings_embedders' }));
    expect(run).toThrow(ApiError);
    expect(run).toThrow('`embedders.a');
  });

  it.each([
    ['compositeEmbedders', composite],
    ['multimodal', { ...rest, request: '{{fragment}}', indexingFragments: fragments }],
    ['multimodal', { searchFragments: fragments }],
  ])('opens by the feature %s the embedder %j', (feature, embedder) => {
    const embedders = { a: embedder };
    expect(() => normalized({ embedders })).toThrow(
      expect.objectContaining({ code: 'feature_not_enabled' }),
    );
    const features = { ...NO_FEATURES, [feature]: true };
    expect(checkSettings({ embedders }, features)).toEqual({ embedders });
  });

  it('leaves a request by fragments to those that are stored', () => {
    const embedders = { a: { ...rest, request: '{{fragment}}' } };
    expect(normalized({ embedders })).toEqual({ embedders });
  });
});

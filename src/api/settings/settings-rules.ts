/**
 * Checks of setting values beyond their schemas, and the normal form in which settings are stored.
 */
import { ApiError } from '../../core/errors.ts';
import { DocumentTemplate } from '../../embedding/templates/document-template.ts';
import { TemplateError } from '../../embedding/templates/liquid-engine.ts';
import { DEFAULT_TEMPLATE_BYTES_MAX } from '../../model/embedders/embedder-settings.ts';
import type { Features } from '../../model/features.ts';
import { INFLECTED_LANGUAGES, normalizeLocale, supportedLocales } from '../../model/locales.ts';
import type { ChatSettingUpdate } from '../../model/schemas/chat-setting-schema.ts';
import type {
  FilterableRuleUpdate,
  SettingName,
  SettingsBody,
  TypoToleranceUpdate,
} from '../../model/schemas/settings-schema.ts';
import {
  BUILT_IN_RANKING_RULES,
  type FilterableRule,
  featureOfSetting,
  type LocalizedAttributesRule,
  type SettingFeature,
  type SettingsUpdate,
} from '../../model/settings.ts';
import { isReservedField } from '../../model/sort-criterion.ts';
import { checkEmbedders, type EmbedderFeatures } from './embedder-rules.ts';
import { checkForeignKeys } from './foreign-key-rules.ts';
import { checkSettingSize } from './setting-sizes.ts';

type Given<K extends SettingName> = NonNullable<SettingsBody[K]>;

const byCodePoint = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    if (a.charCodeAt(i) !== b.charCodeAt(i))
      return (a.codePointAt(i) ?? 0) - (b.codePointAt(i) ?? 0);
  }
  return a.length - b.length;
};

const asSet = (values: readonly string[]): string[] => [...new Set(values)].sort(byCodePoint);

const CUSTOM_RULE = /^[\s\S]+:(asc|desc)$/;
const SPLIT_RULES: readonly string[] = ['attributeRank', 'wordPosition'];

function checkRankingRules(rules: readonly string[]): readonly string[] {
  const builtIn: readonly string[] = BUILT_IN_RANKING_RULES;
  for (const rule of rules) {
    if (isReservedField(rule.replace(/:(asc|desc)$/, ''))) {
      throw new ApiError(
        'invalid_settings_ranking_rules',
        `\`${rule}\` is reserved for sorting and cannot be a ranking rule.`,
      );
    }
    if (!builtIn.includes(rule) && !CUSTOM_RULE.test(rule)) {
      throw new ApiError(
        'invalid_settings_ranking_rules',
        `\`${rule}\` is not a ranking rule; the rules are ${builtIn.join(', ')}, and \`<attribute>:asc\` or \`<attribute>:desc\`.`,
      );
    }
  }
  const split = rules.find((rule) => SPLIT_RULES.includes(rule));
  if (split !== undefined && rules.includes('attribute')) {
    throw new ApiError(
      'invalid_settings_ranking_rules',
      `\`attribute\` and \`${split}\` rank by the same thing; keep one of them.`,
    );
  }
  return rules;
}

function checkTypoTolerance(update: TypoToleranceUpdate): TypoToleranceUpdate {
  const { oneTypo, twoTypos } = update.minWordSizeForTypos ?? {};
  if (typeof oneTypo === 'number' && typeof twoTypos === 'number' && oneTypo > twoTypos) {
    throw new ApiError(
      'invalid_settings_typo_tolerance',
      `\`minWordSizeForTypos\` needs \`oneTypo\` (${oneTypo}) to be at most \`twoTypos\` (${twoTypos}).`,
    );
  }
  return {
    ...update,
    ...(update.disableOnWords ? { disableOnWords: asSet(update.disableOnWords) } : {}),
    ...(update.disableOnAttributes
      ? { disableOnAttributes: asSet(update.disableOnAttributes) }
      : {}),
  };
}

function fillFilterableRule(item: string | FilterableRuleUpdate): string | FilterableRule {
  if (typeof item === 'string') return item;
  const { facetSearch = false, filter: { equality = true, comparison = false } = {} } =
    item.features ?? {};
  return {
    attributePatterns: item.attributePatterns,
    features: { facetSearch, filter: { equality, comparison } },
  };
}

function fillLocalizedRule({
  attributePatterns,
  locales,
}: LocalizedAttributesRule): LocalizedAttributesRule {
  return {
    attributePatterns,
    locales: locales.map((code) => {
      const locale = normalizeLocale(code);
      if (locale !== null) return locale;
      throw new ApiError(
        'invalid_settings_localized_attributes',
        `\`locales\` names \`${code}\`; it takes: ${supportedLocales().join(', ')}.`,
      );
    }),
  };
}

function inflectedLanguage(code: string): string {
  const locale = normalizeLocale(code);
  if (locale !== null && INFLECTED_LANGUAGES.includes(locale)) return locale;
  throw new ApiError(
    'invalid_settings_inflections',
    `\`inflections\` names \`${code}\`; it takes: ${INFLECTED_LANGUAGES.join(', ')}, or their codes of two letters.`,
  );
}

function checkChat(update: ChatSettingUpdate): ChatSettingUpdate {
  const { documentTemplate: template } = update;
  if (typeof template === 'string') checkTemplate(template);
  return update;
}

function checkTemplate(template: string): void {
  try {
    DocumentTemplate.parse(template, DEFAULT_TEMPLATE_BYTES_MAX);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw new ApiError(
      'invalid_chat_setting_document_template',
      `\`documentTemplate\` does not parse: ${error.message}.`,
    );
  }
}

/** Features that setting values may need. */
export type SettingFeatures = EmbedderFeatures & Pick<Features, SettingFeature>;

type Rule<K extends SettingName> = (value: Given<K>, features: SettingFeatures) => unknown;

const rules: { readonly [K in SettingName]?: Rule<K> } = {
  filterableAttributes: (items) => items.map(fillFilterableRule),
  sortableAttributes: asSet,
  foreignKeys: checkForeignKeys,
  rankingRules: checkRankingRules,
  stopWords: asSet,
  nonSeparatorTokens: asSet,
  separatorTokens: asSet,
  dictionary: asSet,
  typoTolerance: checkTypoTolerance,
  embedders: (embedders, features) => {
    checkEmbedders(embedders, features);
    return embedders;
  },
  localizedAttributes: (items) => items.map(fillLocalizedRule),
  inflections: (codes) => asSet(codes.map(inflectedLanguage)),
  chat: checkChat,
};

function checkFeature(name: SettingName, features: SettingFeatures): void {
  const feature = featureOfSetting(name);
  if (feature === null || features[feature]) return;
  throw new ApiError(
    'feature_not_enabled',
    `The setting \`${name}\` needs the experimental feature \`${feature}\`; it is off.`,
  );
}

/** The normal form of one setting; null stays null. Throws `ApiError` with the setting's code. */
export function normalizeSetting(
  name: SettingName,
  value: unknown,
  features: SettingFeatures,
): unknown {
  if (value === null) return null;
  checkFeature(name, features);
  checkSettingSize(name, value);
  const rule = rules[name] as ((value: unknown, features: SettingFeatures) => unknown) | undefined;
  return rule === undefined ? value : rule(value, features);
}

/** The normal form of a validated settings body, as stored and shown in the task. */
export function normalizeSettings(body: SettingsBody, features: SettingFeatures): SettingsUpdate {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      normalizeSetting(name as SettingName, value, features),
    ]),
  ) as SettingsUpdate;
}

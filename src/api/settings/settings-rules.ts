/** Checks of setting values beyond their schemas. `model/apply-settings.ts` has their normal form. */
import { ApiError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { DocumentTemplate } from '../../embedding/templates/document-template.ts';
import { TemplateError } from '../../embedding/templates/liquid-engine.ts';
import { DEFAULT_TEMPLATE_BYTES_MAX } from '../../model/embedders/embedder-settings.ts';
import type { Features } from '../../model/features.ts';
import { INFLECTED_LANGUAGES, normalizeLocale, supportedLocales } from '../../model/locales.ts';
import type { ChatSettingUpdate } from '../../model/schemas/chat-setting-schema.ts';
import { isIndexUid } from '../../model/schemas/schema.ts';
import type {
  SettingName,
  SettingsBody,
  TypoToleranceUpdate,
} from '../../model/schemas/settings-schema.ts';
import {
  BUILT_IN_RANKING_RULES,
  type ForeignKey,
  featureOfSetting,
  type LocalizedAttributesRule,
  type SettingFeature,
  type SettingsUpdate,
} from '../../model/settings.ts';
import { isReservedField } from '../../model/sort-criterion.ts';
import { checkEmbedders, type EmbedderFeatures } from './embedder-rules.ts';
import { checkRerankers } from './reranker-rules.ts';
import { checkSettingSize } from './setting-sizes.ts';

type Given<K extends SettingName> = NonNullable<SettingsBody[K]>;

const CUSTOM_RULE = /^[\s\S]+:(asc|desc)$/;
const SPLIT_RULES: readonly string[] = ['attributeRank', 'wordPosition'];

function checkRankingRules(rules: readonly string[]): void {
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
}

function checkTypoTolerance({ minWordSizeForTypos }: TypoToleranceUpdate): void {
  const { oneTypo, twoTypos } = minWordSizeForTypos ?? {};
  if (typeof oneTypo === 'number' && typeof twoTypos === 'number' && oneTypo > twoTypos) {
    throw new ApiError(
      'invalid_settings_typo_tolerance',
      `\`minWordSizeForTypos\` needs \`oneTypo\` (${oneTypo}) to be at most \`twoTypos\` (${twoTypos}).`,
    );
  }
}

function checkLocales(rules: readonly LocalizedAttributesRule[]): void {
  const unknown = rules.flatMap(({ locales }) => locales).find((code) => !normalizeLocale(code));
  if (unknown === undefined) return;
  throw new ApiError(
    'invalid_settings_localized_attributes',
    `\`locales\` names \`${unknown}\`; it takes: ${supportedLocales().join(', ')}.`,
  );
}

function checkInflections(codes: readonly string[]): void {
  const unknown = codes.find((code) => !INFLECTED_LANGUAGES.includes(normalizeLocale(code) ?? ''));
  if (unknown === undefined) return;
  throw new ApiError(
    'invalid_settings_inflections',
    `\`inflections\` names \`${unknown}\`; it takes: ${INFLECTED_LANGUAGES.join(', ')}, or their codes of two letters.`,
  );
}

function checkChat({ documentTemplate: template }: ChatSettingUpdate): void {
  if (typeof template !== 'string') return;
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

type Rule<K extends SettingName> = (value: Given<K>, features: SettingFeatures) => void;

const rules: { readonly [K in SettingName]?: Rule<K> } = {
  foreignKeys: checkForeignKeys,
  rankingRules: checkRankingRules,
  typoTolerance: checkTypoTolerance,
  embedders: checkEmbedders,
  localizedAttributes: checkLocales,
  inflections: checkInflections,
  rerankers: checkRerankers,
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

/** Throws `ApiError` with the setting's code. @param value null is valid for every setting */
export function checkSetting(name: SettingName, value: unknown, features: SettingFeatures): void {
  if (value === null) return;
  checkFeature(name, features);
  checkSettingSize(name, value);
  const rule = rules[name] as ((value: unknown, features: SettingFeatures) => void) | undefined;
  rule?.(value, features);
}

export function checkSettings(body: SettingsBody, features: SettingFeatures): SettingsUpdate {
  for (const [name, value] of Object.entries(body))
    checkSetting(name as SettingName, value, features);
  return body;
}

const refuse = (problem: string): ApiError =>
  new ApiError('invalid_settings_foreign_keys', problem);

/** @throws ApiError `invalid_settings_foreign_keys` */
export function checkForeignKeys(keys: readonly ForeignKey[]): readonly ForeignKey[] {
  if (keys.length > limits.foreignKeysPerIndexMax)
    throw refuse(
      `\`foreignKeys\` holds ${keys.length} keys; at most ${limits.foreignKeysPerIndexMax} are allowed.`,
    );
  const fields = new Set<string>();
  for (const [place, { fieldName, foreignIndexUid, foreignPrimaryKey }] of keys.entries()) {
    if (fieldName === '')
      throw refuse(`\`foreignKeys[${place}].fieldName\` is empty, expected the name of a field.`);
    if (fields.has(fieldName))
      throw refuse(
        `\`foreignKeys[${place}].fieldName\` is ${JSON.stringify(fieldName.slice(0, 80))} as in a key before it; the values of a field name documents of one index.`,
      );
    if (!isIndexUid(foreignIndexUid))
      throw refuse(
        `\`foreignKeys[${place}].foreignIndexUid\` is ${JSON.stringify(foreignIndexUid.slice(0, 80))}, expected an index uid: 1 to ${limits.indexUidBytesMax} characters out of \`A-Z a-z 0-9 _ -\`.`,
      );
    if (foreignPrimaryKey === '')
      throw refuse(
        `\`foreignKeys[${place}].foreignPrimaryKey\` is empty, expected the primary key of \`${foreignIndexUid}\`.`,
      );
    fields.add(fieldName);
  }
  return keys;
}

/** Checks of setting values beyond their schemas. `model/apply-settings.ts` has their normal form. */
import { ApiError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { DocumentTemplate } from '../../embedding/templates/document-template.ts';
import { TemplateError } from '../../embedding/templates/liquid-engine.ts';
import { DEFAULT_TEMPLATE_BYTES_MAX } from '../../model/embedders/embedder-settings.ts';
import type { Features } from '../../model/features.ts';
import type { ChatSettingUpdate } from '../../model/schemas/chat-setting-schema.ts';
import { INDEX_UID, isIndexUid } from '../../model/schemas/schema.ts';
import type { SettingName, SettingsBody } from '../../model/schemas/settings-schema.ts';
import {
  type ForeignKey,
  featureOfSetting,
  type SettingFeature,
  type SettingsUpdate,
} from '../../model/settings.ts';
import { requireFeature } from '../contract/require-feature.ts';
import { checkEmbedders, type EmbedderFeatures } from './embedder-rules.ts';
import { checkRerankers } from './reranker-rules.ts';
import { checkSettingSize } from './setting-sizes.ts';

type Given<K extends SettingName> = NonNullable<SettingsBody[K]>;

const SPLIT_RULES: readonly string[] = ['attributeRank', 'wordPosition'];

function checkSplitRules(rules: readonly string[]): void {
  const split = rules.find((rule) => SPLIT_RULES.includes(rule));
  if (split === undefined || !rules.includes('attribute')) return;
  throw new ApiError(
    'invalid_settings_ranking_rules',
    `\`attribute\` and \`${split}\` rank by the same thing; keep one of them.`,
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
type SettingFeatures = EmbedderFeatures & Pick<Features, SettingFeature>;

type Rule<K extends SettingName> = (value: Given<K>, features: SettingFeatures) => void;

const rules: { readonly [K in SettingName]?: Rule<K> } = {
  foreignKeys: checkForeignKeys,
  rankingRules: checkSplitRules,
  embedders: checkEmbedders,
  rerankers: checkRerankers,
  chat: checkChat,
};

function checkFeature(name: SettingName, features: SettingFeatures): void {
  const feature = featureOfSetting(name);
  if (feature !== null) requireFeature(features, feature, `The setting \`${name}\``);
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
        `\`foreignKeys[${place}].foreignIndexUid\` is ${JSON.stringify(foreignIndexUid.slice(0, 80))}, expected an index uid: ${INDEX_UID.expects}.`,
      );
    if (foreignPrimaryKey === '')
      throw refuse(
        `\`foreignKeys[${place}].foreignPrimaryKey\` is empty, expected the primary key of \`${foreignIndexUid}\`.`,
      );
    fields.add(fieldName);
  }
  return keys;
}

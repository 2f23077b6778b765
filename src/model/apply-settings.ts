/**
 * Applies a settings update to stored settings: absent members stay, null resets, set-like lists
 * are sorted and deduplicated, members with a PATCH of their own are merged. The request's shape
 * was already checked; checks that need the stored value are here.
 */

import { ApiError } from '../core/errors.ts';
import { isObject, type Json, objectOf } from '../core/json.ts';
import { completedChatSetting, mergedChatSetting } from './chat-setting.ts';
import { updateEmbedder } from './embedders/embedder-update.ts';
import { normalizeLocale } from './locales.ts';
import { checkProviderCount, type ProviderSetting } from './provider-check.ts';
import { updateReranker } from './reranker-update.ts';
import type { ChatSettingUpdate } from './schemas/chat-setting-schema.ts';
import {
  DEFAULT_SETTINGS,
  type FilterableRule,
  type LocalizedAttributesRule,
  type Settings,
  type SettingsUpdate,
  type TypoTolerance,
} from './settings.ts';

const SORTED_LISTS = [
  'sortableAttributes',
  'stopWords',
  'nonSeparatorTokens',
  'separatorTokens',
  'dictionary',
  'substringAttributes',
] as const;
const WILDCARD_LISTS = ['displayedAttributes', 'searchableAttributes'] as const;

/** Members of a PATCH body: absent = unchanged, null = reset. */
type Patch<T> = { readonly [K in keyof T]?: T[K] | null };

/** The canonical form of an update, for task details and `applySettings`. */
export function normalizeSettingsUpdate(update: SettingsUpdate): SettingsUpdate {
  const normal: Record<string, unknown> = { ...update };
  for (const name of SORTED_LISTS)
    if (Array.isArray(normal[name])) normal[name] = sortedSet(normal[name]);
  for (const name of WILDCARD_LISTS) if (normal[name] === null) normal[name] = ['*'];
  const filterable = normal['filterableAttributes'];
  if (Array.isArray(filterable)) normal['filterableAttributes'] = filterable.map(withRuleDefaults);
  const inflections = normal['inflections'];
  if (Array.isArray(inflections)) normal['inflections'] = sortedSet(inflections.map(localeOf));
  if (isObject(normal['chat'])) normal['chat'] = completedChatSetting(normal['chat']);
  const typo = normal['typoTolerance'];
  if (isObject(typo)) normal['typoTolerance'] = normalizeTypoTolerance(typo);
  return normal;
}

/** The update of DELETE /settings. */
export function resetOfAllSettings(): SettingsUpdate {
  return Object.fromEntries(Object.keys(DEFAULT_SETTINGS).map((name) => [name, null]));
}

/**
 * Throws `invalid_settings_typo_tolerance`, `invalid_settings_embedders` or
 * `invalid_settings_rerankers` if the merged members are inconsistent. @param warnings receives one sentence per secret that the update drops
 */
export function applySettings(
  stored: Settings,
  update: SettingsUpdate,
  warnings: string[] = [],
): Settings {
  const next: Record<string, unknown> = { ...stored };
  for (const [name, value] of Object.entries(normalizeSettingsUpdate(update))) {
    if (value === undefined || !(name in DEFAULT_SETTINGS)) continue;
    const member = name as keyof Settings;
    next[member] =
      value === null ? DEFAULT_SETTINGS[member] : merged(member, stored, value, warnings);
  }
  return next as unknown as Settings;
}

function merged(
  member: keyof Settings,
  stored: Settings,
  value: unknown,
  warnings: string[],
): unknown {
  switch (member) {
    case 'typoTolerance':
      return mergeTypoTolerance(stored.typoTolerance, value as Patch<TypoTolerance>);
    case 'faceting':
      return mergeFaceting(stored.faceting, value as Patch<Settings['faceting']>);
    case 'pagination':
      return withPatch(
        stored.pagination,
        value as Patch<Settings['pagination']>,
        DEFAULT_SETTINGS.pagination,
      );
    case 'embedders':
      return mergedByName(member, stored.embedders, value as Json, (name, before, update) =>
        updateEmbedder(name, before, update, warnings),
      );
    case 'rerankers':
      return mergedByName(member, stored.rerankers, value as Json, (name, before, update) =>
        updateReranker(name, before, update, warnings),
      );
    case 'displayedAttributes':
    case 'searchableAttributes':
      return attributeList(value as readonly string[]);
    case 'localizedAttributes':
      return (value as readonly LocalizedAttributesRule[]).map(withLocales);
    case 'chat':
      return mergedChatSetting(stored.chat, value as ChatSettingUpdate);
    default:
      return value;
  }
}

/** The stored form of a list of attributes: `*` alone, or each name once. */
const attributeList = (names: readonly string[]): readonly string[] =>
  names.includes('*') ? ['*'] : [...new Set(names)];

function mergeTypoTolerance(stored: TypoTolerance, patch: Patch<TypoTolerance>): TypoTolerance {
  const defaults = DEFAULT_SETTINGS.typoTolerance;
  const { minWordSizeForTypos: sizes, ...rest } = patch;
  const minWordSizeForTypos =
    sizes === undefined
      ? stored.minWordSizeForTypos
      : withPatch(
          stored.minWordSizeForTypos,
          sizes ?? defaults.minWordSizeForTypos,
          defaults.minWordSizeForTypos,
        );
  const { oneTypo, twoTypos } = minWordSizeForTypos;
  if (oneTypo > twoTypos) {
    throw new ApiError(
      'invalid_settings_typo_tolerance',
      `\`minWordSizeForTypos\` is invalid: \`oneTypo\` (${oneTypo}) must not be greater than \`twoTypos\` (${twoTypos}).`,
    );
  }
  return { ...withPatch(stored, rest as Patch<TypoTolerance>, defaults), minWordSizeForTypos };
}

function mergeFaceting(
  stored: Settings['faceting'],
  patch: Patch<Settings['faceting']>,
): Settings['faceting'] {
  const next = withPatch(stored, patch, DEFAULT_SETTINGS.faceting);
  return { ...next, sortFacetValuesBy: { '*': 'alpha', ...next.sortFacetValuesBy } };
}

/** Updates each value; null removes the value. */
function mergedByName<Value>(
  setting: ProviderSetting,
  stored: Readonly<Record<string, Value>>,
  patch: Json,
  update: (name: string, before: Value | undefined, given: Json) => Value,
): Readonly<Record<string, Value>> {
  const next = new Map(Object.entries(stored));
  for (const [name, given] of Object.entries(patch)) {
    if (given === null) next.delete(name);
    else next.set(name, update(name, next.get(name), objectOf(given)));
  }
  checkProviderCount(setting, next.size, 'would hold');
  return Object.fromEntries(next);
}

function withPatch<T extends object>(stored: T, patch: Patch<T>, defaults: T): T {
  const next = { ...stored };
  for (const name of Object.keys(patch) as (keyof T)[]) {
    const value = patch[name];
    if (value !== undefined && name in defaults)
      next[name] = value === null ? defaults[name] : (value as T[keyof T]);
  }
  return next;
}

function normalizeTypoTolerance(patch: Json): Json {
  const next: Record<string, unknown> = { ...patch };
  for (const name of ['disableOnWords', 'disableOnAttributes']) {
    if (Array.isArray(next[name])) next[name] = sortedSet(next[name]);
  }
  return next;
}

function withRuleDefaults(item: unknown): unknown {
  if (!isObject(item)) return item;
  const features = objectOf(item['features']);
  const filter = objectOf(features['filter']);
  const rule: FilterableRule = {
    attributePatterns: item['attributePatterns'] as string[],
    features: {
      facetSearch: features['facetSearch'] === true,
      filter: { equality: filter['equality'] !== false, comparison: filter['comparison'] === true },
    },
  };
  return rule;
}

const localeOf = (code: string): string => normalizeLocale(code) ?? code;

const withLocales = (rule: LocalizedAttributesRule): LocalizedAttributesRule => ({
  ...rule,
  locales: rule.locales.map(localeOf),
});

/** In code point order, like UTF-8. */
function sortedSet(values: readonly unknown[]): unknown[] {
  return [...new Set(values as string[])].sort((a, b) =>
    Buffer.compare(Buffer.from(a), Buffer.from(b)),
  );
}

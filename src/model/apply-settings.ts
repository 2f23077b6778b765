/**
 * Applies a settings update to stored settings: absent members stay, null resets, set-like lists
 * are sorted and deduplicated, members with a PATCH of their own are merged. The request's shape
 * was already checked; checks that need the stored value are here.
 */

import { compareCodePoints } from '../core/compare-text.ts';
import { ApiError } from '../core/errors.ts';
import { isObject, type Json, objectOf } from '../core/json.ts';
import { completedChatSetting, mergedChatSetting } from './chat-setting.ts';
import { updateEmbedder } from './embedders/embedder-update.ts';
import { normalizeLocale } from './locales.ts';
import { checkProviderCount, type ProviderSetting } from './provider-check.ts';
import { updateReranker } from './reranker-update.ts';
import {
  DEFAULT_SETTINGS,
  type FilterableRule,
  type LocalizedAttributesRule,
  type Settings,
  type SettingsUpdate,
  type TypoTolerance,
} from './settings.ts';

/** Members of a PATCH body: absent = unchanged, null = reset. */
type Patch<T> = { readonly [K in keyof T]?: T[K] | null };

/** How updates of a setting apply, where the value does not just replace the stored one. */
interface UpdateRule<Stored> {
  /** The canonical form of a value that is not null. */
  readonly normalize?: (value: never) => unknown;
  /** The canonical form of null. */
  readonly reset?: unknown;
  /** The stored value. */
  readonly store?: (value: never) => Stored;
  /**
   * A PATCH is merged into the stored value. @param warnings receives one sentence per secret that
   * the update drops
   */
  merge?(stored: Stored, patch: never, warnings: string[]): Stored;
}

const sortedWords = { normalize: sortedSet };
const attributes = { reset: ['*'], store: attributeList };

const UPDATE_RULES: { readonly [K in keyof Settings]?: UpdateRule<Settings[K]> } = {
  displayedAttributes: attributes,
  searchableAttributes: attributes,
  filterableAttributes: { normalize: (items: readonly unknown[]) => items.map(withRuleDefaults) },
  sortableAttributes: sortedWords,
  stopWords: sortedWords,
  nonSeparatorTokens: sortedWords,
  separatorTokens: sortedWords,
  dictionary: sortedWords,
  typoTolerance: { normalize: normalizeTypoTolerance, merge: mergeTypoTolerance },
  faceting: { merge: mergeFaceting },
  pagination: {
    merge: (stored, patch: Patch<Settings['pagination']>) =>
      withPatch(stored, patch, DEFAULT_SETTINGS.pagination),
  },
  embedders: {
    merge: (stored, patch: Json, warnings) =>
      mergedByName('embedders', { stored, patch, warnings }, updateEmbedder),
  },
  localizedAttributes: {
    store: (rules: readonly LocalizedAttributesRule[]) => rules.map(withLocales),
  },
  inflections: { normalize: (codes: readonly string[]) => sortedSet(codes.map(localeOf)) },
  rerankers: {
    merge: (stored, patch: Json, warnings) =>
      mergedByName('rerankers', { stored, patch, warnings }, updateReranker),
  },
  substringAttributes: sortedWords,
  chat: { normalize: completedChatSetting, merge: mergedChatSetting },
};

const ruleOf = (name: string): UpdateRule<unknown> => UPDATE_RULES[name as keyof Settings] ?? {};

/** True if updates are merged into the stored value; others replace it. */
export const isMerged = (name: keyof Settings): boolean => ruleOf(name).merge !== undefined;

/** The canonical form of an update, for task details and `applySettings`. */
export const normalizeSettingsUpdate = (update: SettingsUpdate): SettingsUpdate =>
  Object.fromEntries(
    Object.entries(update).map(([name, value]) => {
      const { normalize, reset = null } = ruleOf(name);
      if (value === null) return [name, reset];
      return [name, value === undefined ? value : (normalize?.(value as never) ?? value)];
    }),
  );

/** The update of DELETE /settings. */
export function resetOfAllSettings(): SettingsUpdate {
  return Object.fromEntries(Object.keys(DEFAULT_SETTINGS).map((name) => [name, null]));
}

/**
 * @throws ApiError with the code of a setting whose merged members are inconsistent
 * @param warnings receives one sentence per secret that the update drops
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
    const { store, merge } = ruleOf(member);
    if (value === null) next[member] = DEFAULT_SETTINGS[member];
    else if (merge !== undefined) next[member] = merge(stored[member], value as never, warnings);
    else next[member] = store === undefined ? value : store(value as never);
  }
  return next as unknown as Settings;
}

/** The stored form of a list of attributes: `*` alone, or each name once. */
function attributeList(names: readonly string[]): readonly string[] {
  return names.includes('*') ? ['*'] : [...new Set(names)];
}

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

interface ProviderPatch<Value> {
  readonly stored: Readonly<Record<string, Value>>;
  readonly patch: Json;
  readonly warnings: string[];
}

/** Updates each value; null removes the value. */
function mergedByName<Value>(
  setting: ProviderSetting,
  { stored, patch, warnings }: ProviderPatch<Value>,
  update: (name: string, before: Value | undefined, given: Json, warnings: string[]) => Value,
): Readonly<Record<string, Value>> {
  const next = new Map(Object.entries(stored));
  for (const [name, given] of Object.entries(patch)) {
    if (given === null) next.delete(name);
    else next.set(name, update(name, next.get(name), objectOf(given), warnings));
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

function sortedSet(values: readonly unknown[]): unknown[] {
  return [...new Set(values as string[])].sort(compareCodePoints);
}

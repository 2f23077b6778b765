/** Settings of an index: the complete stored form, names of ranking rules, and defaults. */

import type { StoredChatSetting } from './chat-setting.ts';
import type { EmbedderSettings } from './embedders/embedder-settings.ts';
import type { Feature } from './features.ts';
import type { RerankerSettings } from './reranker-settings.ts';
import type { FacetOrder, MatchingStrategy } from './search.ts';

/** `<field>:asc` and `<field>:desc` are custom rules; the rest are built in. */
export const BUILT_IN_RANKING_RULES = [
  'words',
  'relevance',
  'typo',
  'proximity',
  'attribute',
  'attributeRank',
  'wordPosition',
  'sort',
  'exactness',
] as const;

/** True for a ranking rule that only this server has. */
export const isAddedRankingRule = (rule: unknown): boolean => rule === 'relevance';

export interface FilterableRule {
  readonly attributePatterns: readonly string[];
  readonly features: {
    readonly facetSearch: boolean;
    readonly filter: { readonly equality: boolean; readonly comparison: boolean };
  };
}

export interface TypoTolerance {
  readonly enabled: boolean;
  readonly minWordSizeForTypos: { readonly oneTypo: number; readonly twoTypos: number };
  readonly disableOnWords: readonly string[];
  readonly disableOnAttributes: readonly string[];
  readonly disableOnNumbers: boolean;
}

export interface LocalizedAttributesRule {
  readonly attributePatterns: readonly string[];
  /** ISO 639-3 codes. */
  readonly locales: readonly string[];
}

/** Values of a field that are ids of documents in another index. */
export interface ForeignKey {
  readonly fieldName: string;
  readonly foreignIndexUid: string;
  /** Primary key of the other index, for requests to other instances; absent = as the index has it. */
  readonly foreignPrimaryKey?: string;
}

/**
 * The stored and published form with every member; GET /settings returns it without hidden members.
 */
export interface Settings {
  readonly displayedAttributes: readonly string[];
  readonly searchableAttributes: readonly string[];
  readonly filterableAttributes: readonly (string | FilterableRule)[];
  readonly sortableAttributes: readonly string[];
  readonly foreignKeys: readonly ForeignKey[];
  readonly rankingRules: readonly string[];
  readonly stopWords: readonly string[];
  readonly nonSeparatorTokens: readonly string[];
  readonly separatorTokens: readonly string[];
  readonly dictionary: readonly string[];
  readonly synonyms: Readonly<Record<string, readonly string[]>>;
  readonly distinctAttribute: string | null;
  readonly proximityPrecision: 'byWord' | 'byAttribute';
  readonly typoTolerance: TypoTolerance;
  readonly faceting: {
    readonly maxValuesPerFacet: number;
    readonly sortFacetValuesBy: Readonly<Record<string, FacetOrder>>;
  };
  readonly pagination: { readonly maxTotalHits: number };
  readonly embedders: Readonly<Record<string, EmbedderSettings>>;
  /** Milliseconds; null = 1500. */
  readonly searchCutoffMs: number | null;
  readonly localizedAttributes: readonly LocalizedAttributesRule[] | null;
  readonly facetSearch: boolean;
  readonly prefixSearch: 'indexingTime' | 'disabled';
  /** Default for searches without a strategy. */
  readonly matchingStrategy: MatchingStrategy;
  /** Languages with stemming: ISO 639-3 codes. */
  readonly inflections: readonly string[];
  readonly rerankers: Readonly<Record<string, RerankerSettings>>;
  /** Patterns of the attributes whose values are found by any part of three characters or more. */
  readonly substringAttributes: readonly string[];
  readonly chat: StoredChatSetting;
}

/** Settings that only this server has. */
const ADDED_SETTINGS: readonly (keyof Settings)[] = [
  'matchingStrategy',
  'inflections',
  'rerankers',
  'substringAttributes',
];
/** Settings that are hidden and refused while their experimental feature is disabled. */
const SETTING_FEATURES: { readonly [K in keyof Settings]?: SettingFeature } = {
  foreignKeys: 'foreignKeys',
  chat: 'chatCompletions',
};
export type SettingFeature = Extract<Feature, 'foreignKeys' | 'chatCompletions'>;

export const featureOfSetting = (name: keyof Settings): SettingFeature | null =>
  SETTING_FEATURES[name] ?? null;

export const isAddedSetting = (name: string): boolean =>
  ADDED_SETTINGS.includes(name as keyof Settings);

/** A settings update: absent = unchanged, null = reset to the default. */
export type SettingsUpdate = { readonly [K in keyof Settings]?: unknown };

export const DEFAULT_SETTINGS: Settings = {
  displayedAttributes: ['*'],
  searchableAttributes: ['*'],
  filterableAttributes: [],
  sortableAttributes: [],
  foreignKeys: [],
  rankingRules: [
    'words',
    'typo',
    'proximity',
    'attributeRank',
    'sort',
    'wordPosition',
    'exactness',
  ],
  stopWords: [],
  nonSeparatorTokens: [],
  separatorTokens: [],
  dictionary: [],
  synonyms: {},
  distinctAttribute: null,
  proximityPrecision: 'byWord',
  typoTolerance: {
    enabled: true,
    minWordSizeForTypos: { oneTypo: 5, twoTypos: 9 },
    disableOnWords: [],
    disableOnAttributes: [],
    disableOnNumbers: false,
  },
  faceting: { maxValuesPerFacet: 100, sortFacetValuesBy: { '*': 'alpha' } },
  pagination: { maxTotalHits: 1000 },
  embedders: {},
  searchCutoffMs: null,
  localizedAttributes: null,
  facetSearch: true,
  prefixSearch: 'indexingTime',
  matchingStrategy: 'last',
  inflections: [],
  rerankers: {},
  substringAttributes: [],
  chat: null,
};

/**
 * Settings for another server with the same API: settings that it may not support are included only
 * if they differ from the default.
 */
export const portableSettings = (settings: Settings): Partial<Settings> =>
  Object.fromEntries(
    Object.entries(settings).filter(([given, value]) => {
      const name = given as keyof Settings;
      const isKnownToAll = !ADDED_SETTINGS.includes(name) && featureOfSetting(name) === null;
      return isKnownToAll || JSON.stringify(value) !== JSON.stringify(DEFAULT_SETTINGS[name]);
    }),
  );

/**
 * An update for another server with the same API, without resets of settings that only this server
 * has.
 */
export const portableUpdate = (update: SettingsUpdate): SettingsUpdate =>
  Object.fromEntries(
    Object.entries(update).filter(([name, value]) => value !== null || !isAddedSetting(name)),
  );

/** Values of the setting `proximityPrecision` before Meilisearch 1.9. */
const RENAMED: Readonly<Record<string, string>> = {
  wordScale: 'byWord',
  attributeScale: 'byAttribute',
};

/** The value of a setting from an earlier release. */
export const withNewName = (setting: string, value: unknown): unknown =>
  setting === 'proximityPrecision' ? (RENAMED[String(value)] ?? value) : value;

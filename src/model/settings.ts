/**
 * Settings of an index: their complete stored form, the names of ranking rules, and the defaults.
 */

import type { StoredChatSetting } from './chat-setting.ts';
import type { EmbedderSettings } from './embedders/embedder-settings.ts';
import type { Feature } from './features.ts';
import type { MatchingStrategy } from './search.ts';

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

/** Orders of the values of a facet. */
export const FACET_ORDERS = ['alpha', 'count'] as const;

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

/**
 * Every member present; this is what is stored, published and returned by GET /settings (hidden
 * members apart).
 */
/** Values of a field are ids of documents of another index. */
export interface ForeignKey {
  readonly fieldName: string;
  readonly foreignIndexUid: string;
}

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
    readonly sortFacetValuesBy: Readonly<Record<string, (typeof FACET_ORDERS)[number]>>;
  };
  readonly pagination: { readonly maxTotalHits: number };
  readonly embedders: Readonly<Record<string, EmbedderSettings>>;
  /** Milliseconds; null acts as 1500. */
  readonly searchCutoffMs: number | null;
  readonly localizedAttributes: readonly LocalizedAttributesRule[] | null;
  readonly facetSearch: boolean;
  readonly prefixSearch: 'indexingTime' | 'disabled';
  /** Of searches that name none. */
  readonly matchingStrategy: MatchingStrategy;
  /** Languages in which a word finds those of its stem: ISO 639-3 codes. */
  readonly inflections: readonly string[];
  readonly chat: StoredChatSetting;
}

/** Members that this server adds to the convention: other servers refuse them. */
const ADDED_SETTINGS: readonly (keyof Settings)[] = ['matchingStrategy', 'inflections'];
/** Members that are hidden and refused while the experimental feature behind them is off. */
const SETTING_FEATURES: { readonly [K in keyof Settings]?: SettingFeature } = {
  foreignKeys: 'foreignKeys',
  chat: 'chatCompletions',
};
export type SettingFeature = Extract<Feature, 'foreignKeys' | 'chatCompletions'>;

export const featureOfSetting = (name: keyof Settings): SettingFeature | null =>
  SETTING_FEATURES[name] ?? null;

export const isAddedSetting = (name: string): boolean =>
  ADDED_SETTINGS.includes(name as keyof Settings);

/** What a settings write carries: absent = unchanged, null = reset to default. */
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
  chat: null,
};

/**
 * Settings as another server of the convention takes them: what not each of them knows is there if
 * it is not as by default.
 */
export const portableSettings = (settings: Settings): Partial<Settings> =>
  Object.fromEntries(
    Object.entries(settings).filter(([given, value]) => {
      const name = given as keyof Settings;
      const isKnownToAll = !ADDED_SETTINGS.includes(name) && featureOfSetting(name) === null;
      return isKnownToAll || JSON.stringify(value) !== JSON.stringify(DEFAULT_SETTINGS[name]);
    }),
  );

/** An update as another server of the convention takes it: what only this one has is not reset. */
export const portableUpdate = (update: SettingsUpdate): SettingsUpdate =>
  Object.fromEntries(
    Object.entries(update).filter(([name, value]) => value !== null || !isAddedSetting(name)),
  );

/** Schemas of settings updates: one per setting; null always resets to the default. */
import Type, { type Static, type TSchema } from 'typebox';
import type { ErrorCode } from '../../core/error-codes.ts';
import { FACET_ORDERS, MATCHING_STRATEGIES } from '../search.ts';
import { ChatSettingUpdate } from './chat-setting-schema.ts';
import { EmbedderUpdateSchema } from './embedder-schema.ts';
import { RerankerUpdateSchema } from './reranker-schema.ts';
import {
  closed,
  count,
  flag,
  mapOf,
  nullable,
  oneOf,
  optional,
  strings,
  wholeNumber,
} from './schema.ts';

const list = (code: ErrorCode) => nullable(strings(code), code, 'an array of strings');

const TYPO = 'invalid_settings_typo_tolerance';
const wordSize = () => Type.Integer({ minimum: 0, maximum: 255 });
export const TypoToleranceUpdate = closed(
  {
    enabled: optional(Type.Boolean(), TYPO, '`true` or `false`'),
    minWordSizeForTypos: optional(
      closed({
        oneTypo: optional(wordSize(), TYPO, 'an integer from 0 to 255'),
        twoTypos: optional(wordSize(), TYPO, 'an integer from 0 to 255'),
      }),
      TYPO,
      'an object',
    ),
    disableOnWords: Type.Optional(list(TYPO)),
    disableOnAttributes: Type.Optional(list(TYPO)),
    disableOnNumbers: optional(Type.Boolean(), TYPO, '`true` or `false`'),
  },
  { code: TYPO },
);
export type TypoToleranceUpdate = Static<typeof TypoToleranceUpdate>;

const FACETING = 'invalid_settings_faceting';
const FacetingUpdate = closed(
  {
    maxValuesPerFacet: optional(wholeNumber(), FACETING, 'a non-negative integer'),
    sortFacetValuesBy: optional(
      mapOf(oneOf(FACET_ORDERS, FACETING), FACETING, 'a map'),
      FACETING,
      'a map from attribute to `alpha` or `count`',
    ),
  },
  { code: FACETING },
);

const PAGINATION = 'invalid_settings_pagination';
const PaginationUpdate = closed(
  { maxTotalHits: optional(wholeNumber(1), PAGINATION, 'an integer of at least 1') },
  { code: PAGINATION },
);

const FILTERABLE = 'invalid_settings_filterable_attributes';
const FilterableRuleUpdate = closed(
  {
    attributePatterns: strings(FILTERABLE),
    features: Type.Optional(
      closed(
        {
          facetSearch: Type.Optional(flag(FILTERABLE)),
          filter: Type.Optional(
            closed(
              {
                equality: Type.Optional(flag(FILTERABLE)),
                comparison: Type.Optional(flag(FILTERABLE)),
              },
              { code: FILTERABLE },
            ),
          ),
        },
        { code: FILTERABLE },
      ),
    ),
  },
  { code: FILTERABLE },
);
export type FilterableRuleUpdate = Static<typeof FilterableRuleUpdate>;

const LOCALIZED = 'invalid_settings_localized_attributes';
const FOREIGN = 'invalid_settings_foreign_keys';

/** In the order of the documentation. */
export const settingSchemas = {
  displayedAttributes: list('invalid_settings_displayed_attributes'),
  searchableAttributes: list('invalid_settings_searchable_attributes'),
  filterableAttributes: nullable(
    Type.Array(
      Type.Union([Type.String(), FilterableRuleUpdate], {
        code: FILTERABLE,
        expects: 'an attribute name or a rule object',
      }),
    ),
    FILTERABLE,
    'an array of attribute names and rule objects',
  ),
  sortableAttributes: list('invalid_settings_sortable_attributes'),
  foreignKeys: nullable(
    Type.Array(
      closed({ fieldName: Type.String(), foreignIndexUid: Type.String() }, { code: FOREIGN }),
    ),
    FOREIGN,
    'an array of `{fieldName, foreignIndexUid}`',
  ),
  rankingRules: list('invalid_settings_ranking_rules'),
  stopWords: list('invalid_settings_stop_words'),
  nonSeparatorTokens: list('invalid_settings_non_separator_tokens'),
  separatorTokens: list('invalid_settings_separator_tokens'),
  dictionary: list('invalid_settings_dictionary'),
  synonyms: nullable(
    mapOf(strings('invalid_settings_synonyms'), 'invalid_settings_synonyms', 'a map'),
    'invalid_settings_synonyms',
    'a map from word to an array of words',
  ),
  distinctAttribute: nullable(
    Type.String(),
    'invalid_settings_distinct_attribute',
    'an attribute name',
  ),
  proximityPrecision: nullable(
    oneOf(['byWord', 'byAttribute'], 'invalid_settings_proximity_precision'),
    'invalid_settings_proximity_precision',
    '`byWord`, `byAttribute`',
  ),
  typoTolerance: nullable(TypoToleranceUpdate, TYPO, 'an object'),
  faceting: nullable(FacetingUpdate, FACETING, 'an object'),
  pagination: nullable(PaginationUpdate, PAGINATION, 'an object'),
  embedders: nullable(
    mapOf(
      nullable(EmbedderUpdateSchema, 'invalid_settings_embedders', 'an object'),
      'invalid_settings_embedders',
      'a map',
    ),
    'invalid_settings_embedders',
    'a map from embedder name to its settings',
  ),
  searchCutoffMs: nullable(
    count('invalid_settings_search_cutoff_ms'),
    'invalid_settings_search_cutoff_ms',
    'a non-negative number of milliseconds',
  ),
  localizedAttributes: nullable(
    Type.Array(
      closed(
        { attributePatterns: strings(LOCALIZED), locales: strings(LOCALIZED) },
        { code: LOCALIZED },
      ),
    ),
    LOCALIZED,
    'an array of `{attributePatterns, locales}`',
  ),
  facetSearch: nullable(Type.Boolean(), 'invalid_settings_facet_search', '`true` or `false`'),
  prefixSearch: nullable(
    oneOf(['indexingTime', 'disabled'], 'invalid_settings_prefix_search'),
    'invalid_settings_prefix_search',
    '`indexingTime`, `disabled`',
  ),
  matchingStrategy: nullable(
    oneOf(MATCHING_STRATEGIES, 'invalid_settings_matching_strategy'),
    'invalid_settings_matching_strategy',
    MATCHING_STRATEGIES.map((name) => `\`${name}\``).join(', '),
  ),
  inflections: list('invalid_settings_inflections'),
  rerankers: nullable(
    mapOf(
      nullable(RerankerUpdateSchema, 'invalid_settings_rerankers', 'an object'),
      'invalid_settings_rerankers',
      'a map',
    ),
    'invalid_settings_rerankers',
    'a map from reranker name to its settings',
  ),
  substringAttributes: list('invalid_settings_substring_attributes'),
  chat: nullable(ChatSettingUpdate, 'invalid_settings_index_chat', 'an object'),
} as const;

export type SettingName = keyof typeof settingSchemas;

/** A body that passed its schema, before checks over several values (api/settings-rules.ts). */
export type SettingsBody = { readonly [K in SettingName]?: Static<(typeof settingSchemas)[K]> };

export const SettingsPatchBody = Type.Object(
  Object.fromEntries(
    Object.entries(settingSchemas).map(([name, schema]) => [
      name,
      Type.Optional(schema as TSchema),
    ]),
  ),
  { additionalProperties: false, expects: 'an object' },
);

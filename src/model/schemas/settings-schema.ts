/** Schemas of settings updates: one per setting; null always resets to the default. */
import Type, { type Static, type TSchema } from 'typebox';
import type { ErrorCode } from '../../core/error-codes.ts';
import { INFLECTED_LANGUAGES, normalizeLocale, supportedLocales } from '../locales.ts';
import { FACET_ORDERS, MATCHING_STRATEGIES } from '../search.ts';
import { BUILT_IN_RANKING_RULES } from '../settings.ts';
import { isReservedField } from '../sort-criterion.ts';
import { ChatSettingUpdate } from './chat-setting-schema.ts';
import { EmbedderUpdateSchema } from './embedder-schema.ts';
import { RerankerUpdateSchema } from './reranker-schema.ts';
import {
  closed,
  count,
  flag,
  integer,
  mapOf,
  nullable,
  oneOf,
  optional,
  ruled,
  strings,
  text,
} from './schema.ts';

const CUSTOM_RULE = /^[\s\S]+:(asc|desc)$/;

function rankingRulesProblem(rules: readonly string[]): string | null {
  const builtIn: readonly string[] = BUILT_IN_RANKING_RULES;
  for (const rule of rules) {
    if (isReservedField(rule.replace(/:(asc|desc)$/, '')))
      return `\`${rule}\` is reserved for sorting and cannot be a ranking rule.`;
    if (!builtIn.includes(rule) && !CUSTOM_RULE.test(rule))
      return `\`${rule}\` is not a ranking rule; the rules are ${builtIn.join(', ')}, and \`<attribute>:asc\` or \`<attribute>:desc\`.`;
  }
  return null;
}

interface TypoSizes {
  readonly oneTypo?: number | null;
  readonly twoTypos?: number | null;
}

const typoSizesProblem = ({ oneTypo, twoTypos }: TypoSizes): string | null =>
  typeof oneTypo === 'number' && typeof twoTypos === 'number' && oneTypo > twoTypos
    ? `\`minWordSizeForTypos\` needs \`oneTypo\` (${oneTypo}) to be at most \`twoTypos\` (${twoTypos}).`
    : null;

function localesProblem(codes: readonly string[]): string | null {
  const unknown = codes.find((code) => !normalizeLocale(code));
  return unknown === undefined
    ? null
    : `\`locales\` names \`${unknown}\`; it takes: ${supportedLocales().join(', ')}.`;
}

function inflectionsProblem(codes: readonly string[]): string | null {
  const unknown = codes.find((code) => !INFLECTED_LANGUAGES.includes(normalizeLocale(code) ?? ''));
  return unknown === undefined
    ? null
    : `\`inflections\` names \`${unknown}\`; it takes: ${INFLECTED_LANGUAGES.join(', ')}, or their codes of two letters.`;
}

const list = (code: ErrorCode) => nullable(strings(code));

const TYPO = 'invalid_settings_typo_tolerance';
const TypoToleranceUpdate = closed(
  {
    enabled: optional(flag(TYPO)),
    minWordSizeForTypos: optional(
      ruled(
        closed(
          { oneTypo: optional(integer(TYPO, 0, 255)), twoTypos: optional(integer(TYPO, 0, 255)) },
          { code: TYPO },
        ),
        typoSizesProblem,
      ),
    ),
    disableOnWords: Type.Optional(list(TYPO)),
    disableOnAttributes: Type.Optional(list(TYPO)),
    disableOnNumbers: optional(flag(TYPO)),
  },
  { code: TYPO },
);

const FACETING = 'invalid_settings_faceting';
const FacetingUpdate = closed(
  {
    maxValuesPerFacet: optional(count(FACETING)),
    sortFacetValuesBy: optional(
      mapOf(oneOf(FACET_ORDERS, FACETING), FACETING, 'a map from attribute to `alpha` or `count`'),
    ),
  },
  { code: FACETING },
);

const PAGINATION = 'invalid_settings_pagination';
const PaginationUpdate = closed(
  { maxTotalHits: optional(count(PAGINATION, 1)) },
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
      { code: FILTERABLE, expects: 'an array of attribute names and rule objects' },
    ),
  ),
  sortableAttributes: list('invalid_settings_sortable_attributes'),
  foreignKeys: nullable(
    Type.Array(
      closed(
        {
          fieldName: Type.String(),
          foreignIndexUid: Type.String(),
          foreignPrimaryKey: Type.Optional(Type.String()),
        },
        { code: FOREIGN },
      ),
      { code: FOREIGN, expects: 'an array of `{fieldName, foreignIndexUid}`' },
    ),
  ),
  rankingRules: nullable(ruled(strings('invalid_settings_ranking_rules'), rankingRulesProblem)),
  stopWords: list('invalid_settings_stop_words'),
  nonSeparatorTokens: list('invalid_settings_non_separator_tokens'),
  separatorTokens: list('invalid_settings_separator_tokens'),
  dictionary: list('invalid_settings_dictionary'),
  synonyms: nullable(
    mapOf(
      strings('invalid_settings_synonyms'),
      'invalid_settings_synonyms',
      'a map from word to an array of words',
    ),
  ),
  distinctAttribute: nullable(text('invalid_settings_distinct_attribute', 'an attribute name')),
  proximityPrecision: nullable(
    oneOf(['byWord', 'byAttribute'], 'invalid_settings_proximity_precision'),
  ),
  typoTolerance: nullable(TypoToleranceUpdate),
  faceting: nullable(FacetingUpdate),
  pagination: nullable(PaginationUpdate),
  embedders: nullable(
    mapOf(
      nullable(EmbedderUpdateSchema),
      'invalid_settings_embedders',
      'a map from embedder name to its settings',
    ),
  ),
  searchCutoffMs: nullable(count('invalid_settings_search_cutoff_ms'), {
    expects: 'a non-negative number of milliseconds',
  }),
  localizedAttributes: nullable(
    Type.Array(
      closed(
        {
          attributePatterns: strings(LOCALIZED),
          locales: ruled(strings(LOCALIZED), localesProblem),
        },
        { code: LOCALIZED },
      ),
      { code: LOCALIZED, expects: 'an array of `{attributePatterns, locales}`' },
    ),
  ),
  facetSearch: nullable(flag('invalid_settings_facet_search')),
  prefixSearch: nullable(oneOf(['indexingTime', 'disabled'], 'invalid_settings_prefix_search')),
  matchingStrategy: nullable(oneOf(MATCHING_STRATEGIES, 'invalid_settings_matching_strategy')),
  inflections: nullable(ruled(strings('invalid_settings_inflections'), inflectionsProblem)),
  rerankers: nullable(
    mapOf(
      nullable(RerankerUpdateSchema),
      'invalid_settings_rerankers',
      'a map from reranker name to its settings',
    ),
  ),
  substringAttributes: list('invalid_settings_substring_attributes'),
  chat: nullable(ChatSettingUpdate),
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

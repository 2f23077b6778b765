/** What is counted of changes of settings: of lists their lengths, of choices the choice. */
import { BUILT_IN_RANKING_RULES } from '../model/settings.ts';
import type { ToldFigure } from '../model/usage-report.ts';
import { type EndedRequest, hasSucceeded, isGiven, lengthOf, membersOf } from './ended-request.ts';
import { ever, type Figure, figure, latest, maximum, seen, total } from './measures.ts';

/** The settings that a request gives, by their names; nothing of one that was refused. */
export type GivenSettings = Readonly<Record<string, unknown>>;

const ONE_SETTING = /^settings\.(\w+)\.update$/;

/** Of the route of all settings, and of those of one. */
export function givenSettings(request: EndedRequest): GivenSettings {
  if (!hasSucceeded(request)) return {};
  const [, name] = ONE_SETTING.exec(request.routeId) ?? [];
  return name === undefined ? membersOf(request.body) : { [name]: request.body };
}

type SettingFigure = Figure<GivenSettings>;

const listLength = (setting: string): SettingFigure =>
  figure(maximum, (given) => lengthOf(given[setting]));
const sizeOf = (setting: string): SettingFigure =>
  figure(maximum, (given) =>
    isGiven(given[setting]) ? Object.keys(membersOf(given[setting])).length : undefined,
  );
const holds = (setting: string, value: string): SettingFigure =>
  figure(ever, (given) => {
    const list = given[setting];
    return Array.isArray(list) ? list.includes(value) : undefined;
  });
const isSet = (setting: string): SettingFigure => figure(ever, (given) => isGiven(given[setting]));

/** A value that is a number, a choice or of a few known names; text of users is none of these. */
const choice = (setting: string, known: readonly string[] = []): SettingFigure =>
  figure(latest, (given) => toChoice(given[setting], known));
const member = (setting: string, ...path: readonly string[]): SettingFigure =>
  figure(latest, (given) =>
    toChoice(
      path.reduce<unknown>((value, name) => membersOf(value)[name], given[setting]),
      [],
    ),
  );

function toChoice(value: unknown, known: readonly string[]): ToldFigure | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  return typeof value === 'string' && known.includes(value) ? value : undefined;
}

const positionOf = (rule: string): SettingFigure =>
  figure(latest, ({ rankingRules }) => {
    const position = Array.isArray(rankingRules) ? rankingRules.indexOf(rule) : -1;
    return position < 0 ? undefined : position;
  });

const builtIn: readonly string[] = BUILT_IN_RANKING_RULES;

const given = (setting: string, test: (item: unknown) => boolean): SettingFigure =>
  figure(ever, (settings) => {
    const list = settings[setting];
    return Array.isArray(list) ? list.some(test) : undefined;
  });

const embeddersOf = ({ embedders }: GivenSettings) =>
  Object.values(membersOf(embedders)).map(membersOf);

const EMBEDDER_SOURCES = ['openAi', 'huggingFace', 'ollama', 'userProvided', 'rest', 'composite'];

export const settingsFigures: Readonly<Record<string, SettingFigure>> = {
  total_received: figure(total, () => 1),
  'ranking_rules.words_position': positionOf('words'),
  'ranking_rules.typo_position': positionOf('typo'),
  'ranking_rules.proximity_position': positionOf('proximity'),
  'ranking_rules.attribute_position': positionOf('attribute'),
  'ranking_rules.attribute_rank_position': positionOf('attributeRank'),
  'ranking_rules.attribute_position_position': positionOf('wordPosition'),
  'ranking_rules.sort_position': positionOf('sort'),
  'ranking_rules.exactness_position': positionOf('exactness'),
  'ranking_rules.values': figure(latest, ({ rankingRules }) =>
    Array.isArray(rankingRules)
      ? rankingRules.filter((rule) => builtIn.includes(rule)).join(', ')
      : undefined,
  ),
  'sortable_attributes.total': listLength('sortableAttributes'),
  'sortable_attributes.has_geo': holds('sortableAttributes', '_geo'),
  'filterable_attributes.total': listLength('filterableAttributes'),
  'filterable_attributes.has_geo': holds('filterableAttributes', '_geo'),
  'filterable_attributes.has_patterns': given(
    'filterableAttributes',
    (item) => typeof item === 'object' || (typeof item === 'string' && item.includes('*')),
  ),
  'searchable_attributes.total': listLength('searchableAttributes'),
  'searchable_attributes.with_wildcard': holds('searchableAttributes', '*'),
  'displayed_attributes.total': listLength('displayedAttributes'),
  'displayed_attributes.with_wildcard': holds('displayedAttributes', '*'),
  'typo_tolerance.enabled': member('typoTolerance', 'enabled'),
  'typo_tolerance.disable_on_attributes': figure(ever, ({ typoTolerance }) =>
    Boolean(lengthOf(membersOf(typoTolerance)['disableOnAttributes'])),
  ),
  'typo_tolerance.disable_on_words': figure(ever, ({ typoTolerance }) =>
    Boolean(lengthOf(membersOf(typoTolerance)['disableOnWords'])),
  ),
  'typo_tolerance.min_word_size_for_typos.one_typo': member(
    'typoTolerance',
    'minWordSizeForTypos',
    'oneTypo',
  ),
  'typo_tolerance.min_word_size_for_typos.two_typos': member(
    'typoTolerance',
    'minWordSizeForTypos',
    'twoTypos',
  ),
  'pagination.max_total_hits': member('pagination', 'maxTotalHits'),
  'faceting.max_values_per_facet': member('faceting', 'maxValuesPerFacet'),
  'faceting.sort_facet_values_by_star_count': figure(ever, ({ faceting }) => {
    const orders = membersOf(membersOf(faceting)['sortFacetValuesBy']);
    return orders['*'] === 'count';
  }),
  'faceting.sort_facet_values_by_total': figure(
    maximum,
    ({ faceting }) => Object.keys(membersOf(membersOf(faceting)['sortFacetValuesBy'])).length,
  ),
  'distinct_attribute.set': isSet('distinctAttribute'),
  'proximity_precision.set': isSet('proximityPrecision'),
  'proximity_precision.value': choice('proximityPrecision', ['byWord', 'byAttribute']),
  'facet_search.set': isSet('facetSearch'),
  'facet_search.value': choice('facetSearch'),
  'prefix_search.set': isSet('prefixSearch'),
  'prefix_search.value': choice('prefixSearch', ['indexingTime', 'disabled']),
  'stop_words.total': listLength('stopWords'),
  'separator_tokens.total': listLength('separatorTokens'),
  'non_separator_tokens.total': listLength('nonSeparatorTokens'),
  'dictionary.total': listLength('dictionary'),
  'synonyms.total': sizeOf('synonyms'),
  'embedders.total': sizeOf('embedders'),
  'embedders.document_template_used': figure(ever, (settings) =>
    embeddersOf(settings).some((embedder) => isGiven(embedder['documentTemplate'])),
  ),
  'embedders.document_template_max_bytes': figure(maximum, (settings) =>
    Math.max(
      0,
      ...embeddersOf(settings).map((embedder) => Number(embedder['documentTemplateMaxBytes'] ?? 0)),
    ),
  ),
  'embedders.binary_quantization_used': figure(ever, (settings) =>
    embeddersOf(settings).some((embedder) => embedder['binaryQuantized'] === true),
  ),
  'embedders.sources': figure(seen, (settings) => {
    const sources = embeddersOf(settings).map((embedder) => embedder['source']);
    return EMBEDDER_SOURCES.filter((source) => sources.includes(source));
  }),
};

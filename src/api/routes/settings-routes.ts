/** Settings routes: all settings, and one family per setting generated from a table. */
import { isDeepStrictEqual } from 'node:util';
import { chatSettingOf } from '../../model/chat-setting.ts';
import { shownEmbedders } from '../../model/embedders/masked-embedders.ts';
import type { Features } from '../../model/features.ts';
import { maskedRerankers } from '../../model/reranker-update.ts';
import type { TSchema } from '../../model/schemas/schema.ts';
import {
  type SettingName,
  type SettingsBody,
  SettingsPatchBody,
  settingSchemas,
} from '../../model/schemas/settings-schema.ts';
import {
  DEFAULT_SETTINGS,
  featureOfSetting,
  isAddedSetting,
  type Settings,
  type SettingsUpdate,
} from '../../model/settings.ts';
import type { Answer } from '../contract/answer.ts';
import type { ApiContext } from '../contract/context.ts';
import { enqueued } from '../contract/enqueued.ts';
import { defineRoute, type Method, type Route, type RouteRequest } from '../contract/route.ts';
import { requireIndex } from '../searches/index-reader.ts';
import { checkSetting, checkSettings } from '../settings/settings-rules.ts';

interface SettingRoute {
  readonly name: SettingName;
  readonly subPath: string;
  /** Method of updates: PUT replaces the value, PATCH merges into it. */
  readonly write: 'PUT' | 'PATCH';
  /** True if some members need an experimental feature. */
  readonly gated?: true;
}

export const settingTable: readonly SettingRoute[] = [
  { name: 'displayedAttributes', subPath: 'displayed-attributes', write: 'PUT' },
  { name: 'searchableAttributes', subPath: 'searchable-attributes', write: 'PUT' },
  { name: 'filterableAttributes', subPath: 'filterable-attributes', write: 'PUT' },
  { name: 'sortableAttributes', subPath: 'sortable-attributes', write: 'PUT' },
  { name: 'foreignKeys', subPath: 'foreign-keys', write: 'PUT' },
  { name: 'rankingRules', subPath: 'ranking-rules', write: 'PUT' },
  { name: 'stopWords', subPath: 'stop-words', write: 'PUT' },
  { name: 'nonSeparatorTokens', subPath: 'non-separator-tokens', write: 'PUT' },
  { name: 'separatorTokens', subPath: 'separator-tokens', write: 'PUT' },
  { name: 'dictionary', subPath: 'dictionary', write: 'PUT' },
  { name: 'synonyms', subPath: 'synonyms', write: 'PUT' },
  { name: 'distinctAttribute', subPath: 'distinct-attribute', write: 'PUT' },
  { name: 'proximityPrecision', subPath: 'proximity-precision', write: 'PUT' },
  { name: 'typoTolerance', subPath: 'typo-tolerance', write: 'PATCH' },
  { name: 'faceting', subPath: 'faceting', write: 'PATCH' },
  { name: 'pagination', subPath: 'pagination', write: 'PATCH' },
  { name: 'embedders', subPath: 'embedders', write: 'PATCH', gated: true },
  { name: 'searchCutoffMs', subPath: 'search-cutoff-ms', write: 'PUT' },
  { name: 'localizedAttributes', subPath: 'localized-attributes', write: 'PUT' },
  { name: 'facetSearch', subPath: 'facet-search', write: 'PUT' },
  { name: 'prefixSearch', subPath: 'prefix-search', write: 'PUT' },
  { name: 'matchingStrategy', subPath: 'matching-strategy', write: 'PUT' },
  { name: 'inflections', subPath: 'inflections', write: 'PUT' },
  { name: 'rerankers', subPath: 'rerankers', write: 'PATCH' },
  { name: 'substringAttributes', subPath: 'substring-attributes', write: 'PUT' },
  { name: 'chat', subPath: 'chat', write: 'PATCH' },
];

function visibleSetting(settings: Settings, name: SettingName): unknown {
  if (name === 'embedders') return shownEmbedders(settings.embedders);
  if (name === 'rerankers') return maskedRerankers(settings.rerankers);
  if (name === 'chat') return chatSettingOf(settings.chat);
  if (name !== 'faceting') return settings[name];
  const { sortFacetValuesBy } = settings.faceting;
  return { ...settings.faceting, sortFacetValuesBy: { '*': 'alpha', ...sortFacetValuesBy } };
}

/** True if the experimental feature of the setting, if any, is enabled. */
function isOpen(name: SettingName, features: Features): boolean {
  const feature = featureOfSetting(name);
  return feature === null || features[feature];
}

const isDefault = (settings: Settings, name: keyof Settings): boolean =>
  isDeepStrictEqual(settings[name], DEFAULT_SETTINGS[name]);

/**
 * Settings that Meilisearch lacks are included only if they differ from the default, for clients
 * that compare all settings.
 */
const visibleSettings = (settings: Settings, features: Features): Record<string, unknown> =>
  Object.fromEntries(
    settingTable
      .filter(({ name }) => isOpen(name, features))
      .filter(({ name }) => !isAddedSetting(name) || !isDefault(settings, name))
      .map(({ name }) => [name, visibleSetting(settings, name)]),
  );

const enqueue = (
  { indexer }: ApiContext,
  { params: { indexUid }, access }: RouteRequest<{ readonly indexUid: string }, unknown, unknown>,
  settings: SettingsUpdate,
  isReset: boolean,
): Promise<Answer> => {
  const allowIndexCreation = !isReset && access.holds('indexes.create');
  return enqueued(indexer, {
    type: 'settingsUpdate',
    indexUid,
    settings,
    isReset,
    allowIndexCreation,
  });
};

const allReset = Object.fromEntries(settingTable.map(({ name }) => [name, null])) as SettingsUpdate;

const wholeSettingsRoutes: readonly Route[] = [
  defineRoute({
    id: 'settings.get',
    endpoint: 'GET /indexes/:indexUid/settings',
    action: 'settings.get',
    summary: 'Read all settings of an index',
    errors: ['index_not_found'],
    handler: (context, { params }) => ({
      status: 200,
      json: visibleSettings(
        requireIndex(context, params.indexUid).manifest.settings,
        context.features,
      ),
    }),
  }),
  defineRoute({
    id: 'settings.update',
    endpoint: 'PATCH /indexes/:indexUid/settings',
    action: 'settings.update',
    summary: 'Update settings; null resets one',
    body: SettingsPatchBody,
    errors: ['feature_not_enabled'],
    handler: (context, request) =>
      enqueue(
        context,
        request,
        checkSettings(request.body as SettingsBody, context.features),
        false,
      ),
  }),
  defineRoute({
    id: 'settings.reset',
    endpoint: 'DELETE /indexes/:indexUid/settings',
    action: 'settings.update',
    summary: 'Reset all settings of an index',
    handler: (context, request) => enqueue(context, request, allReset, true),
  }),
];

function familyOf({ name, subPath, write, gated }: SettingRoute): Route[] {
  const schema: TSchema = settingSchemas[name];
  const route = (method: Method, verb: string) =>
    ({
      id: `settings.${name}.${verb}`,
      endpoint: `${method} /indexes/:indexUid/settings/${subPath}`,
    }) as const;
  return [
    defineRoute({
      ...route('GET', 'get'),
      action: 'settings.get',
      summary: `Read the setting ${name}`,
      errors: ['index_not_found'],
      handler: (context, { params }) => ({
        status: 200,
        json: visibleSetting(requireIndex(context, params.indexUid).manifest.settings, name),
      }),
    }),
    defineRoute({
      ...route(write, 'update'),
      action: 'settings.update',
      summary: `Update the setting ${name}; null resets it`,
      body: schema,
      errors: featureOfSetting(name) !== null || gated ? ['feature_not_enabled'] : [],
      handler: (context, request) => {
        checkSetting(name, request.body, context.features);
        return enqueue(context, request, { [name]: request.body }, false);
      },
    }),
    defineRoute({
      ...route('DELETE', 'reset'),
      action: 'settings.update',
      summary: `Reset the setting ${name}`,
      handler: (context, request) => enqueue(context, request, { [name]: null }, true),
    }),
  ];
}

export const settingsRoutes: readonly Route[] = [
  ...wholeSettingsRoutes,
  ...settingTable.flatMap(familyOf),
];

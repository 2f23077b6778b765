/** Settings routes: all settings, and one family per setting. */
import { isDeepStrictEqual } from 'node:util';
import { snakeCase } from '../../core/snake-case.ts';
import { isMerged, resetOfAllSettings } from '../../model/apply-settings.ts';
import { chatSettingOf } from '../../model/chat-setting.ts';
import type { Features } from '../../model/features.ts';
import { maskedProviders, shownEmbedders } from '../../model/masked-providers.ts';
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

/** In the order of the documentation. */
const SETTING_NAMES = Object.keys(settingSchemas) as readonly SettingName[];
/** True if a value of the setting, or some of its members, need an experimental feature. */
const isGated = (name: SettingName): boolean =>
  featureOfSetting(name) !== null || name === 'embedders';

function visibleSetting(settings: Settings, name: SettingName): unknown {
  if (name === 'embedders') return shownEmbedders(settings.embedders);
  if (name === 'rerankers') return maskedProviders(settings.rerankers);
  if (name === 'chat') return chatSettingOf(settings.chat);
  if (name !== 'faceting') return settings[name];
  const { sortFacetValuesBy } = settings.faceting;
  return { ...settings.faceting, sortFacetValuesBy: { '*': 'alpha', ...sortFacetValuesBy } };
}

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
    SETTING_NAMES.filter((name) => isOpen(name, features))
      .filter((name) => !isAddedSetting(name) || !isDefault(settings, name))
      .map((name) => [name, visibleSetting(settings, name)]),
  );

const enqueue = (
  { indexer }: ApiContext,
  { params: { indexUid }, access }: RouteRequest<{ readonly indexUid: string }, unknown, unknown>,
  settings: SettingsUpdate,
  isReset: boolean,
): Promise<Answer> =>
  enqueued(indexer, {
    type: 'settingsUpdate',
    indexUid,
    settings,
    isReset,
    allowIndexCreation: !isReset && access.holds('indexes.create'),
  });

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
    handler: (context, request) => enqueue(context, request, resetOfAllSettings(), true),
  }),
];

function familyOf(name: SettingName): Route[] {
  const schema: TSchema = settingSchemas[name];
  const subPath = snakeCase(name).replaceAll('_', '-');
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
      ...route(isMerged(name) ? 'PATCH' : 'PUT', 'update'),
      action: 'settings.update',
      summary: `Update the setting ${name}; null resets it`,
      body: schema,
      errors: isGated(name) ? ['feature_not_enabled'] : [],
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
  ...SETTING_NAMES.flatMap(familyOf),
];

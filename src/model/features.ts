/** Experimental features: the switches of an instance, and the body that turns them. */
import Type, { type Static } from 'typebox';
import { closed, flag, nullable } from './schema.ts';

const feature = Type.Optional(flag('bad_request'));

/** A member that is absent stays as it is. */
export const FeaturesUpdate = closed({
  metrics: feature,
  logsRoute: feature,
  editDocumentsByFunction: feature,
  containsFilter: feature,
  dynamicSearchRules: feature,
  network: feature,
  getTaskDocumentsRoute: feature,
  taskQueueCompactionRoute: feature,
  compositeEmbedders: feature,
  chatCompletions: feature,
  multimodal: feature,
  foreignKeys: feature,
  disableDocumentsFetchQueue: feature,
  legacySearch: Type.Optional(nullable(Type.Boolean(), 'bad_request', '`true` or `false`')),
  renderRoute: feature,
  tasksStreamingRoute: feature,
});
export type FeaturesUpdate = Static<typeof FeaturesUpdate>;

export type Feature = keyof FeaturesUpdate;
export type Features = Readonly<Record<Feature, boolean>>;

/** In the order in which the API lists them. */
export const FEATURES = Object.keys(FeaturesUpdate.properties) as readonly Feature[];

export const NO_FEATURES = Object.fromEntries(FEATURES.map((name) => [name, false])) as Features;

/** Those that open something; the others exist by name only and stay off. */
export const OFFERED_FEATURES: readonly Feature[] = [
  'metrics',
  'logsRoute',
  'compositeEmbedders',
  'editDocumentsByFunction',
  'containsFilter',
  'getTaskDocumentsRoute',
  'taskQueueCompactionRoute',
  'multimodal',
  'renderRoute',
  'tasksStreamingRoute',
];

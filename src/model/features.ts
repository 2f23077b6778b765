/** Experimental features: a table of their effects, and the body of updates. */
import type { Static } from 'typebox';
import { closed, flag, optional } from './schemas/schema.ts';

/** In the order of the API; each text completes the message of `feature_not_enabled`. */
export const FEATURE_GATES = {
  metrics: '`GET /metrics`',
  logsRoute: 'routes below `/logs`',
  editDocumentsByFunction: '`POST /indexes/{uid}/documents/edit`',
  containsFilter: '`CONTAINS` in filters',
  dynamicSearchRules: '`/dynamic-search-rules`; search rules act',
  network: '`/network`, `federationOptions.remote`, `useNetwork`',
  getTaskDocumentsRoute: '`GET /tasks/{uid}/documents`',
  taskQueueCompactionRoute: '`POST /tasks/compact`',
  compositeEmbedders: 'the source `composite` of embedders',
  chatCompletions: 'routes below `/chats`, the setting `chat`',
  multimodal: 'fragments of embedders, `media` of searches, `_vectors` in filters',
  foreignKeys: 'the setting `foreignKeys`, documents in hits, `_foreign` in filters',
  disableDocumentsFetchQueue:
    'nothing and has no effect: reads of documents wait their turn like searches',
  legacySearch: 'nothing: totals of a search end at `maxTotalHits`',
  renderRoute: '`POST /render-template`',
  tasksStreamingRoute: '`GET /tasks/stream`, `GET /batches/stream`',
} as const satisfies Record<string, string>;

export type Feature = keyof typeof FEATURE_GATES;
export type Features = Readonly<Record<Feature, boolean>>;

export const FEATURES = Object.keys(FEATURE_GATES) as readonly Feature[];

const everyFeature = <T>(value: T) =>
  Object.fromEntries(FEATURES.map((name) => [name, value])) as Record<Feature, T>;

/** Absent members and null leave a feature unchanged. */
export const FeaturesUpdate = closed(everyFeature(optional(flag('bad_request'))));
export type FeaturesUpdate = Static<typeof FeaturesUpdate>;

export const NO_FEATURES: Features = everyFeature(false);

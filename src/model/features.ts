/** Experimental features: a table of what each enables, and the body of updates. */
import Type, { type Static } from 'typebox';
import { closed, flag, optional } from './schemas/schema.ts';

interface FeatureFacts {
  /** Completes the message of `feature_not_enabled`. */
  readonly gates: string;
}

/** In the order of the API. */
export const FEATURE_FACTS = {
  metrics: { gates: '`GET /metrics`' },
  logsRoute: { gates: 'routes below `/logs`' },
  editDocumentsByFunction: { gates: '`POST /indexes/{uid}/documents/edit`' },
  containsFilter: { gates: '`CONTAINS` in filters' },
  dynamicSearchRules: { gates: '`/dynamic-search-rules`; search rules act' },
  network: { gates: '`/network`, `federationOptions.remote`, `useNetwork`' },
  getTaskDocumentsRoute: { gates: '`GET /tasks/{uid}/documents`' },
  taskQueueCompactionRoute: { gates: '`POST /tasks/compact`' },
  compositeEmbedders: { gates: 'the source `composite` of embedders' },
  chatCompletions: { gates: 'routes below `/chats`, the setting `chat`' },
  multimodal: { gates: 'fragments of embedders, `media` of searches, `_vectors` in filters' },
  foreignKeys: { gates: 'the setting `foreignKeys`, documents in hits, `_foreign` in filters' },
  disableDocumentsFetchQueue: {
    gates: 'nothing and has no effect: reads of documents wait their turn like searches',
  },
  legacySearch: { gates: 'nothing: totals of a search end at `maxTotalHits`' },
  renderRoute: { gates: '`POST /render-template`' },
  tasksStreamingRoute: { gates: '`GET /tasks/stream`, `GET /batches/stream`' },
} as const satisfies Record<string, FeatureFacts>;

export type Feature = keyof typeof FEATURE_FACTS;
export type Features = Readonly<Record<Feature, boolean>>;

export const FEATURES = Object.keys(FEATURE_FACTS) as readonly Feature[];

const everyFeature = <T>(value: T) =>
  Object.fromEntries(FEATURES.map((name) => [name, value])) as Record<Feature, T>;

/** Absent members stay unchanged. */
export const FeaturesUpdate = closed({
  ...everyFeature(Type.Optional(flag('bad_request'))),
  legacySearch: optional(Type.Boolean(), 'bad_request', '`true` or `false`'),
});
export type FeaturesUpdate = Static<typeof FeaturesUpdate>;

export const NO_FEATURES: Features = everyFeature(false);

/**
 * Status and schema of each route's successful answer, for the OpenAPI description. Start at the
 * end, with the table of routes.
 */
import Type, { type TProperties, type TSchema } from 'typebox';
import { FEATURES } from '../../model/features.ts';
import { closed } from '../../model/schemas/schema.ts';
import { SearchRuleBody } from '../../model/schemas/search-rule-schema.ts';
import { settingSchemas } from '../../model/schemas/settings-schema.ts';
import { orNull } from '../../model/schemas/stored-schema.ts';
import type { Route } from '../contract/route.ts';

interface AnswerShape {
  readonly status: number;
  /** null = no body. */
  readonly contentType: string | null;
  /** Absent = any text. */
  readonly schema?: TSchema;
}

const text = Type.String();
const integer = Type.Integer();
const date = Type.String({ format: 'date-time' });
const anyObject = Type.Record(Type.String(), Type.Unknown());
const counts = Type.Record(Type.String(), Type.Integer());
const optional = <P extends TProperties>(properties: P) =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)]),
  );
/** Secrets that an update dropped. */
const warnings = Type.Array(text);
const listOf = (item: TSchema) => closed({ results: Type.Array(item) });
const offsetList = (item: TSchema) =>
  closed({ results: Type.Array(item), offset: integer, limit: integer, total: integer });
const cursorList = (item: TSchema) =>
  closed({
    results: Type.Array(item),
    total: integer,
    limit: integer,
    from: orNull(integer),
    next: orNull(integer),
  });

const errorEnvelope = closed({ message: text, code: text, type: text, link: text });
const remoteErrors = Type.Record(Type.String(), errorEnvelope);

const taskSummary = closed({
  taskUid: integer,
  indexUid: orNull(text),
  status: text,
  type: text,
  enqueuedAt: date,
  ...optional({ customMetadata: text }),
});
const task = closed({
  uid: integer,
  batchUid: orNull(integer),
  indexUid: orNull(text),
  status: text,
  type: text,
  canceledBy: orNull(integer),
  error: orNull(errorEnvelope),
  duration: orNull(text),
  enqueuedAt: date,
  startedAt: orNull(date),
  finishedAt: orNull(date),
  ...optional({ details: orNull(anyObject), customMetadata: text }),
});
const batch = closed({
  uid: integer,
  progress: orNull(anyObject),
  details: anyObject,
  stats: anyObject,
  duration: orNull(text),
  startedAt: date,
  finishedAt: orNull(date),
  batchStrategy: text,
});

const index = closed({ uid: text, createdAt: date, updatedAt: date, primaryKey: orNull(text) });
const document = anyObject;

const facetMembers = {
  facetDistribution: Type.Record(Type.String(), counts),
  facetStats: Type.Record(Type.String(), closed({ min: Type.Number(), max: Type.Number() })),
};
const bucket = closed({
  key: Type.Union([text, Type.Number()]),
  count: integer,
  ...optional({
    timestamp: Type.Number(),
    from: Type.Number(),
    to: Type.Number(),
    aggregations: Type.Record(Type.String(), anyObject),
  }),
});
const aggregation = closed(
  optional({
    value: orNull(Type.Number()),
    values: Type.Record(Type.String(), orNull(Type.Number())),
    buckets: Type.Array(bucket),
  }),
);
const metadata = closed({
  queryUid: text,
  indexUid: text,
  ...optional({ primaryKey: text, remote: text, query: text }),
});
const stage = closed({
  stage: text,
  microseconds: integer,
  ...optional({ candidates: integer, calls: integer }),
});
const pageMembers = {
  limit: integer,
  offset: integer,
  estimatedTotalHits: integer,
  hitsPerPage: integer,
  page: integer,
  totalPages: integer,
  totalHits: integer,
  totalGroups: integer,
  totalDocuments: integer,
};
const searchMembers = {
  hits: Type.Array(document),
  query: text,
  processingTimeMs: integer,
  requestUid: text,
  ...optional({
    ...pageMembers,
    ...facetMembers,
    aggregations: Type.Record(Type.String(), aggregation),
    queryVector: Type.Array(Type.Number()),
    semanticHitCount: integer,
    rerankedHitCount: integer,
    rerankError: errorEnvelope,
    metadata,
    performanceDetails: Type.Record(Type.String(), text),
    profile: Type.Array(stage),
    remoteErrors,
  }),
};
const federatedAnswer = closed({
  hits: Type.Array(document),
  processingTimeMs: integer,
  requestUid: text,
  ...optional({
    ...pageMembers,
    ...facetMembers,
    facetsByIndex: Type.Record(Type.String(), anyObject),
    groupFacts: Type.Record(Type.String(), anyObject),
    precedingGroups: Type.Array(anyObject),
    queryVectors: Type.Record(Type.String(), Type.Array(Type.Number())),
    semanticHitCount: integer,
    rerankedHitCount: integer,
    rerankError: errorEnvelope,
    metadata: Type.Array(metadata),
    performanceDetails: Type.Record(Type.String(), text),
    remoteErrors,
  }),
});
const similarAnswer = closed({
  hits: Type.Array(document),
  id: text,
  processingTimeMs: integer,
  limit: integer,
  offset: integer,
  estimatedTotalHits: integer,
  ...optional({ performanceDetails: Type.Record(Type.String(), text) }),
});
const facetSearchAnswer = closed({
  facetHits: Type.Array(closed({ value: text, count: integer })),
  facetQuery: orNull(text),
  processingTimeMs: integer,
  ...optional({ remoteErrors }),
});

const keyMembers = {
  name: orNull(text),
  description: orNull(text),
  key: text,
  uid: text,
  actions: Type.Array(text),
  indexes: Type.Array(text),
  expiresAt: orNull(text),
  ...optional({ requestsPerSecond: integer }),
  createdAt: date,
  updatedAt: date,
};
const key = closed(keyMembers);
const rotatedKey = closed({
  ...keyMembers,
  replaces: closed({ uid: text, expiresAt: text }),
});
const number = Type.Number();
const analyticsFigures = {
  searches: integer,
  searchesWithoutResults: integer,
  meanHits: orNull(number),
  meanMs: orNull(number),
  trackedSearches: integer,
  clickedSearches: integer,
  clickThroughRate: orNull(number),
  meanClickPosition: orNull(number),
  convertedSearches: integer,
  conversionRate: orNull(number),
  viewedSearches: integer,
};
const analyticsReport = (group: TProperties) =>
  closed({
    from: text,
    to: text,
    results: Type.Array(closed({ ...group, ...analyticsFigures })),
    offset: integer,
    limit: integer,
    total: integer,
    all: closed(analyticsFigures),
    isComplete: Type.Boolean(),
  });
const auditLine = closed({
  time: date,
  ...optional({
    lost: integer,
    request: text,
    who: orNull(text),
    name: text,
    address: text,
    method: text,
    route: text,
    index: text,
    target: text,
    task: integer,
    status: orNull(integer),
    error: text,
  }),
});
const backupFile = closed({ name: text, kind: text, bytes: integer, createdAt: date });
const webhook = closed({
  uuid: text,
  isEditable: Type.Boolean(),
  url: text,
  headers: Type.Record(Type.String(), text),
  ...optional({ signingSecret: text, warnings }),
});
const delivery = closed({
  batchUid: integer,
  attempt: integer,
  startedAt: date,
  duration: orNull(text),
  result: text,
  status: orNull(integer),
  error: orNull(text),
  nextAttemptAt: orNull(date),
});
const chatSettings = closed({
  source: text,
  orgId: orNull(text),
  projectId: orNull(text),
  apiVersion: orNull(text),
  deploymentId: orNull(text),
  baseUrl: orNull(text),
  apiKey: orNull(text),
  prompts: Type.Record(Type.String(), text),
  ...optional({ warnings }),
});
const network = closed({
  self: orNull(text),
  remotes: Type.Record(
    Type.String(),
    closed({
      url: text,
      searchApiKey: orNull(text),
      writeApiKey: orNull(text),
      status: Type.Enum(['available', 'unavailable']),
    }),
  ),
  shards: Type.Record(Type.String(), closed({ remotes: Type.Array(text) })),
  leader: Type.Null(),
  version: text,
  ...optional({ warnings }),
});

const { description, precedence, active, conditions, actions } = SearchRuleBody.properties;
const searchRule = closed({
  uid: text,
  description,
  lastUpdatedAt: orNull(date),
  precedence,
  active,
  conditions,
  actions,
});

const fingerprintSum = { numberOfDocuments: integer, fingerprint: text };
const fingerprint = Type.Union([
  closed({
    ...fingerprintSum,
    ...optional({ parts: Type.Array(closed({ prefix: text, ...fingerprintSum })) }),
  }),
  closed({ documents: Type.Array(closed({ id: text, fingerprint: text })) }),
]);
const alias = closed({ name: text, indexUid: text, createdAt: date, updatedAt: date });
const size = Type.Union([integer, text]);
const indexStats = closed({
  numberOfDocuments: integer,
  isIndexing: Type.Boolean(),
  fieldDistribution: counts,
  rawDocumentDbSize: size,
  avgDocumentSize: size,
  ...optional({
    isLocal: Type.Literal(false),
    numberOfEmbeddings: integer,
    numberOfEmbeddedDocuments: integer,
    indexSize: size,
    usedIndexSize: size,
    internalDatabaseSizes: Type.Record(Type.String(), size),
  }),
});
const stats = closed({
  databaseSize: size,
  usedDatabaseSize: size,
  lastUpdate: orNull(date),
  indexes: Type.Record(Type.String(), indexStats),
});
const features = closed(Object.fromEntries(FEATURES.map((name) => [name, Type.Boolean()])));
const trait = Type.Object({ enabled: Type.Boolean() });
const field = closed({
  name: text,
  displayed: trait,
  searchable: trait,
  sortable: trait,
  distinct: trait,
  rankingRule: trait,
  filterable: trait,
  localized: closed({ locales: Type.Array(text) }),
});

const telemetryPreview = closed({
  isCounting: Type.Boolean(),
  target: orNull(text),
  sendsAt: orNull(date),
  bundles: Type.Array(
    closed({
      instanceUid: text,
      from: date,
      to: date,
      instance: anyObject,
      events: Type.Array(closed({ event: text, figures: anyObject })),
    }),
  ),
});

const json = (schema: TSchema, status = 200): AnswerShape => ({
  status,
  contentType: 'application/json',
  schema,
});
const other = (contentType: string): AnswerShape => ({ status: 200, contentType });
const empty: AnswerShape = { status: 204, contentType: null };
const enqueued = json(taskSummary, 202);
const searchAnswer = json(closed(searchMembers));
const status = json(closed({ status: text }));
const rebuild = closed({ component: text, segments: integer, documents: integer, bytes: integer });
const both = (schema: TSchema) => closed({ base: schema, candidate: schema });
const latency = closed({ p50: Type.Number(), p95: Type.Number() });
const comparison = json(
  closed({
    queries: integer,
    refusedQueries: integer,
    isComplete: Type.Boolean(),
    changedLists: integer,
    changedFirstHits: integer,
    overlap: Type.Number(),
    judgedQueries: integer,
    ndcg: orNull(both(Type.Number())),
    latencyMs: both(latency),
    changes: Type.Array(
      closed({
        q: text,
        overlap: Type.Number(),
        base: Type.Array(text),
        candidate: Type.Array(text),
        ...optional({ filter: Type.Unknown(), ndcg: both(Type.Number()) }),
      }),
    ),
  }),
);
const settingsPreview = json(
  closed({
    rebuilds: Type.Array(rebuild),
    embeds: Type.Array(text),
    result: orNull(closed(searchMembers)),
  }),
);

/** The same answer for several routes, by their ids. */
const each = (ids: string, shape: AnswerShape): Record<string, AnswerShape> =>
  Object.fromEntries(ids.split(' ').map((id) => [id, shape]));

/** By route id; without routes of one setting, and without writes that enqueue a task. */
const SHAPES: Readonly<Record<string, AnswerShape>> = {
  ...each('search.post search.get docs.search', searchAnswer),
  'settings.preview': settingsPreview,
  ...each('similar.post similar.get', json(similarAnswer)),
  'searchRules.list': json(offsetList(searchRule)),
  'searchRules.get': json(searchRule),
  'indexes.compare': comparison,
  'facetSearch.post': json(facetSearchAnswer),
  'multiSearch.post': json(
    Type.Union([listOf(closed({ indexUid: text, ...searchMembers })), federatedAnswer]),
  ),
  'documents.get': json(document),
  ...each('documents.list documents.fetch', json(offsetList(document))),
  'aliases.list': json(offsetList(alias)),
  ...each('aliases.get aliases.put', json(alias)),
  'indexes.list': json(offsetList(index)),
  'indexes.get': json(index),
  'fields.post': json(offsetList(field)),
  'fingerprint.get': json(fingerprint),
  ...each('renderTemplate.post tasks.compact docs.openapi', json(anyObject)),
  'tasks.list': json(cursorList(task)),
  'tasks.get': json(task),
  'tasks.documents': other('application/x-ndjson'),
  ...each('tasks.stream batches.stream chats.complete', other('text/event-stream')),
  ...each('tasks.cancel tasks.delete export', json(taskSummary)),
  'batches.list': json(cursorList(batch)),
  'batches.get': json(batch),
  'keys.list': json(offsetList(key)),
  'keys.create': json(key, 201),
  ...each('keys.get keys.update', json(key)),
  ...each(
    'keys.delete webhooks.delete aliases.delete chats.delete logs.endStream logs.stderr',
    empty,
  ),
  'keys.rotate': json(rotatedKey, 201),
  'webhooks.list': json(listOf(webhook)),
  'webhooks.create': json(webhook, 201),
  ...each('webhooks.get webhooks.update', json(webhook)),
  'webhooks.deliveries': json(closed({ results: Type.Array(delivery), waiting: integer })),
  ...each('network.get network.update', json(network)),
  'chats.list': json(offsetList(closed({ uid: text }))),
  'chats.get': json(closed({ uid: text })),
  ...each('chats.settings.get chats.settings.update chats.settings.reset', json(chatSettings)),
  'network.control': { status: 200, contentType: null },
  ...each('root searchPage.file docs.page', other('*/*')),
  health: json(closed({ status: text, ...optional({ damagedFiles: integer }) })),
  ...each('live ready', status),
  version: json(closed({ commitSha: text, commitDate: text, pkgVersion: text })),
  'stats.get': json(stats),
  'stats.index': json(indexStats),
  ...each('metrics.get logs.stream', other('text/plain')),
  'telemetry.preview': json(telemetryPreview),
  ...each('features.get features.update', json(features)),
  'events.add': json(closed({ status: integer, message: text }), 201),
  'analytics.queries': json(analyticsReport({ query: text, ...optional({ filter: text }) })),
  'analytics.counts': json(analyticsReport(optional({ day: text, index: text, filter: text }))),
  'audit.list': json(
    closed({ results: Type.Array(auditLine), limit: integer, next: orNull(text) }),
  ),
  'backups.list': json(listOf(backupFile)),
  'backups.download': other('application/octet-stream'),
  'docs.home': other('text/html'),
  'mcp.post': json(anyObject),
  'settings.get': json(Type.Object(optional(settingSchemas))),
};

const isSetting = (name: string): name is keyof typeof settingSchemas =>
  Object.hasOwn(settingSchemas, name);

/** Throws for a route that reads and has no description. */
export function answerShapeOf({ id, method }: Route): AnswerShape {
  const known = SHAPES[id];
  if (known !== undefined) return known;
  if (method !== 'GET') return enqueued;
  const [family, name = ''] = id.split('.');
  if (family === 'settings' && isSetting(name)) return json(orNull(settingSchemas[name]));
  throw new Error(`no shape of the answers of ${id}`);
}

/** Routes of the instance: root, health, version, statistics, metrics, usage figures. */
import type { Requester } from '../../core/caller.ts';
import { ApiError } from '../../core/errors.ts';
import { getOrCompute } from '../../core/get-or-compute.ts';
import { humanSize } from '../../core/human-size.ts';
import type { PublishedIndex } from '../../ipc/replica/published-indexes.ts';
import { bytesByComponent, liveDocumentCount } from '../../model/index-manifest.ts';
import { StatsQuery } from '../../model/schemas/index-schema.ts';
import type { Metric, WrittenMetric } from '../../observability/metric.ts';
import { PROMETHEUS_TYPE, prometheusText } from '../../observability/prometheus.ts';
import type { ApiContext } from '../contract/context.ts';
import { defineRoute, QUERY_ERRORS, type Route } from '../contract/route.ts';
import { readIndex, requireIndex } from '../searches/index-reader.ts';

const SIZE_MEMBERS: readonly string[] = [
  'rawDocumentDbSize',
  'avgDocumentSize',
  'indexSize',
  'usedIndexSize',
];

const sizeIn = (query: StatsQuery, bytes: number): number | string =>
  query.sizeFormat === 'human' ? humanSize(bytes) : bytes;

type Figures = Readonly<Record<string, unknown>>;

/** Statistics of published generations, which never change. */
const knownFigures = new WeakMap<PublishedIndex, Figures>();

/** Statistics from a query thread, requested once per generation. */
async function figuresOf(
  context: ApiContext,
  index: PublishedIndex,
  caller: Requester,
): Promise<Figures> {
  await context.checked.whenReadable(index.manifest.id, index.manifest.uid);
  const known = knownFigures.get(index);
  if (known !== undefined) return known;
  const bytes = await readIndex(context, { index, work: { kind: 'stats' } }, caller);
  const figures = JSON.parse(Buffer.from(bytes).toString()) as Figures;
  knownFigures.set(index, figures);
  return figures;
}

/** Statistics of an index whose files are only in the object store, from its manifest. */
function figuresElsewhere(index: PublishedIndex): Figures {
  const numberOfDocuments = liveDocumentCount(index.manifest);
  const unknown = { rawDocumentDbSize: 0, avgDocumentSize: 0, fieldDistribution: {} };
  return { ...(knownFigures.get(index) ?? { numberOfDocuments, ...unknown }), isLocal: false };
}

interface AskedStats {
  /**
   * instance: adds the bytes of the index's files, all of which are in use; fetches no index that is
   * only in the object store.
   */
  readonly scope: 'instance' | 'index';
  readonly query: StatsQuery;
  readonly caller: Requester;
  /** Uids of the indexes with a running task. */
  readonly indexing: readonly string[];
}

/** Statistics from a query thread and from the indexer. */
async function indexStats(
  context: ApiContext,
  index: PublishedIndex,
  { scope, query, caller, indexing }: AskedStats,
): Promise<Record<string, unknown>> {
  const isLocal = context.checked.isLocal(index.manifest.id);
  const figures =
    isLocal || scope === 'index'
      ? await figuresOf(context, index, caller)
      : figuresElsewhere(index);
  const { uid, segments } = index.manifest;
  const stats: Record<string, unknown> = { ...figures, isIndexing: indexing.includes(uid) };
  const sizes = [...bytesByComponent(segments)];
  // Clients of release 1.50 compare the answer of an index without parameters member by member.
  if (scope === 'instance' || Object.keys(query).length > 0) {
    stats['indexSize'] = sizes.reduce((sum, [, bytes]) => sum + bytes, 0);
    stats['usedIndexSize'] = stats['indexSize'];
  }
  for (const name of SIZE_MEMBERS) {
    const bytes = stats[name];
    if (typeof bytes === 'number') stats[name] = sizeIn(query, bytes);
  }
  if (query.showInternalDatabaseSizes) {
    stats['internalDatabaseSizes'] = Object.fromEntries(
      sizes.map(([component, bytes]) => [component, sizeIn(query, bytes)]),
    );
  }
  return stats;
}

/** null for an index deleted in the meantime. */
async function statsUnlessDeleted(
  ...args: Parameters<typeof indexStats>
): Promise<Record<string, unknown> | null> {
  try {
    return await indexStats(...args);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'index_not_found') return null;
    throw error;
  }
}

/** Dates have one form, which sorts as text. */
const lastUpdateOf = (indexes: readonly PublishedIndex[]): string | null =>
  indexes.reduce<string | null>((newest, { manifest: { updatedAt } }) => {
    return newest === null || updatedAt > newest ? updatedAt : newest;
  }, null);

export const systemRoutes: readonly Route[] = [
  defineRoute({
    id: 'health',
    endpoint: 'GET /health',
    action: null,
    summary: 'Check that the instance serves requests',
    handler: ({ checked: { damagedFileCount } }) => ({
      status: 200,
      json:
        damagedFileCount === 0
          ? { status: 'available' }
          : { status: 'damaged', damagedFiles: damagedFileCount },
    }),
  }),
  defineRoute({
    id: 'live',
    endpoint: 'GET /livez',
    action: null,
    summary: 'Liveness check: restart the process if it does not answer',
    handler: () => ({ status: 200, json: { status: 'alive' } }),
  }),
  defineRoute({
    id: 'ready',
    endpoint: 'GET /readyz',
    action: null,
    summary: 'Readiness check for load balancers: indexes and keys are loaded',
    errors: ['indexer_unavailable'],
    handler: ({ indexer }) => {
      if (indexer.isInitialised) return { status: 200, json: { status: 'ready' } };
      throw new ApiError(
        'indexer_unavailable',
        'The indexer has not sent its indexes and keys yet.',
      );
    },
  }),
  defineRoute({
    id: 'version',
    endpoint: 'GET /version',
    action: 'version',
    summary: 'Version of the running server',
    handler: ({ config }) => ({ status: 200, json: config.version }),
  }),
  defineRoute({
    id: 'stats.get',
    endpoint: 'GET /stats',
    action: 'stats.get',
    summary: 'Statistics of the instance and all its indexes',
    query: StatsQuery,
    errors: QUERY_ERRORS,
    handler: async (context, { access, query, caller }) => {
      const { databaseSize, usedDatabaseSize, indexing } = await context.indexer.request(
        'instanceStats',
        {},
      );
      const asked: AskedStats = { scope: 'instance', query, caller, indexing };
      const figures: [uid: string, stats: object][] = [];
      const visible = context.indexes.list().filter(({ manifest }) => access.reaches(manifest.uid));
      for (const index of visible) {
        const stats = await statsUnlessDeleted(context, index, asked);
        if (stats !== null) figures.push([index.manifest.uid, stats]);
      }
      const sizes = {
        databaseSize: sizeIn(query, databaseSize),
        usedDatabaseSize: sizeIn(query, usedDatabaseSize),
      };
      // An index may have the name `__proto__`.
      const indexes = Object.fromEntries(figures);
      return { status: 200, json: { ...sizes, lastUpdate: lastUpdateOf(visible), indexes } };
    },
  }),
  defineRoute({
    id: 'stats.index',
    endpoint: 'GET /indexes/:indexUid/stats',
    action: 'stats.get',
    summary: 'Statistics of one index',
    query: StatsQuery,
    errors: ['index_not_found', ...QUERY_ERRORS],
    handler: async (context, { params, query, caller }) => {
      const index = requireIndex(context, params.indexUid);
      const { indexing } = await context.indexer.request('indexingNow', {});
      const asked: AskedStats = { scope: 'index', query, caller, indexing };
      const stats = await indexStats(context, index, asked);
      return { status: 200, json: stats };
    },
  }),
];

/**
 * Metrics of all processes; only of this front while the indexer is down, so that a scrape never
 * fails.
 */
async function metricsOfAll({
  indexer,
  metrics,
}: ApiContext): Promise<readonly (readonly (Metric | WrittenMetric)[])[]> {
  try {
    return await indexer.request('metrics', {});
  } catch (error) {
    if (error instanceof ApiError && error.code === 'indexer_unavailable') return [await metrics()];
    throw error;
  }
}

/** The text that is being made, by the indexer that it asks. */
const metricTexts = new WeakMap<ApiContext['indexer'], Promise<Buffer>>();

/** Requests that arrive while a text is made share it: making one takes 20 ms of the event loop. */
function sharedMetricsText(context: ApiContext): Promise<Buffer> {
  return getOrCompute(metricTexts, context.indexer, async () => {
    try {
      return Buffer.from(prometheusText(await metricsOfAll(context)));
    } finally {
      metricTexts.delete(context.indexer);
    }
  });
}

export const metricsRoutes: readonly Route[] = [
  defineRoute({
    id: 'metrics.get',
    endpoint: 'GET /metrics',
    action: 'metrics.get',
    summary: 'Metrics of all processes in the text format of Prometheus',
    feature: 'metrics',
    handler: async (context, { access }) => {
      if (access.isRestricted) {
        throw new ApiError(
          'invalid_api_key',
          'The provided API key has no access to some indexes, and metrics cover all of them. Use a key whose `indexes` are `["*"]`.',
        );
      }
      const bytes = await sharedMetricsText(context);
      return { status: 200, bytes, contentType: PROMETHEUS_TYPE };
    },
  }),
];

export const telemetryRoutes: readonly Route[] = [
  defineRoute({
    id: 'telemetry.preview',
    endpoint: 'GET /telemetry/preview',
    action: 'telemetry.get',
    summary: 'Preview the next telemetry report and its target',
    handler: async ({ indexer }) => ({
      status: 200,
      json: await indexer.request('previewTelemetry', {}),
    }),
  }),
];

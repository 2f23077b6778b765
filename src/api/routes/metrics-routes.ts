/** The route of metrics for Prometheus. */
import { ApiError } from '../../core/errors.ts';
import { NoQuery } from '../../model/schemas/index-schema.ts';
import type { Metric } from '../../observability/metric.ts';
import { PROMETHEUS_TYPE, prometheusText } from '../../observability/prometheus.ts';
import type { ApiContext } from '../contract/context.ts';
import { requireFeature } from '../contract/require-feature.ts';
import { defineRoute, type Route } from '../contract/route.ts';

/**
 * Metrics of all processes; only of this front while the indexer is down, so that a scrape never
 * fails.
 */
async function metricsOfAll({
  indexer,
  metrics,
}: ApiContext): Promise<readonly (readonly Metric[])[]> {
  try {
    return await indexer.request('metrics', {});
  } catch (error) {
    if (error instanceof ApiError && error.code === 'indexer_unavailable') return [await metrics()];
    throw error;
  }
}

const getMetrics = defineRoute({
  id: 'metrics.get',
  method: 'GET',
  path: '/metrics',
  action: 'metrics.get',
  summary: 'Metrics of all processes in the text format of Prometheus',
  query: NoQuery,
  errors: ['feature_not_enabled'],
  handler: async (context, { access }) => {
    requireFeature(context.features, 'metrics');
    if (access.isRestricted) {
      throw new ApiError(
        'invalid_api_key',
        'The provided API key has no access to some indexes, and metrics cover all of them. Use a key whose `indexes` are `["*"]`.',
      );
    }
    const text = await prometheusText(await metricsOfAll(context));
    return { status: 200, bytes: Buffer.from(text), contentType: PROMETHEUS_TYPE };
  },
});

export const metricsRoutes: readonly Route[] = [getMetrics];

/** Metrics of several processes, added up and written in the text format of Prometheus. */
import type { Metric } from './metric.ts';

export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** The library is loaded when the first scrape comes; most instances have none. */
export async function prometheusText(sources: readonly (readonly Metric[])[]): Promise<string> {
  const { AggregatorRegistry } = (await import('prom-client')).default;
  const withAggregator = sources.map((metrics) =>
    metrics.map((metric) => ({ ...metric, aggregator: 'sum' })),
  );
  return AggregatorRegistry.aggregate(withAggregator).metrics();
}

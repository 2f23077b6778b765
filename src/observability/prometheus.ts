/**
 * Merges metrics of several processes and writes the Prometheus text format. The library adds up
 * metrics of several processes. A metric of a single process, such as one value for each of ten
 * thousand indexes, is written directly, in a tenth of the time.
 */
import type { Labels, Metric } from './metric.ts';

export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** The library is loaded at the first scrape: most instances are never scraped. */
export async function prometheusText(sources: readonly (readonly Metric[])[]): Promise<string> {
  const tellers = new Map<string, number>();
  for (const { name } of sources.flat()) tellers.set(name, (tellers.get(name) ?? 0) + 1);
  const isShared = ({ name }: Metric): boolean => tellers.get(name) !== 1;
  const shared = sources.map((metrics) =>
    metrics.filter(isShared).map((metric) => ({ ...metric, aggregator: 'sum' })),
  );
  const alone = sources.flat().filter((metric) => !isShared(metric));
  const { AggregatorRegistry } = (await import('prom-client')).default;
  const added = await AggregatorRegistry.aggregate(shared).metrics();
  return [...alone.map(textOf), added].filter((text) => text !== '').join('\n');
}

/** Escapes of the text format. */
const escapedHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
const escapedValue = (text: string): string => escapedHelp(text).replaceAll('"', '\\"');

function labelsOf(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapedValue(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function textOf({ name, help, type, values }: Metric): string {
  const lines = values.map(
    ({ metricName = name, labels, value }) => `${metricName}${labelsOf(labels)} ${value}`,
  );
  return `${[`# HELP ${name} ${escapedHelp(help)}`, `# TYPE ${name} ${type}`, ...lines].join('\n')}\n`;
}

/** Adds up the metrics of several processes and writes them in the text format of Prometheus. */
import { getOrCompute } from '../core/get-or-compute.ts';
import type { Labels, Metric, WrittenMetric } from './metric.ts';

export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export function prometheusText(sources: readonly (readonly (Metric | WrittenMetric)[])[]): string {
  const texts: string[] = [];
  const byName = new Map<string, Metric[]>();
  for (const metric of sources.flat())
    if ('text' in metric) texts.push(metric.text);
    else getOrCompute(byName, metric.name, () => []).push(metric);
  for (const same of byName.values()) texts.push(textOf(same));
  return texts.join('\n');
}

/** Samples of a metric above which it is sent as text. */
const SAMPLES_MAX = 200;

/** Metrics for `prometheusText` in another process. @param others metrics of other processes */
export function written(
  metrics: readonly Metric[],
  others: readonly Metric[],
): (Metric | WrittenMetric)[] {
  const names = new Set(others.map(({ name }) => name));
  return metrics.map((metric) =>
    metric.values.length <= SAMPLES_MAX || names.has(metric.name)
      ? metric
      : { name: metric.name, text: textOf([metric]) },
  );
}

/** Escapes of the text format. */
const escapedHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
const escapedValue = (text: string): string =>
  /[\\\n"]/.test(text) ? escapedHelp(text).replaceAll('"', '\\"') : text;

function labelsOf(labels: Labels): string {
  let pairs = '';
  for (const name in labels)
    pairs += `${pairs === '' ? '' : ','}${name}="${escapedValue(labels[name] ?? '')}"`;
  return pairs === '' ? '' : `{${pairs}}`;
}

/** @param metrics of the same name; samples with the same labels are added up */
function textOf(metrics: readonly Metric[]): string {
  let head = '';
  const sums = new Map<string, number>();
  for (const { name, help, type, values } of metrics) {
    head = `# HELP ${name} ${escapedHelp(help)}\n# TYPE ${name} ${type}\n`;
    for (const { metricName = name, labels, value } of values) {
      const series = metricName + labelsOf(labels);
      sums.set(series, (sums.get(series) ?? 0) + value);
    }
  }
  let text = head;
  for (const [series, sum] of sums) text += `${series} ${sum}\n`;
  return text;
}

/** Metrics in the form of OpenTelemetry: cumulative sums, gauges and histograms. */
import type { DataPoint, Histogram, MetricData } from '@opentelemetry/sdk-metrics';
import type { Labels, Metric, Sample } from './metric.ts';

type Sdk = Pick<
  typeof import('@opentelemetry/sdk-metrics'),
  'AggregationTemporality' | 'DataPointType'
>;
/** `ValueType.DOUBLE` of the API. */
const DOUBLE = 1;

const hrTime = (ms: number): [number, number] => [
  Math.floor(ms / 1000),
  Math.round((ms % 1000) * 1e6),
];

/** @param startMs start of the process in epoch milliseconds, from which counters count */
export function toMetricData(
  { AggregationTemporality, DataPointType }: Sdk,
  metrics: readonly Metric[],
  startMs: number,
  nowMs: number,
): MetricData[] {
  const times = { startTime: hrTime(startMs), endTime: hrTime(nowMs) };
  return metrics.map(({ name, help, type, values }) => {
    const common = {
      descriptor: { name, description: help, unit: '', valueType: DOUBLE },
      aggregationTemporality: AggregationTemporality.CUMULATIVE,
    };
    if (type === 'histogram')
      return {
        ...common,
        dataPointType: DataPointType.HISTOGRAM,
        dataPoints: histogramsOf(name, values).map((point) => ({ ...times, ...point })),
      };
    const dataPoints = values.map(({ labels, value }) => ({ ...times, attributes: labels, value }));
    return type === 'gauge'
      ? { ...common, dataPointType: DataPointType.GAUGE, dataPoints }
      : { ...common, dataPointType: DataPointType.SUM, dataPoints, isMonotonic: true };
  });
}

type Point = Pick<DataPoint<Histogram>, 'attributes' | 'value'>;

/** One histogram for each label set. Buckets of samples are cumulative, those of points are not. */
function histogramsOf(name: string, samples: readonly Sample[]): Point[] {
  const series = new Map<string, { labels: Labels; buckets: [number, number][]; sum: number }>();
  for (const { metricName, labels: all, value } of samples) {
    const { le, ...labels } = all;
    const key = JSON.stringify(labels);
    const found = series.get(key) ?? { labels, buckets: [], sum: 0 };
    series.set(key, found);
    if (le !== undefined) found.buckets.push([Number(le.replace('+Inf', 'Infinity')), value]);
    if (metricName === `${name}_sum`) found.sum = value;
  }
  return [...series.values()].map(({ labels, buckets, sum }) => {
    const counts = buckets.map(([, count], i) => count - (buckets[i - 1]?.[1] ?? 0));
    const boundaries = buckets.map(([bound]) => bound).filter(Number.isFinite);
    const count = buckets.at(-1)?.[1] ?? 0;
    return { attributes: labels, value: { buckets: { boundaries, counts }, sum, count } };
  });
}

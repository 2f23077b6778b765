/** Metrics of a process in the form of OpenTelemetry. */
import * as sdk from '@opentelemetry/sdk-metrics';
import { expect, it } from 'vitest';
import { histogram, Latencies } from '../../../src/observability/latencies.ts';
import { counter, gauge } from '../../../src/observability/metric.ts';
import { toMetricData } from '../../../src/observability/otlp-metrics.ts';

const convert = (metrics: Parameters<typeof toMetricData>[1]) =>
  toMetricData(sdk, metrics, 1_000_500, 2_000_000);

it('counters are cumulative sums since the start, gauges have no sum', () => {
  const [sum, level] = convert([counter('a_total', 'A', [[{ x: '1' }, 5]]), gauge('b', 'B', 7)]);
  expect(sum).toMatchObject({
    descriptor: { name: 'a_total', description: 'A' },
    dataPointType: sdk.DataPointType.SUM,
    aggregationTemporality: sdk.AggregationTemporality.CUMULATIVE,
    isMonotonic: true,
    dataPoints: [{ startTime: [1000, 5e8], endTime: [2000, 0], attributes: { x: '1' }, value: 5 }],
  });
  expect(level).toMatchObject({
    dataPointType: sdk.DataPointType.GAUGE,
    dataPoints: [{ attributes: {}, value: 7 }],
  });
});

it('histograms have counts of their own in each bucket, by label set', () => {
  const [fast, slow] = [new Latencies([0.1, 1]), new Latencies([0.1, 1])];
  for (const seconds of [0.05, 0.05, 0.5, 9]) fast.observe(seconds);
  slow.observe(0.5);
  const [data] = convert([
    histogram('h', 'H', [
      [{ route: 'a' }, fast],
      [{ route: 'b' }, slow],
    ]),
  ]);
  expect(data?.dataPointType).toBe(sdk.DataPointType.HISTOGRAM);
  expect(data?.dataPoints.map(({ attributes, value }) => [attributes, value])).toEqual([
    [{ route: 'a' }, { buckets: { boundaries: [0.1, 1], counts: [2, 1, 1] }, sum: 9.6, count: 4 }],
    [{ route: 'b' }, { buckets: { boundaries: [0.1, 1], counts: [0, 1, 0] }, sum: 0.5, count: 1 }],
  ]);
});

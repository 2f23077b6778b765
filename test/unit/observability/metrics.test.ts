/** What processes and threads count, and how it is added up and written for Prometheus. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { histogram, Latencies, REQUEST_BOUNDS } from '../../../src/observability/latencies.ts';
import { counter, gauge, type Metric } from '../../../src/observability/metric.ts';
import { processMetrics } from '../../../src/observability/process-metrics.ts';
import { prometheusText, written } from '../../../src/observability/prometheus.ts';
import {
  QueryMetrics,
  SEARCH_STEPS,
  ThreadMetrics,
} from '../../../src/observability/query-metrics.ts';
import { RequestMetrics } from '../../../src/observability/request-metrics.ts';

const valuesOf = (metrics: readonly Metric[], name: string) =>
  metrics.find((metric) => metric.name === name)?.values;

const linesOf = async (...sources: readonly (readonly Metric[])[]): Promise<string[]> =>
  (await prometheusText(sources)).split('\n');

describe('latencies', () => {
  it('count each time once, at the least bound that is not below it', async () => {
    const latencies = new Latencies(REQUEST_BOUNDS);
    for (const seconds of [0.005, 0.006, 0.3, 11]) latencies.observe(seconds);
    const lines = await linesOf([histogram('t', 'Time', [[{ path: '/' }, latencies]])]);
    expect(lines).toEqual(
      expect.arrayContaining([
        '# TYPE t histogram',
        't_bucket{path="/",le="0.005"} 1',
        't_bucket{path="/",le="0.01"} 2',
        't_bucket{path="/",le="0.25"} 2',
        't_bucket{path="/",le="0.5"} 3',
        't_bucket{path="/",le="10"} 3',
        't_bucket{path="/",le="+Inf"} 4',
        't_count{path="/"} 4',
      ]),
    );
    const sum = lines.find((line) => line.startsWith('t_sum'));
    expect(Number(sum?.split(' ')[1])).toBeCloseTo(11.311);
  });
});

describe('metrics of several processes', () => {
  it('read the same if those with many samples are sent as text', async () => {
    const each = (name: string) =>
      gauge(
        name,
        'By index',
        Array.from({ length: 201 }, (_, i) => [{ index: `"${i}"` }, i] as const),
      );
    const own = [each('own'), each('shared'), gauge('few', 'N', 1)];
    const other = [each('shared')];
    const sent = written(own, other);
    expect(sent.map((metric) => 'text' in metric)).toEqual([true, false, false]);
    const lines = async (sources: Parameters<typeof prometheusText>[0]) =>
      (await prometheusText(sources)).split('\n').sort();
    const text = await lines([sent, other]);
    expect(text).toEqual(await lines([own, other]));
    expect(text).toContain('own{index="\\"200\\""} 200');
    expect(text).toContain('shared{index="\\"200\\""} 400');
  });

  it('are written alike, whether one or several tell them', async () => {
    const odd = 'a "b" \\ c\nd';
    const latencies = new Latencies(REQUEST_BOUNDS);
    latencies.observe(0.3);
    const told = [
      gauge('g', 'Line\nof \\ help', [[{ name: odd, other: '' }, 1.5]]),
      counter('plain', 'N', 7),
      histogram('t', 'Time', [[{ path: '/' }, latencies]]),
      gauge('none', 'No values', []),
    ];
    const alone = await linesOf(told);
    const doubled = await linesOf(told, told);
    const twice = alone.map((line) =>
      line.startsWith('#') || line === '' ? line : line.replace(/[^ ]+$/, (n) => String(2 * +n)),
    );
    expect(alone).toContain('g{name="a \\"b\\" \\\\ c\\nd",other=""} 1.5');
    expect(doubled.filter((line) => line !== '').sort()).toEqual(
      twice.filter((line) => line !== '').sort(),
    );
  });

  it('are added up where their labels are the same', async () => {
    const front = [counter('n', 'Number', [[{ path: '/a' }, 2]]), gauge('g', 'Gauge', 1)];
    const other = [
      counter('n', 'Number', [
        [{ path: '/a' }, 3],
        [{ path: '/b' }, 1],
      ]),
      gauge('g', 'Gauge', 4),
    ];
    expect(await linesOf(front, other)).toEqual(
      expect.arrayContaining(['n{path="/a"} 5', 'n{path="/b"} 1', 'g 5']),
    );
  });

  it('stay apart where each process has its name', async () => {
    const lines = await linesOf(processMetrics('front', 0), processMetrics('indexer', 0));
    expect(lines).toContain('gannet_processes{process="front"} 1');
    expect(lines).toContain('gannet_processes{process="indexer"} 1');
  });

  it('survive the way through JSON, and names that need escaping', async () => {
    const metrics = [gauge('docs', 'Documents', [[{ index: 'a"b\\c\nd' }, 1]])];
    const [, , line] = await linesOf(JSON.parse(JSON.stringify(metrics)));
    expect(line).toBe('docs{index="a\\"b\\\\c\\nd"} 1');
  });
});

it('requests are counted by method, pattern of the path and status', async () => {
  const figures = new RequestMetrics();
  const route = { method: 'GET', path: '/indexes/:indexUid/documents/:documentId' };
  figures.ended(route, 200, 3);
  figures.ended(route, 200, 3);
  figures.ended(route, 404, 30);
  const labels = 'method="GET",path="/indexes/{index_uid}/documents/{document_id}"';
  expect(await linesOf(figures.metrics())).toEqual(
    expect.arrayContaining([
      `meilisearch_http_requests_total{${labels},status="200"} 2`,
      `meilisearch_http_requests_total{${labels},status="404"} 1`,
      `meilisearch_http_response_time_seconds_bucket{${labels.replace('",path', '",path')},le="0.005"} 2`,
      `meilisearch_http_response_time_seconds_count{${labels}} 3`,
    ]),
  );
});

describe('query threads', () => {
  it('count in rows of their own; gauges of dead ones do not count', () => {
    const figures = new QueryMetrics(2);
    const first = new ThreadMetrics(figures.shared, 11);
    const second = new ThreadMetrics(figures.shared, 12);
    first.set('keptBytes', 100);
    second.set('keptBytes', 10);
    first.count('degradedSearches');
    second.count('degradedSearches');
    first.took('search', 1);
    second.took('search', 2);
    second.took('search > rank', 0.05);
    const metrics = figures.metrics(new Set([12]));
    expect(valuesOf(metrics, 'gannet_kept_results_bytes')).toEqual([{ labels: {}, value: 10 }]);
    expect(valuesOf(metrics, 'meilisearch_degraded_search_requests')).toEqual([
      { labels: {}, value: 2 },
    ]);
    const counts = (name: string) =>
      valuesOf(metrics, name)?.filter(({ metricName }) => metricName?.endsWith('_count'));
    expect(counts('gannet_query_work_seconds')).toMatchObject([
      { labels: { kind: 'search' }, value: 2 },
    ]);
    expect(counts('gannet_search_stage_seconds')).toMatchObject([
      { labels: { stage: 'search > rank' }, value: 1 },
    ]);
  });

  it('that come after many others take rows again', () => {
    const figures = new QueryMetrics(1);
    for (let threadId = 1; threadId <= 20; threadId++)
      new ThreadMetrics(figures.shared, threadId).count('degradedSearches');
    const metrics = figures.metrics(new Set());
    expect(valuesOf(metrics, 'meilisearch_degraded_search_requests')?.[0]?.value).toBe(20);
  });
});

it('every step that a search measures has a place among the metrics', () => {
  const steps = readdirSync('src/search', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [
      ...readFileSync(`src/search/${file}`, 'utf8').matchAll(/\.end\('([^']+)'/g),
    ])
    .map(([, step]) => step);
  expect(steps.length).toBeGreaterThan(5);
  for (const step of steps) expect(SEARCH_STEPS).toContain(step);
});

/** Traces and metrics of real processes at a collector: one trace through front, queue and indexer. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { sendJson } from '../support/http-request.ts';
import { type CollectedSpan, startCollector } from '../support/otlp-collector.ts';
import { cleanUp, TestServer } from '../support/test-server.ts';
import { until } from '../support/until.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const traced = { traceparent: `00-${TRACE}-${PARENT}-01` };

let collector: Awaited<ReturnType<typeof startCollector>>;
let server: TestServer;
let port: number;
beforeAll(async () => {
  port = await freePort();
  server = await TestServer.start({
    flags: ['--otlp-url', `http://127.0.0.1:${port}`],
    // The exporter repeats a request that fails until its time is over.
    env: { OTEL_BSP_SCHEDULE_DELAY: '100', OTEL_EXPORTER_OTLP_TIMEOUT: '3000' },
  });
});
afterAll(async () => {
  collector?.close();
  await cleanUp();
});

it('a collector that is away stops nothing, and is reported once', async () => {
  await server.call('GET', '/version');
  await until('the report', () => (server.stderr + server.stdout).includes('were not sent'));
  expect((await server.call('GET', '/version')).status).toBe(200);
  collector = await startCollector(port);
});

const call = (
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
) => {
  const options = sendJson(body);
  return server.call(method, path, { ...options, headers: { ...options.headers, ...headers } });
};
const spanNamed = (name: string, holds: (span: CollectedSpan) => boolean = () => true) =>
  until(`the span ${name}`, () =>
    collector.spans.find((span) => span.name === name && holds(span)),
  );

describe('a request with a trace', () => {
  it('continues it from the front through the task to the indexer', async () => {
    const answer = await call('POST', '/indexes/films/documents', [{ id: 1, title: 'Up' }], traced);
    const { taskUid } = answer.json as { taskUid: number };
    const inTrace = ({ traceId }: CollectedSpan) => traceId === TRACE;
    const request = await spanNamed('POST /indexes/:indexUid/documents', inTrace);
    expect(request).toMatchObject({
      process: 'front',
      parentSpanId: PARENT,
      isError: false,
      facts: {
        'http.route': '/indexes/:indexUid/documents',
        'http.response.status_code': 202,
        'gannet.request': answer.headers['x-request-id'],
      },
    });
    const task = await spanNamed('task documentAdditionOrUpdate', inTrace);
    expect(task).toMatchObject({
      process: 'indexer',
      parentSpanId: request.spanId,
      facts: { 'gannet.task': taskUid, 'gannet.index': 'films', 'gannet.status': 'succeeded' },
    });
    const [queue, batch] = [
      await spanNamed('queue', ({ parentSpanId }) => parentSpanId === task.spanId),
      await spanNamed('batch', ({ parentSpanId }) => parentSpanId === task.spanId),
    ];
    expect(Math.abs(task.duration - queue.duration - batch.duration)).toBeLessThan(1);
    const shown = await server.call('GET', `/tasks/${taskUid}`);
    expect(shown.text).not.toContain(TRACE);
  });

  it('has the wait and the work of searches, and failed tasks', async () => {
    await call('POST', '/indexes/films/search', { q: 'up' }, traced);
    const request = await spanNamed('POST /indexes/:indexUid/search');
    const query = await spanNamed('query search', ({ parentSpanId }) => {
      return parentSpanId === request.spanId;
    });
    const queue = await spanNamed('queue', ({ parentSpanId }) => parentSpanId === request.spanId);
    expect(query).toMatchObject({ traceId: TRACE, facts: { 'gannet.index': 'films' } });
    expect(query.duration + queue.duration).toBeLessThanOrEqual(request.duration + 1);
    await call('DELETE', '/indexes/absent', undefined, traced);
    expect(await spanNamed('task indexDeletion')).toMatchObject({ isError: true, traceId: TRACE });
  });

  it.each([
    ['no header', {}],
    ['a malformed one', { traceparent: 'x' }],
    ['zeros', { traceparent: `00-${'0'.repeat(32)}-${PARENT}-01` }],
  ])('begins a trace with %s', async (name, headers) => {
    const path = `/indexes/${name.replaceAll(' ', '-')}/stats`;
    const { headers: answered } = await server.call('GET', path, { headers });
    const span = await spanNamed('GET /indexes/:indexUid/stats', ({ facts }) => {
      return facts['gannet.request'] === answered['x-request-id'];
    });
    expect(span.parentSpanId).toBe('');
    expect(span.traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
  });

  it('is not sampled when its parent is not', async () => {
    const { headers } = await server.call('GET', '/version', {
      headers: { traceparent: `00-${TRACE}-${PARENT}-00` },
    });
    const later = await server.call('GET', '/version');
    const hasRequest =
      (id: unknown) =>
      ({ facts }: CollectedSpan) =>
        facts['gannet.request'] === id;
    await spanNamed('GET /version', hasRequest(later.headers['x-request-id']));
    expect(collector.spans.some(hasRequest(headers['x-request-id']))).toBe(false);
  });
});

it('metrics of both processes arrive as sums, gauges and histograms, at the latest at the end', async () => {
  expect((await server.stop()).code).toBe(0);
  const metric = (role: string, name: string) =>
    collector.metrics.get(role)?.find((each) => each.name === name);
  expect(metric('front', 'meilisearch_http_requests_total').sum).toMatchObject({
    isMonotonic: true,
    aggregationTemporality: 2,
  });
  const { dataPoints } = metric('front', 'meilisearch_http_response_time_seconds').histogram;
  expect(dataPoints.length).toBeGreaterThan(0);
  for (const { count, bucketCounts, explicitBounds } of dataPoints) {
    expect(bucketCounts).toHaveLength(explicitBounds.length + 1);
    expect(bucketCounts.reduce((sum: number, each: unknown) => sum + Number(each), 0)).toBe(
      Number(count),
    );
  }
  expect(metric('indexer', 'meilisearch_nb_tasks').gauge.dataPoints.length).toBeGreaterThan(0);
  expect([...new Set(collector.paths)].sort()).toEqual(['/v1/metrics', '/v1/traces']);
});

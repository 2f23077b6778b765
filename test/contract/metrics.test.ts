/** `GET /metrics` over the real route table: who may read it, and what it says. */
import { afterEach, expect, it } from 'vitest';
import { routes } from '../../src/api/routes/index.ts';
import { ApiError } from '../../src/core/errors.ts';
import type { HttpServer } from '../../src/http/exchange.ts';
import { serve } from '../../src/http/server.ts';
import { NO_FEATURES } from '../../src/model/features.ts';
import { counter } from '../../src/observability/metric.ts';
import { apiKey } from '../support/api-keys.ts';
import { createFakeApiContext, type FakeApiContext } from '../support/fake-api-context.ts';
import { httpCall } from '../support/http-request.ts';

const MASTER_KEY = 'a master key of some length';
let server: HttpServer;
afterEach(() => server.close(500));

async function get(context: FakeApiContext, key?: string) {
  server = await serve({ host: '127.0.0.1', port: 0, adapter: 'node' }, routes, context);
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return httpCall(server.port, 'GET', '/metrics', { headers });
}

it('answers text of all processes once the feature is on', async () => {
  const context = createFakeApiContext();
  context.answers = { metrics: [[counter('n', 'N', 1)], [counter('n', 'N', 2)]] };
  expect((await get(context)).json).toMatchObject({ code: 'feature_not_enabled' });
  await server.close(500);
  context.features = { ...NO_FEATURES, metrics: true };
  const { status, headers, text } = await get(context);
  expect([status, headers['content-type']]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  expect(text).toBe('# HELP n N\n# TYPE n counter\nn 3\n');
});

it('names its request in the answer, a refused one too, each by a name of its own', async () => {
  const context = createFakeApiContext();
  const refused = await get(context);
  const health = await httpCall(server.port, 'GET', '/health', {});
  const uids = [refused, health].map(({ headers }) => headers['x-request-id']);
  for (const uid of uids) expect(uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/);
  expect(uids[0]).not.toBe(uids[1]);
});

it('shows only the metrics of the front while the indexer is away', async () => {
  const context = createFakeApiContext();
  const away = {
    ...context,
    features: { ...NO_FEATURES, metrics: true },
    metrics: () => [counter('n', 'N', 5)],
    indexer: {
      isInitialised: true,
      request: async () => {
        throw new ApiError('indexer_unavailable', 'away');
      },
    },
  };
  const { text } = await get(away);
  expect(text).toContain('n 5');
});

it('is for keys that hold the action and reach all indexes', async () => {
  const context = createFakeApiContext({ masterKey: MASTER_KEY });
  context.features = { ...NO_FEATURES, metrics: true };
  const uids = ['1', '2', '3'].map((digit) => `6062abda-a5aa-4414-ac91-ecd7944c0f8${digit}`);
  const [all = '', some = '', other = ''] = uids;
  context.keys.publish(apiKey({ uid: all, actions: ['metrics.get'], indexes: ['*'] }));
  context.keys.publish(apiKey({ uid: some, actions: ['metrics.get'], indexes: ['films*'] }));
  context.keys.publish(apiKey({ uid: other, actions: ['search'], indexes: ['*'] }));
  const statuses: number[] = [];
  for (const uid of uids) {
    const key = context.keys.list().find(({ record }) => record.uid === uid);
    statuses.push((await get(context, key?.value)).status);
    await server.close(500);
  }
  expect(statuses).toEqual([200, 403, 403]);
});

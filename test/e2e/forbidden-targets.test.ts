/**
 * All senders of outgoing requests: webhooks, embedders, the network, exports. With addresses of
 * the machine itself, none of them reaches it.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendJson } from '../support/http-request.ts';
import { cleanUp, TestServer } from '../support/test-server.ts';
import { until } from '../support/until.ts';

let reached = 0;
const target = createServer((_, response) => {
  reached++;
  response.end('{}');
});
let server: TestServer;
let urls: readonly string[] = [];

beforeAll(async () => {
  await new Promise<void>((done) => target.listen(0, '127.0.0.1', done));
  const { port } = target.address() as AddressInfo;
  urls = ['127.0.0.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', 'localhost'].map(
    (host) => `http://${host}:${port}/`,
  );
  server = await TestServer.start();
  await server.client
    .index('films')
    .addDocuments([{ id: 1, title: 'Carol' }])
    .waitTask();
});
afterAll(async () => {
  await server.stop();
  target.close();
  await cleanUp();
});

const call = async (method: string, path: string, body?: unknown) =>
  (await server.call(method, path, body === undefined ? {} : sendJson(body))).json as Record<
    string,
    unknown
  >;

async function finished(taskUid: unknown): Promise<Record<string, unknown>> {
  return until('the end of a task', async () => {
    const task = await call('GET', `/tasks/${taskUid}`);
    return ['succeeded', 'failed'].includes(String(task['status'])) ? task : null;
  });
}

test('searches of the network', async () => {
  await call('PATCH', '/experimental-features', { network: true });
  const remotes = Object.fromEntries(urls.map((url, i) => [`r${i}`, { url }]));
  await call('PATCH', '/network', { remotes });
  const { remoteErrors } = await call('POST', '/multi-search', {
    queries: urls.map((_, i) => ({ indexUid: 'films', federationOptions: { remote: `r${i}` } })),
    federation: {},
  });
  const codes = Object.values(remoteErrors as Record<string, { code: string }>).map(
    ({ code }) => code,
  );
  expect(codes).toEqual(urls.map(() => 'remote_could_not_send_request'));
  expect(reached).toBe(0);
});

test('exports', async () => {
  for (const url of urls) {
    const { taskUid } = await call('POST', '/export', { url });
    expect(await finished(taskUid)).toMatchObject({ status: 'failed' });
  }
  expect(reached).toBe(0);
});

test('embedders of documents', async () => {
  const embedder = {
    source: 'rest',
    request: '{{text}}',
    response: '{{embedding}}',
    dimensions: 2,
  };
  for (const url of urls) {
    const { taskUid } = await call('PATCH', '/indexes/films/settings', {
      embedders: { e: { ...embedder, url, documentTemplate: '{{doc.title}}' } },
    });
    expect(await finished(taskUid)).toMatchObject({ status: 'failed' });
  }
  expect(reached).toBe(0);
});

test('webhooks', async () => {
  const uuids = await Promise.all(
    urls.map(async (url) => (await call('POST', '/webhooks', { url }))['uuid']),
  );
  await server.client
    .index('films')
    .addDocuments([{ id: 2 }])
    .waitTask();
  for (const uuid of uuids) {
    const { results } = await until('an attempt', async () => {
      const deliveries = await call('GET', `/webhooks/${uuid}/deliveries`);
      return (deliveries['results'] as unknown[]).length > 0 ? deliveries : null;
    });
    expect(JSON.stringify(results)).toContain('no public address');
  }
  expect(reached).toBe(0);
});

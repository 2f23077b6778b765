/**
 * Webhooks with the official client against real processes: created, called for batches, kept over
 * kill -9.
 */
import { afterAll, expect, test } from 'vitest';
import { LAUNCH_WEBHOOK_UUID } from '../../src/model/webhook.ts';
import { codeOf } from '../support/error-code.ts';
import { cleanUp, freshFolder, TestServer } from '../support/test-server.ts';
import { until } from '../support/until.ts';
import { webhookTarget } from '../support/webhook-target.ts';

const AUTHORIZATION = 'Bearer the-secret-of-the-launch';
const dbPath = `${freshFolder()}/data`;

afterAll(cleanUp);

test('webhooks receive every batch, also after both processes were killed', async () => {
  const hook = await webhookTarget();
  const other = await webhookTarget();
  const start = () =>
    TestServer.start({
      dbPath,
      env: { SVC_TASK_WEBHOOK_AUTHORIZATION_HEADER: AUTHORIZATION },
      flags: [
        ...['--task-webhook-url', hook.url],
        ...['--experimental-allowed-ip-networks', '127.0.0.1'],
      ],
    });
  const first = await start();
  const made = await first.client.createWebhook({
    url: other.url,
    headers: { authorization: 'TOKEN-of-the-client', cool: 'nice' },
  });
  expect(made).toEqual({
    uuid: expect.any(String),
    isEditable: true,
    url: other.url,
    headers: { authorization: 'TOXXXX...', cool: 'nice' },
  });
  const launched = {
    uuid: LAUNCH_WEBHOOK_UUID,
    isEditable: false,
    url: hook.url,
    headers: { Authorization: 'Bearer theXXXXX...' },
  };
  expect((await first.client.getWebhooks()).results).toEqual([launched, made]);
  expect(await codeOf(first.client.deleteWebhook(LAUNCH_WEBHOOK_UUID))).toBe('immutable_webhook');
  await first.client
    .index('films')
    .addDocuments([{ id: 1 }])
    .waitTask({ interval: 10 });
  await until('both told', () => (hook.taken[0] && other.taken[0] ? true : null));
  expect(hook.taken[0]?.headers['authorization']).toBe(AUTHORIZATION);
  expect(other.taken[0]?.headers['authorization']).toBe('TOKEN-of-the-client');

  hook.answer = () => 503;
  await first.client
    .index('films')
    .addDocuments([{ id: 2 }])
    .waitTask({ interval: 10 });
  await first.killAll();
  hook.answer = () => 200;
  const second = await start();
  const task = await second.client.index('films').deleteDocument(2).waitTask({ interval: 10 });
  await until('the rest told', () =>
    hook.taken.some(({ batchUid }) => batchUid === task.batchUid) ? true : null,
  );
  const told = hook.taken.map(({ batchUid }) => batchUid);
  expect([...new Set(told)]).toEqual([0, 1, 2]);
  expect(told).toEqual([...told].sort());
  const log = await second.call('GET', `/webhooks/${LAUNCH_WEBHOOK_UUID}/deliveries`);
  expect(log.json).toMatchObject({ results: expect.any(Array), waiting: expect.any(Number) });
  const { stdout, stderr } = await second.stop();
  expect(stdout + stderr).not.toMatch(/secret|TOKEN/);
  await hook.close();
  await other.close();
});

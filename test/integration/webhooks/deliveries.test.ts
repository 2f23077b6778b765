/** Batches to targets on real sockets: what is sent, order, retries, restarts, addresses, secrets. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { AddressPolicy } from '../../../src/http-client/address-policy.ts';
import { OutgoingHttp } from '../../../src/http-client/outgoing-http.ts';
import { LAUNCH_WEBHOOK_UUID, type Webhook } from '../../../src/model/webhook.ts';
import { decodeKey } from '../../../src/storage/database/key-encoding.ts';
import type { WriteOperation } from '../../../src/storage/database/key-value-store.ts';
import type { WebhooksOptions } from '../../../src/webhooks/webhook-service.ts';
import { freePort } from '../../support/free-port.ts';
import {
  drafts,
  type Harness,
  openHarness,
  temporaryFolder,
} from '../../support/indexer-harness.ts';
import { MemoryDisk, MemoryStore } from '../../support/memory-store.ts';
import { until } from '../../support/until.ts';
import { type Delivery, type WebhookTarget, webhookTarget } from '../../support/webhook-target.ts';

const SECRET = 'Bearer the-secret-of-the-target';

const toClose: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of toClose.splice(0).reverse()) await close();
});

async function target(port?: number): Promise<WebhookTarget> {
  const made = await webhookTarget(port);
  toClose.push(made.close);
  return made;
}

interface Opened {
  readonly store?: MemoryStore;
  readonly launch?: Webhook;
  readonly timing?: WebhooksOptions['timing'];
  /** What sends, around what sends by default. */
  readonly through?: (send: OutgoingHttp['send']) => OutgoingHttp['send'];
}

/** Not started yet. */
async function hold(options: Opened = {}): Promise<Harness> {
  const { store, launch, timing, through = (send) => send } = options;
  const http = new OutgoingHttp(new AddressPolicy(['127.0.0.1']));
  const harness = await openHarness({
    webhooks: {
      launch: launch ?? null,
      timing: { delayMsMin: 5, delayMsMax: 40, ...timing },
    },
    send: through(http.send),
    store: store ?? new MemoryStore(),
  });
  toClose.push(async () => {
    await harness.service.drain();
    http.close();
  });
  return harness;
}

async function open(options: Opened = {}): Promise<Harness> {
  const harness = await hold(options);
  harness.service.start();
  return harness;
}

let made = 0;
const create = (
  { service }: Harness,
  url: string,
  headers: Webhook['headers'] = {},
  more: Pick<Webhook, 'signingSecret'> = {},
) =>
  service.handlers.createWebhook({
    uuid: `00000000-0000-4000-8000-${String(++made).padStart(12, '0')}`,
    url,
    headers,
    ...more,
  });

/** Records the keys of each write. */
class RecordingStore extends MemoryStore {
  readonly written: string[][] = [];

  override write(operations: readonly WriteOperation[]): Promise<void> {
    this.written.push(operations.map(({ key }) => decodeKey(key).join(' ')));
    return super.write(operations);
  }
}

/** One batch each. */
async function batches(harness: Harness, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await harness.run(drafts.add('films', [{ id: i }]));
}

const uidsOf = (deliveries: WebhookTarget['taken']): number[] =>
  deliveries.map(({ batchUid }) => batchUid);
const taken = ({ taken }: WebhookTarget, count: number) =>
  until(`${count} deliveries`, () => (taken.length >= count ? true : null));

describe('deliveries of webhooks', () => {
  it('tell of a batch with one request: the records of all its tasks, compressed', async () => {
    const hook = await target();
    const harness = await open();
    await create(harness, hook.url, {
      Authorization: SECRET,
      'X-Own': 'mine',
      'Content-Type': 'text/plain',
      'Transfer-Encoding': 'chunked',
    });
    const uids = await harness.send(
      drafts.add('films', [{ id: 1 }], { customMetadata: 'of mine' }),
      drafts.add('films', [{ id: 2 }]),
      drafts.add('films', [{ title: 'without an id' }]),
    );
    const records = await harness.wait(uids);
    await taken(hook, new Set(records.map(({ batchUid }) => batchUid)).size);
    expect(hook.taken.flatMap((delivery) => delivery.records)).toEqual(records);
    expect(records.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'failed']);
    expect(hook.taken[0]?.headers).toMatchObject({
      'content-type': 'application/x-ndjson',
      'content-encoding': 'gzip',
      'content-length': expect.any(String),
      authorization: SECRET,
      'x-own': 'mine',
    });
    expect(hook.taken[0]?.headers['transfer-encoding']).toBeUndefined();
  });

  it('are written with the batch: its tasks, its index, and that it ended, all at once', async () => {
    const store = new RecordingStore();
    const harness = await open({ store });
    await create(harness, (await target()).url);
    await batches(harness, 1);
    const commit = store.written.find((keys) => keys.includes('batch 0'));
    const wanted = ['batch 0', 'row 0', 'task 0', 'index 0', 'outbox 0', 'outboxBody 0'];
    expect(commit).toEqual(expect.arrayContaining([...wanted, 'meta attempt']));
  });

  it('are signed with a secret, as the program of the documentation finds', async () => {
    const [, code = ''] =
      /^```js\n([\s\S]*?)^```/m.exec(readFileSync('docs/webhooks.md', 'utf8')) ?? [];
    const file = join(temporaryFolder(), 'receiver.mjs');
    writeFileSync(file, code);
    const { isSigned } = (await import(file)) as {
      isSigned: (header: unknown, body: Uint8Array, secret: string) => boolean;
    };
    const [signed, plain] = [await target(), await target()];
    const harness = await open();
    const signingSecret = 'sixteen characters at least'.replaceAll(' ', '-');
    await create(harness, signed.url, { 'X-Gannet-Signature': 'of the user' }, { signingSecret });
    await create(harness, plain.url, { 'X-Gannet-Signature': 'of the user' });
    await batches(harness, 1);
    await taken(signed, 1);
    await taken(plain, 1);
    expect(plain.taken[0]?.headers['x-gannet-signature']).toBe('of the user');
    const { headers, body } = signed.taken[0] as Delivery;
    const header = headers['x-gannet-signature'] as string;
    expect(isSigned(header, body, signingSecret)).toBe(true);
    expect(isSigned(header, body, `${signingSecret}.`)).toBe(false);
    expect(isSigned(header, body.subarray(1), signingSecret)).toBe(false);
    expect(isSigned(header.replace(/^t=\d/, 't=2'), body, signingSecret)).toBe(false);
    expect(isSigned(undefined, body, signingSecret)).toBe(false);
  });

  it('tell of canceled tasks with the cancelation', async () => {
    const hook = await target();
    const harness = await hold();
    await create(harness, hook.url);
    const before = await harness.send(drafts.add('films', [{ id: 1 }]), {
      type: 'taskCancelation',
      query: { uids: [0] },
      originalFilter: '?uids=0',
    });
    harness.service.start();
    const records = await harness.wait(before);
    expect(records.map(({ status }) => status)).toEqual(['canceled', 'succeeded']);
    await taken(hook, 1);
    const told = hook.taken.flatMap((delivery) => delivery.records);
    expect(told).toHaveLength(2);
    expect(told).toEqual(expect.arrayContaining(records));
  });

  it('begin with the first batch after the webhook was made, at the launch or by a request', async () => {
    const [first, second] = [await target(), await target()];
    const launch = { uuid: LAUNCH_WEBHOOK_UUID, url: first.url, headers: {} };
    const harness = await open({ launch });
    await batches(harness, 2);
    await create(harness, second.url);
    await batches(harness, 2);
    await taken(first, 4);
    await taken(second, 2);
    expect(uidsOf(first.taken)).toEqual([0, 1, 2, 3]);
    expect(uidsOf(second.taken)).toEqual([2, 3]);
  });

  it('reach a target that was down, in order, and each batch', async () => {
    const port = await freePort();
    const harness = await open();
    const { uuid } = await create(harness, `http://127.0.0.1:${port}/hook`);
    await batches(harness, 5);
    await until('attempts', async () => {
      const { attempts } = await harness.service.handlers.getDeliveries({ uuid });
      return attempts.length >= 3 ? true : null;
    });
    const up = await target(port);
    await taken(up, 5);
    expect(uidsOf(up.taken)).toEqual([0, 1, 2, 3, 4]);
  });

  it('are repeated after errors, resets and answers that never come', async () => {
    const hook = await target();
    const script = ['reset', 500, 'hang', 404, 301, 200, 'reset', 503] as const;
    hook.answer = (_, requestAt) => script[requestAt] ?? 200;
    // Only the third delivery fails soon without an answer.
    let sent = 0;
    const impatient =
      (send: OutgoingHttp['send']): OutgoingHttp['send'] =>
      (request) =>
        send({
          ...request,
          timeoutMs: sent++ === script.indexOf('hang') ? 100 : request.timeoutMs,
        });
    const harness = await open({ through: impatient });
    const { uuid } = await create(harness, hook.url);
    await batches(harness, 3);
    await taken(hook, 3);
    expect(uidsOf(hook.taken)).toEqual([0, 1, 2]);
    expect(uidsOf(hook.asked)).toEqual([0, 0, 0, 0, 0, 0, 1, 1, 1, 2]);
    await until('the log', async () => {
      const { waiting } = await harness.service.handlers.getDeliveries({ uuid });
      return waiting === 0 ? true : null;
    });
    const { attempts } = await harness.service.handlers.getDeliveries({ uuid });
    const inOrder = [...attempts].reverse();
    expect(inOrder.map(({ batchUid, attempt }) => [batchUid, attempt])).toEqual([
      ...[1, 2, 3, 4, 5, 6].map((attempt) => [0, attempt]),
      ...[1, 2, 3].map((attempt) => [1, attempt]),
      [2, 1],
    ]);
    expect(inOrder.map(({ status }) => status)).toEqual([
      ...[null, 500, null, 404, 301, 200],
      ...[null, 503, 200],
      200,
    ]);
    expect(inOrder[0]).toMatchObject({ result: 'failed', nextAttemptAt: expect.any(String) });
    expect(inOrder[1]).toMatchObject({ error: 'The target answered with status 500.' });
    expect(inOrder[5]).toMatchObject({ result: 'delivered', error: null, nextAttemptAt: null });
  });

  it('wait neither for another target that does not answer nor hold up batches', async () => {
    const [slow, quick] = [await target(), await target()];
    slow.answer = () => 'hang';
    const harness = await open();
    await create(harness, slow.url);
    await create(harness, quick.url);
    await batches(harness, 3);
    await taken(quick, 3);
    expect(slow.asked).toHaveLength(1);
  });

  it('bring all targets every batch in order: one that is down, slow, resets or refuses', async () => {
    const BATCHES = 12;
    const down = await target(await freePort());
    const [slow, resetting, refusing, sound] = [
      await target(),
      await target(),
      await target(),
      await target(),
    ];
    let hurry = (): void => undefined;
    const hurried = new Promise<void>((resolve) => {
      hurry = resolve;
    });
    slow.answer = async () => {
      await hurried;
      return 200;
    };
    resetting.answer = (_delivery, at) => (at % 2 === 0 ? 'reset' : 200);
    refusing.answer = (_delivery, at) => (at % 3 < 2 ? 503 : 204);
    await down.close();
    const harness = await open();
    const all = [down, slow, resetting, refusing, sound];
    for (const { url } of all) await create(harness, url);
    await batches(harness, BATCHES);
    for (const told of [sound, resetting, refusing]) await taken(told, BATCHES);
    expect(slow.taken).toEqual([]);
    expect(slow.asked).toHaveLength(1);
    const up = await target(down.port);
    hurry();
    await taken(slow, BATCHES);
    await taken(up, BATCHES);
    const everything = Array.from({ length: BATCHES }, (_, batchUid) => batchUid);
    for (const told of [up, slow, resetting, refusing, sound])
      expect(uidsOf(told.taken)).toEqual(everything);
  });

  it('go on after a crash, wherever it cuts: in order, with every batch at least once', async () => {
    const first = await target();
    const disk = new MemoryDisk();
    const moments: MemoryDisk['entries'][] = [];
    const onWrite = (moment: string) => void (moment === 'after' && moments.push(disk.entries));
    const before = await open({ store: new MemoryStore(disk, { onWrite }) });
    const { uuid } = await create(before, first.url);
    await batches(before, 3);
    await taken(first, 3);
    await before.service.drain();
    const created = 3;
    for (const entries of moments.slice(created)) {
      const cut = new MemoryDisk();
      cut.entries = entries;
      const again = await target();
      const harness = await hold({ store: new MemoryStore(cut) });
      await harness.service.handlers.updateWebhook({ uuid, url: again.url });
      const { getDeliveries, listBatches } = harness.service.handlers;
      const known = (await getDeliveries({ uuid })).attempts.map(({ batchUid }) => batchUid);
      const query = { limit: 9, from: null, reverse: true };
      const finished = (await listBatches(query)).results.map(({ uid }) => uid);
      const missing = finished.filter((uid) => !known.includes(uid));
      harness.service.start();
      await taken(again, missing.length);
      expect(uidsOf(again.taken).slice(0, missing.length)).toEqual(missing);
      await harness.service.drain();
    }
    expect(moments.length).toBeGreaterThan(10);
  });

  it('are dropped after their time limit, and at once when the target answers 410', async () => {
    const hook = await target();
    hook.answer = ({ batchUid }) => (batchUid === 0 ? 410 : batchUid < 3 ? 500 : 200);
    const harness = await open({ timing: { abandonMs: 0 } });
    const { uuid } = await create(harness, hook.url);
    await batches(harness, 4);
    await taken(hook, 1);
    await until('the log', async () => {
      const { waiting } = await harness.service.handlers.getDeliveries({ uuid });
      return waiting === 0 ? true : null;
    });
    const { attempts } = await harness.service.handlers.getDeliveries({ uuid });
    expect(attempts.map(({ batchUid, result }) => [batchUid, result])).toEqual([
      [3, 'delivered'],
      [2, 'abandoned'],
      [1, 'abandoned'],
      [0, 'abandoned'],
    ]);
  });

  it('go to the new URL at once when it changes, and nowhere when the webhook is deleted', async () => {
    const [wrong, right] = [await target(), await target()];
    wrong.answer = () => 500;
    const harness = await open({ timing: { delayMsMin: 3_600_000, delayMsMax: 3_600_000 } });
    const { uuid } = await create(harness, wrong.url);
    await batches(harness, 2);
    await until('an attempt', () => (wrong.asked.length > 0 ? true : null));
    await harness.service.handlers.updateWebhook({ uuid, url: right.url });
    await taken(right, 2);
    await harness.service.handlers.deleteWebhook({ uuid });
    await batches(harness, 1);
    expect(wrong.asked).toHaveLength(1);
    expect(uidsOf(right.asked)).toEqual([0, 1]);
    await expect(async () => harness.service.handlers.getDeliveries({ uuid })).rejects.toThrow(
      uuid,
    );
  });

  it('follow no redirect to an address that is not allowed', async () => {
    const hook = await target();
    hook.answer = () => ({ status: 307, headers: { location: 'http://10.0.0.1/hook' } });
    const harness = await open();
    const { uuid } = await create(harness, hook.url);
    await batches(harness, 1);
    const attempt = await until('an attempt', async () => {
      const { attempts } = await harness.service.handlers.getDeliveries({ uuid });
      return attempts[0] ?? null;
    });
    expect(attempt).toMatchObject({ result: 'failed', status: null });
    expect(attempt.error).toContain('10.0.0.1');
    expect(attempt.error).toContain('--experimental-allowed-ip-networks');
  });

  it('do not reach a private address', async () => {
    const harness = await open();
    const { uuid } = await create(harness, 'http://127.0.0.2:1/hook?token=of-the-url');
    await batches(harness, 1);
    const attempt = await until('an attempt', async () => {
      const { attempts } = await harness.service.handlers.getDeliveries({ uuid });
      return attempts[0] ?? null;
    });
    expect(attempt.error).toContain('has no public address');
    expect(JSON.stringify([attempt, harness.logged])).not.toContain('of-the-url');
  });

  it('leave no secret in the log', async () => {
    const hook = await target();
    hook.answer = (_, requestAt) => (requestAt === 0 ? 500 : 200);
    const harness = await open();
    const { host } = new URL(hook.url);
    await create(harness, `http://user:password@${host}/path?key=value`, { Authorization: SECRET });
    await batches(harness, 1);
    await taken(hook, 1);
    await until('the log', () =>
      harness.logged.some((line) => line.includes('at attempt 2')) ? true : null,
    );
    const lines = harness.logged.filter((line) => line.startsWith('webhook'));
    expect(lines.join()).toContain('does not take batch 0');
    expect(harness.logged.join()).not.toMatch(/secret|password|key=value/);
  });
});

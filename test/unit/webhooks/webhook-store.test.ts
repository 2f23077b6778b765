/** Webhooks in the store: changes, limits, secrets that come back as they were shown. */
import { describe, expect, it } from 'vitest';
import { LAUNCH_WEBHOOK_UUID, type Webhook, webhookRecord } from '../../../src/model/webhook.ts';
import { WebhookStore } from '../../../src/webhooks/webhook-store.ts';
import { MemoryStore } from '../../support/memory-store.ts';

/** The code that a change is refused with. */
const codeOf = (change: Promise<unknown>): Promise<string> =>
  change.then(
    () => 'accepted',
    (error: { readonly code: string }) => error.code,
  );

const uuidAt = (number: number): string =>
  `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

const webhook = (number: number, members: Partial<Webhook> = {}): Webhook => ({
  uuid: uuidAt(number),
  url: 'https://example.com/hook',
  headers: {},
  ...members,
});

const LAUNCH: Webhook = {
  uuid: LAUNCH_WEBHOOK_UUID,
  url: 'https://example.com/launch',
  headers: { Authorization: 'Bearer of-the-launch' },
};

describe('WebhookStore', () => {
  it('creates, changes and deletes durably', async () => {
    const store = new MemoryStore();
    const webhooks = await WebhookStore.open(store);
    await webhooks.create(webhook(2, { headers: { 'X-A': '1', 'X-B': '2' } }));
    await webhooks.create(webhook(1));
    await webhooks.update({ uuid: uuidAt(2), headers: { 'x-a': null, 'X-C': '3' } });
    await webhooks.update({ uuid: uuidAt(2), url: 'http://127.0.0.1:1/' });
    await webhooks.delete(uuidAt(1));
    const left = [webhook(2, { url: 'http://127.0.0.1:1/' })];
    expect(webhooks.all()).toEqual(left);
    expect((await WebhookStore.open(store)).all()).toEqual(left);
  });

  it('lists by uuid, the webhook of the launch first', async () => {
    const webhooks = await WebhookStore.open(new MemoryStore(), LAUNCH);
    for (const number of [3, 1, 2]) await webhooks.create(webhook(number));
    expect(webhooks.all().map(({ uuid }) => uuid)).toEqual([
      LAUNCH_WEBHOOK_UUID,
      ...[1, 2, 3].map(uuidAt),
    ]);
    expect(webhooks.stored()).toHaveLength(3);
  });

  it('does not change or store the webhook of the launch', async () => {
    const store = new MemoryStore();
    const webhooks = await WebhookStore.open(store, LAUNCH);
    const uuid = LAUNCH_WEBHOOK_UUID;
    expect(await codeOf(webhooks.update({ uuid, url: 'https://a.b' }))).toBe('immutable_webhook');
    expect(await codeOf(webhooks.delete(uuid))).toBe('immutable_webhook');
    expect((await WebhookStore.open(store)).all()).toEqual([]);
  });

  it('knows no webhook that was never made', async () => {
    const webhooks = await WebhookStore.open(new MemoryStore());
    expect(() => webhooks.get(uuidAt(1))).toThrow(uuidAt(1));
    expect(() => webhooks.get(LAUNCH_WEBHOOK_UUID)).toThrow(LAUNCH_WEBHOOK_UUID);
    expect(await codeOf(webhooks.update({ uuid: uuidAt(1) }))).toBe('webhook_not_found');
    expect(await codeOf(webhooks.delete(uuidAt(1)))).toBe('webhook_not_found');
  });

  it('holds 20 created by requests in addition to that of the launch option', async () => {
    const webhooks = await WebhookStore.open(new MemoryStore(), LAUNCH);
    const made = Array.from({ length: 20 }, (_, i) => webhooks.create(webhook(i + 1)));
    await Promise.all(made);
    expect(await codeOf(webhooks.create(webhook(21)))).toBe('invalid_webhooks');
    await webhooks.delete(uuidAt(7));
    await webhooks.create(webhook(21));
    expect(webhooks.all()).toHaveLength(21);
  });

  it('holds 200 headers of one webhook, counted after a change', async () => {
    const webhooks = await WebhookStore.open(new MemoryStore());
    const headers = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`x-${i}`, 'v']));
    const uuid = uuidAt(1);
    await webhooks.create(webhook(1, { headers }));
    expect(await codeOf(webhooks.update({ uuid, headers: { more: '1' } }))).toBe(
      'invalid_webhook_headers',
    );
    await webhooks.update({ uuid, headers: { more: '1', 'X-0': null } });
    expect(Object.keys(webhooks.get(uuid).headers)).toHaveLength(200);
    expect((await webhooks.update({ uuid, headers: null })).value.headers).toEqual({});
  });

  it.each([
    { headers: { 'a b': '1' } },
    { headers: { '': '1' } },
    { headers: { 'x\r\ny': '1' } },
    { headers: { x: 'a\r\nauthorization: b' } },
    { headers: { x: 'é' } },
    { headers: { x: 'a'.repeat(65_536) } },
  ])('refuses headers that no request could carry: %j', async ({ headers }) => {
    const webhooks = await WebhookStore.open(new MemoryStore());
    expect(await codeOf(webhooks.create(webhook(1, { headers })))).toBe('invalid_webhook_headers');
    expect(webhooks.all()).toEqual([]);
  });

  it.each(['', 'example.com', '/path', 'ftp://example.com', `https://a.b/${'x'.repeat(8192)}`])(
    'refuses a URL that is none, of another scheme or too long (%#)',
    async (url) => {
      const webhooks = await WebhookStore.open(new MemoryStore());
      expect(await codeOf(webhooks.create(webhook(1, { url })))).toBe('invalid_webhook_url');
    },
  );

  it('takes over webhooks of another store with their secrets, all or none', async () => {
    const store = new MemoryStore();
    const webhooks = await WebhookStore.open(store);
    await webhooks.create(webhook(1));
    const taken = [1, 2].map((number) => webhook(number, { headers: { authorization: 'secret' } }));
    await webhooks.import(taken);
    expect((await WebhookStore.open(store)).stored()).toEqual(taken);
    const tooMany = Array.from({ length: 19 }, (_, i) => webhook(i + 10));
    expect(await codeOf(webhooks.import(tooMany))).toBe('invalid_webhooks');
    const broken = [webhook(5), webhook(6, { url: 'nowhere' })];
    expect(await codeOf(webhooks.import(broken))).toBe('invalid_webhook_url');
    expect(webhooks.stored()).toEqual(taken);
  });
});

describe('secrets of webhooks', () => {
  const SECRETS = [
    ['', 'XXX...'],
    ['123456789', 'XXX...'],
    ['1234567890', '12XXXX...'],
    ['1234567890123456789', '12XXXX...'],
    ['12345678901234567890', '123XXXXX...'],
    ['12345678901234567890123456789', '123XXXXX...'],
    ['123456789012345678901234567890', '12345XXXXXX...'],
  ] as const;

  it.each(
    SECRETS.flatMap(([secret, shown]) => [
      { value: secret, shown },
      { value: `Bearer ${secret}`, shown: `Bearer ${shown}` },
    ]),
  )('are shown by their length: $value → $shown', async ({ value, shown }) => {
    const headers = { AUTHORIZATION: value, cool: 'nice' };
    const record = webhookRecord(webhook(1, { headers }));
    expect(record.headers).toEqual({ AUTHORIZATION: shown, cool: 'nice' });
  });

  it('stay what they are when they come back as they were shown', async () => {
    const webhooks = await WebhookStore.open(new MemoryStore());
    const headers = { Authorization: 'Bearer a-secret-of-some-length', 'X-Api-Key': 'another one' };
    const url = 'https://user:password@example.com/hook';
    const stored = await webhooks.create(webhook(1, { url, headers }));
    const shown = webhookRecord(stored);
    expect(JSON.stringify(shown)).not.toMatch(/secret|another|password/);
    const { uuid } = stored;
    const kept = { value: stored, warnings: [] };
    expect(await webhooks.update({ uuid, url: shown.url, headers: shown.headers })).toEqual(kept);
    const lower = { authorization: shown.headers['Authorization'] ?? '' };
    expect(await webhooks.update({ uuid, headers: lower })).toEqual(kept);
    const { value } = await webhooks.update({ uuid, headers: { authorization: 'Bearer new' } });
    expect(value.headers).toEqual({ authorization: 'Bearer new', 'X-Api-Key': 'another one' });
  });

  it('that sign are shown cut short, stay when they come back so, and go with null', async () => {
    const webhooks = await WebhookStore.open(new MemoryStore());
    const signingSecret = 'a-secret-of-some-length';
    const { uuid } = await webhooks.create(webhook(1, { signingSecret }));
    const shown = webhookRecord(webhooks.get(uuid));
    expect(shown.signingSecret).toBe('a-sXXXXX...');
    await webhooks.update({ uuid, signingSecret: shown.signingSecret ?? '' });
    await webhooks.update({ uuid, headers: { cool: 'nice' } });
    expect(webhooks.get(uuid).signingSecret).toBe(signingSecret);
    expect(await codeOf(webhooks.update({ uuid, signingSecret: 'short' }))).toBe(
      'invalid_webhook_signing_secret',
    );
    await webhooks.update({ uuid, signingSecret: null });
    expect(webhooks.get(uuid)).toEqual(webhook(1, { headers: { cool: 'nice' } }));
    expect(webhookRecord(webhooks.get(uuid))).not.toHaveProperty('signingSecret');
  });

  it('are shown cut short in URLs: a password, or a user alone', () => {
    expect(webhookRecord(webhook(1, { url: 'https://u:p@a.b/c' })).url).toBe(
      'https://u:XXX...@a.b/c',
    );
    expect(webhookRecord(webhook(1, { url: 'https://token-of-16-char@a.b' })).url).toBe(
      'https://toXXXX...@a.b/',
    );
    expect(webhookRecord(webhook(1, { url: 'https://a.b?c=d' })).url).toBe('https://a.b?c=d');
  });
});

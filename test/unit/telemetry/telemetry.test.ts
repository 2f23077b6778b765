/** When telemetry is sent, and to which target. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { AddressPolicy } from '../../../src/http-client/address-policy.ts';
import { OutgoingHttp, type SendRequest } from '../../../src/http-client/outgoing-http.ts';
import type { TelemetryBundle, UsageReport } from '../../../src/model/usage-report.ts';
import { Telemetry, type TelemetryOptions } from '../../../src/telemetry/telemetry.ts';

const MINUTE_MS = 60_000;

/** One request of a front. */
const report = (): UsageReport => ({ requests: { total_received: { sum: 1 } } });

/** A clock that a test turns, and what is sent meanwhile. */
function harness(own: Partial<TelemetryOptions> = {}) {
  let nowMs = Date.UTC(2026, 0, 1);
  const sent: TelemetryBundle[] = [];
  const warnings: string[] = [];
  const telemetry = new Telemetry({
    isCounting: true,
    url: 'https://figures.example/usage?token=abc',
    instanceUid: 'b7e1',
    takeUsage: async () => [report(), report()],
    instance: async () => ({ 'context.app.version': '1.2.3' }),
    send: async ({ body }) => {
      sent.push(JSON.parse(Buffer.from(body ?? []).toString()));
      return { status: 200, headers: {}, body: Buffer.alloc(0) };
    },
    now: () => nowMs,
    log: { warn: (message) => void warnings.push(message) },
    ...own,
  });
  /** Advances the clock by minutes, with a round at the end of each hour. */
  const pass = async (minutes: number) => {
    for (let i = 0; i < minutes; i++) {
      nowMs += MINUTE_MS;
      if ((nowMs / MINUTE_MS) % 60 === 0) void telemetry.round();
      await telemetry.preview();
    }
  };
  return { telemetry, pass, sent, warnings };
}

it('warns when the figures of the instance cannot be read, and sends them later', async () => {
  let fails = true;
  const { telemetry, sent, warnings } = harness({
    instance: async () => {
      if (fails) throw new Error('no access');
      return {};
    },
  });
  await telemetry.round();
  expect([sent, warnings]).toEqual([[], ['usage figures were not sent: no access']]);
  fails = false;
  await telemetry.round();
  expect(sent).toHaveLength(1);
});

it('sends one bundle every hour', async () => {
  const { pass, sent } = harness({ takeUsage: async () => [report()] });
  await pass(59);
  expect(sent).toEqual([]);
  await pass(1);
  expect(sent).toHaveLength(1);
  const [bundle] = sent;
  expect(bundle).toMatchObject({
    instanceUid: 'b7e1',
    from: '2026-01-01T00:00:00.000Z',
    to: '2026-01-01T01:00:00.000Z',
    instance: { 'context.app.version': '1.2.3' },
  });
  const counted = () => sent.map(({ events }) => Number(events[0]?.figures['total_received']));
  expect(counted()[0]).toBeGreaterThanOrEqual(60);
  await pass(60);
  expect(sent).toHaveLength(2);
  expect(sent[1]?.from).toBe('2026-01-01T01:00:00.000Z');
  expect(counted()[1]).toBeLessThan(130);
});

it('previews the bundle, with only the origin of the URL', async () => {
  const { telemetry, pass, sent } = harness();
  await pass(1);
  const preview = await telemetry.preview();
  expect(preview).toMatchObject({
    isCounting: true,
    target: 'https://figures.example',
    sendsAt: '2026-01-01T01:00:00.000Z',
  });
  expect(preview.bundles[0]?.events[0]).toMatchObject({ event: 'requests' });
  expect(sent).toEqual([]);
});

it('sends nothing without a target, and still resets every hour', async () => {
  const { telemetry, pass, sent } = harness({ url: null });
  await pass(61);
  const preview = await telemetry.preview();
  expect([preview.target, preview.sendsAt, sent]).toEqual([null, null, []]);
  expect(preview.bundles[0]?.from).toBe('2026-01-01T01:00:00.000Z');
});

it('sends no request when it is disabled', async () => {
  const { telemetry, pass } = harness({
    isCounting: false,
    takeUsage: async () => {
      throw new Error('asked');
    },
  });
  await pass(61);
  expect(await telemetry.preview()).toMatchObject({ isCounting: false, bundles: [] });
});

it('keeps what did not arrive for the next hour', async () => {
  let status = 503;
  const sent: TelemetryBundle[] = [];
  const send: SendRequest = async ({ body }) => {
    if (status === 200) sent.push(JSON.parse(Buffer.from(body ?? []).toString()));
    return { status, headers: {}, body: Buffer.alloc(0) };
  };
  const { pass, warnings } = harness({ send });
  await pass(61);
  expect(warnings).toEqual(['usage figures were not sent: https://figures.example answered 503']);
  status = 200;
  await pass(60);
  expect(sent).toHaveLength(1);
  expect(sent[0]?.from).toBe('2026-01-01T00:00:00.000Z');
  expect(Number(sent[0]?.events[0]?.figures['total_received'])).toBeGreaterThanOrEqual(240);
});

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

it('goes by the networks that outgoing requests may reach', async () => {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    request.setEncoding('utf8');
    let text = '';
    request.on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => {
      bodies.push(text);
      response.end();
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  for (const [networks, received] of [
    [[], 0],
    [['127.0.0.0/8'], 1],
  ] as const) {
    const outgoing = new OutgoingHttp(new AddressPolicy(networks));
    const { pass, warnings } = harness({ url, send: outgoing.send });
    await pass(60);
    expect([bodies.length, warnings.length]).toEqual([received, 1 - received]);
    outgoing.close();
  }
});

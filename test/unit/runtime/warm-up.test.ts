/** The warm-up: every thread sees every request, and everything else comes first. */
import { describe, expect, it } from 'vitest';
import { type WarmUpPorts, type WarmUpRequest, warmUp } from '../../../src/runtime/warm-up.ts';

const requests: WarmUpRequest[] = [
  { path: '/a', body: '{}' },
  { path: '/b', body: '{}' },
  { path: '/c', body: '{}' },
];

function portsWith(overrides: Partial<WarmUpPorts> = {}) {
  const sent: string[] = [];
  const events: string[] = [];
  const ports: WarmUpPorts = {
    async send({ path }) {
      sent.push(path);
      events.push('send');
    },
    freeCores: () => 2,
    foreignRequestCount: () => 0,
    async sleep() {
      events.push('sleep');
    },
    ...overrides,
  };
  return { ports, sent, events };
}

const never = new AbortController().signal;

describe('warm-up', () => {
  it('sends each request to each thread in each round', async () => {
    const { ports, sent } = portsWith();
    await warmUp({ requests, threads: 2, rounds: 2 }, ports, never);
    expect(sent).toEqual(['/a', '/a', '/b', '/b', '/c', '/c', '/a', '/a', '/b', '/b', '/c', '/c']);
  });

  it('uses as many threads at a time as cores are free', async () => {
    let running = 0;
    let most = 0;
    const send = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
    };
    await warmUp({ requests, threads: 4, rounds: 1 }, portsWith({ send, freeCores: () => 1.8 }).ports, never);
    expect(most).toBe(2);
    await warmUp({ requests, threads: 4, rounds: 1 }, portsWith({ send, freeCores: () => 16 }).ports, never);
    expect(most).toBe(4);
  });

  it('waits while no core is free, and gives up on a host that never rests', async () => {
    const readings = [0, 0.7, 1];
    const { ports, events } = portsWith({ freeCores: () => readings.shift() ?? 1 });
    await warmUp({ requests, threads: 1, rounds: 1 }, ports, never);
    expect(events).toEqual(['sleep', 'sleep', 'send', 'send', 'send']);
    const busy = portsWith({ freeCores: () => 0 });
    await warmUp({ requests, threads: 1, rounds: 1 }, busy.ports, never);
    expect(busy.sent).toEqual([]);
  });

  it('pauses after requests of others', async () => {
    const counts = [0, 0, 5, 5, 5];
    const { ports, events } = portsWith({ foreignRequestCount: () => counts.shift() ?? 5 });
    await warmUp({ requests, threads: 1, rounds: 1 }, ports, never);
    expect(events).toEqual(['send', 'sleep', 'send', 'send']);
  });

  it('stops when it is told to', async () => {
    const aborter = new AbortController();
    const { ports, sent } = portsWith({
      async send({ path }) {
        sent.push(path);
        if (sent.length === 2) aborter.abort();
      },
    });
    await warmUp({ requests, threads: 1, rounds: 9 }, ports, aborter.signal);
    expect(sent).toEqual(['/a', '/b']);
  });
});

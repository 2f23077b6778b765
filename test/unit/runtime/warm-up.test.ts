/** The warm-up: every thread sees every step, and everything else comes first. */
import { describe, expect, it } from 'vitest';
import { type WarmUpPorts, warmUp } from '../../../src/runtime/warm-up.ts';

const steps = ['a', 'b', 'c'];

function portsWith(overrides: Partial<WarmUpPorts<string>> = {}) {
  const done: string[] = [];
  const events: string[] = [];
  const ports: WarmUpPorts<string> = {
    async run(step) {
      done.push(step);
      events.push('run');
    },
    freeCores: () => 2,
    realWorkCount: () => 0,
    async sleep() {
      events.push('sleep');
    },
    ...overrides,
  };
  return { ports, done, events };
}

const never = new AbortController().signal;

describe('warm-up', () => {
  it('does each step in each thread in each round', async () => {
    const { ports, done } = portsWith();
    await warmUp({ steps, threads: 2, rounds: 2 }, ports, never);
    expect(done).toEqual(['a', 'a', 'b', 'b', 'c', 'c', 'a', 'a', 'b', 'b', 'c', 'c']);
  });

  it('uses as many threads at a time as cores are free', async () => {
    let running = 0;
    let most = 0;
    const run = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
    };
    await warmUp(
      { steps, threads: 4, rounds: 1 },
      portsWith({ run, freeCores: () => 1.8 }).ports,
      never,
    );
    expect(most).toBe(2);
    await warmUp(
      { steps, threads: 4, rounds: 1 },
      portsWith({ run, freeCores: () => 16 }).ports,
      never,
    );
    expect(most).toBe(4);
  });

  it('waits while no core is free, and gives up on a host that never rests', async () => {
    const readings = [0, 0.7, 1];
    const { ports, events } = portsWith({ freeCores: () => readings.shift() ?? 1 });
    await warmUp({ steps, threads: 1, rounds: 1 }, ports, never);
    expect(events).toEqual(['sleep', 'sleep', 'run', 'run', 'run']);
    const busy = portsWith({ freeCores: () => 0 });
    await warmUp({ steps, threads: 1, rounds: 1 }, busy.ports, never);
    expect(busy.done).toEqual([]);
  });

  it('pauses after real work', async () => {
    const counts = [0, 0, 5, 5, 5];
    const { ports, events } = portsWith({ realWorkCount: () => counts.shift() ?? 5 });
    await warmUp({ steps, threads: 1, rounds: 1 }, ports, never);
    expect(events).toEqual(['run', 'sleep', 'run', 'run']);
  });

  it('stops when it is told to', async () => {
    const aborter = new AbortController();
    const { ports, done } = portsWith({
      async run(step) {
        done.push(step);
        if (done.length === 2) aborter.abort();
      },
    });
    await warmUp({ steps, threads: 1, rounds: 9 }, ports, aborter.signal);
    expect(done).toEqual(['a', 'b']);
  });
});

/** When a scheduled snapshot is enqueued. */
import { describe, expect, it } from 'vitest';
import { SnapshotSchedule } from '../../../../src/dumps/write/snapshot-schedule.ts';

const HOUR_MS = 3_600_000;

function schedule(lastMs: number | null, fails = false) {
  const state = { nowMs: 10 * HOUR_MS, lastMs, enqueued: 0, errors: 0 };
  const schedule_ = new SnapshotSchedule({
    intervalMs: HOUR_MS,
    lastMs: () => state.lastMs,
    enqueue: async () => {
      if (fails) throw new Error('no');
      state.enqueued++;
    },
    nowMs: () => state.nowMs,
    log: { error: () => void state.errors++ },
  });
  const at = async (hours: number) => {
    state.nowMs = hours * HOUR_MS;
    await schedule_.look();
    return state.enqueued;
  };
  return { state, at };
}

describe('a schedule', () => {
  it('counts from the start where there is no snapshot', async () => {
    const { at } = schedule(null);
    expect(await at(10.9)).toBe(0);
    expect(await at(11)).toBe(1);
  });

  it('counts from the last snapshot, also from one of an earlier start', async () => {
    const { at } = schedule(9.5 * HOUR_MS);
    expect(await at(10.4)).toBe(0);
    expect(await at(10.5)).toBe(1);
  });

  it('asks once an interval, even when the snapshot takes longer', async () => {
    const { at, state } = schedule(8 * HOUR_MS);
    expect(await at(10)).toBe(1);
    expect(await at(10.5)).toBe(1);
    state.lastMs = 10.6 * HOUR_MS;
    expect(await at(11.5)).toBe(1);
    expect(await at(11.6)).toBe(2);
  });

  it('goes on while the folder of snapshots cannot be read', async () => {
    const { at, state } = schedule(null);
    Object.defineProperty(state, 'lastMs', {
      get: () => {
        throw new Error('EACCES');
      },
    });
    expect(await at(20)).toBe(0);
    expect(state.errors).toBe(1);
  });

  it('goes on after an enqueue that failed', async () => {
    const { at, state } = schedule(8 * HOUR_MS, true);
    await at(10);
    expect(state.errors).toBe(1);
  });
});

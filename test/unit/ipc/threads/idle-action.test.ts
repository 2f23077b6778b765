/** An action after a time without tasks. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { IdleAction } from '../../../../src/ipc/threads/idle-action.ts';
import { Gate } from '../../../support/gate.ts';

const IDLE_MS = 1000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('an idle action', () => {
  it('runs once, some time after the last task, also after one that failed', async () => {
    const action = vi.fn();
    const idle = new IdleAction(IDLE_MS, action);
    await idle.watched(() => Promise.resolve())(0);
    vi.advanceTimersByTime(IDLE_MS - 1);
    const failing = idle.watched(() => Promise.reject(new Error('no')));
    await expect(failing(0)).rejects.toThrow('no');
    vi.advanceTimersByTime(IDLE_MS - 1);
    expect(action).not.toHaveBeenCalled();
    vi.advanceTimersByTime(10 * IDLE_MS);
    expect(action).toHaveBeenCalledOnce();
  });

  it('waits for tasks that run', async () => {
    const action = vi.fn();
    const idle = new IdleAction(IDLE_MS, action);
    const gate = new Gate();
    const long = idle.watched(() => gate.pass())(0);
    await idle.watched(() => Promise.resolve())(0);
    vi.advanceTimersByTime(10 * IDLE_MS);
    expect(action).not.toHaveBeenCalled();
    gate.release();
    await long;
    vi.advanceTimersByTime(IDLE_MS);
    expect(action).toHaveBeenCalledOnce();
  });
});

/** A child learns of its parent's end, also of one that came before it listened. */
import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { watchParent } from '../../../src/runtime/parent-watch.ts';

class FakeChild extends EventEmitter {
  connected = true;
  ppid = 100;
}

function watched(child: FakeChild, lookMs?: number): { readonly count: number } {
  const calls = { count: 0 };
  watchParent(child, () => (calls.count += 1), lookMs);
  return calls;
}

describe('watchParent', () => {
  it('says nothing while the parent lives', async () => {
    const calls = watched(new FakeChild(), 1);
    await sleep(20);
    expect(calls.count).toBe(0);
  });

  it('hears the end of the channel', () => {
    const child = new FakeChild();
    const calls = watched(child);
    child.emit('disconnect');
    expect(calls.count).toBe(1);
  });

  it('finds a channel that ended before anybody listened', () => {
    const child = new FakeChild();
    child.connected = false;
    expect(watched(child).count).toBe(1);
  });

  it('finds that another process has adopted it', async () => {
    const child = new FakeChild();
    const calls = watched(child, 1);
    child.ppid = 1;
    await expect.poll(() => calls.count).toBeGreaterThan(0);
  });
});

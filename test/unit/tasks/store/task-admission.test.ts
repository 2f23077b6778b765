/** Writes that wait have room again when they have ended, well or not; its bounds: `indexer-service`. */
import { describe, expect, it } from 'vitest';
import { TaskAdmission } from '../../../../src/tasks/store/task-admission.ts';

const LIMITS = { waitingEnqueuesMax: 2, waitingBytesMax: 100, taskStoreBytesMax: 1000 };

/** A write that ends when the test says so. */
function pendingWrite() {
  let end: () => void = () => undefined;
  const done = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { store: () => done, end: () => end() };
}

describe('the admission of tasks', () => {
  it('refuses a task while as many as allowed wait, and takes it afterwards', async () => {
    const admission = new TaskAdmission(LIMITS);
    const writes = [pendingWrite(), pendingWrite()];
    const stored = writes.map(({ store }) => admission.during(1, store));
    expect(() => admission.check(false)).toThrow(
      expect.objectContaining({ code: 'too_many_search_requests' }),
    );
    for (const { end } of writes) end();
    await Promise.all(stored);
    expect(() => admission.check(false)).not.toThrow();
  });

  it('gives the room back when storing fails', async () => {
    const admission = new TaskAdmission(LIMITS);
    const failing = admission.during(LIMITS.waitingBytesMax, () =>
      Promise.reject(new Error('broken')),
    );
    await expect(failing).rejects.toThrow('broken');
    expect(() => admission.check(false)).not.toThrow();
  });
});

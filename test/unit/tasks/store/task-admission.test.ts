/**
 * Goal: writes that wait are bounded in number and bytes, and a full database of tasks takes only
 * what makes room.
 */
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

  it('refuses a task while the bytes of one that waits fill the room', async () => {
    const admission = new TaskAdmission(LIMITS);
    const write = pendingWrite();
    const stored = admission.during(LIMITS.waitingBytesMax, write.store);
    expect(() => admission.check(true)).toThrow(
      expect.objectContaining({ code: 'too_many_search_requests' }),
    );
    write.end();
    await stored;
    expect(() => admission.check(true)).not.toThrow();
  });

  it('gives the room back when storing fails', async () => {
    const admission = new TaskAdmission(LIMITS);
    const failing = admission.during(LIMITS.waitingBytesMax, () =>
      Promise.reject(new Error('broken')),
    );
    await expect(failing).rejects.toThrow('broken');
    expect(() => admission.check(false)).not.toThrow();
  });

  it('takes only tasks that make room once the database is full', () => {
    const admission = new TaskAdmission(LIMITS);
    admission.taskStoreBytes = LIMITS.taskStoreBytesMax + 1;
    expect(() => admission.check(false)).toThrow(
      expect.objectContaining({ code: 'no_space_left_on_device' }),
    );
    expect(() => admission.check(true)).not.toThrow();
  });
});

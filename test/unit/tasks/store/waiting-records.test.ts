/** Records of waiting tasks that are held in memory, and the ones that are read. */
import { describe, expect, it } from 'vitest';
import { knownOrRead, WaitingRecords } from '../../../../src/tasks/store/waiting-records.ts';

const stored = { work: null, details: {}, error: null };
const content = (bytes: number) => new Uint8Array(bytes);

describe('records of waiting tasks', () => {
  it('are held until they are removed', () => {
    const waiting = new WaitingRecords();
    waiting.add(1, { stored, contentBytes: content(3), bytes: 90 });
    waiting.add(2, { stored, contentBytes: null, bytes: 80 });
    expect([1, 2, 3].map((uid) => waiting.content(uid)?.length)).toEqual([3, undefined, undefined]);
    expect([waiting.content(2), waiting.content(3)]).toEqual([null, undefined]);
    expect(waiting.stored(2)).toBe(stored);
    waiting.remove(2);
    waiting.remove(2);
    expect(waiting.stored(2)).toBeUndefined();
  });

  it('are bounded by their bytes', () => {
    const waiting = new WaitingRecords(3000);
    const held = () => [1, 2, 3].filter((uid) => waiting.stored(uid) !== undefined);
    for (const uid of [1, 2, 3]) waiting.add(uid, { stored, contentBytes: null, bytes: 1400 });
    expect(held()).toEqual([1, 2]);
    waiting.remove(1);
    waiting.add(3, { stored, contentBytes: null, bytes: 1600 });
    expect(held()).toEqual([2, 3]);
  });

  it('are read where they are not held, in the order of the tasks', async () => {
    const reads: (readonly number[])[] = [];
    const values = await knownOrRead(
      [4, 5, 6, 7],
      (uid) => (uid % 2 === 0 ? [uid] : undefined),
      async (uids) => {
        reads.push(uids);
        return uids.map((uid) => [uid, uid]);
      },
    );
    expect(values).toEqual([[4], [5, 5], [6], [7, 7]]);
    await knownOrRead(
      [2],
      (uid) => [uid],
      () => Promise.reject(new Error('read')),
    );
    expect(reads).toEqual([[5, 7]]);
  });
});

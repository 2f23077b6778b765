/**
 * Requests to an index wait a bounded time for the check of its files, and not at all once it is
 * done.
 */
import { describe, expect, it } from 'vitest';
import { CheckedIndexes } from '../../../../src/ipc/replica/checked-indexes.ts';

const settled = async (promise: Promise<void>): Promise<boolean> =>
  Promise.race([promise.then(() => true), new Promise<false>((done) => setImmediate(done, false))]);

describe('CheckedIndexes', () => {
  it('lets an index be read without a pending check', async () => {
    expect(await settled(new CheckedIndexes().whenReadable(1, 'films'))).toBe(true);
  });

  it('keeps a request until its index has been checked', async () => {
    const checked = new CheckedIndexes();
    checked.expect([1, 2]);
    const reading = checked.whenReadable(1, 'films');
    expect(await settled(reading)).toBe(false);
    expect([1, 2, 3].map((id) => checked.isReadable(id))).toEqual([false, false, true]);
    checked.set(1, []);
    checked.set(3, ['a.seg is damaged']);
    expect([1, 2, 3].map((id) => checked.isReadable(id))).toEqual([true, false, false]);
    await reading;
    checked.endWaits();
    expect(await settled(checked.whenReadable(2, 'books'))).toBe(true);
  });

  it('tells once which index is waited for, so that it is checked before others', async () => {
    const waited: number[] = [];
    const checked = new CheckedIndexes((indexId) => void waited.push(indexId));
    checked.expect([1, 2]);
    const reads = [checked.whenReadable(2, 'books'), checked.whenReadable(2, 'books')];
    checked.set(2, []);
    await Promise.all(reads);
    await checked.whenReadable(2, 'books');
    expect(waited).toEqual([2]);
    checked.endWaits();
  });

  it('does not wait longer than its bound, nor again for an index that was checked before', async () => {
    const checked = new CheckedIndexes(() => undefined, 5);
    checked.expect([1]);
    await checked.whenReadable(1, 'films');
    checked.set(1, []);
    checked.expect([1]);
    expect(await settled(checked.whenReadable(1, 'films'))).toBe(true);
  });

  it('refuses a damaged index with the names of its files, until it is gone', async () => {
    const checked = new CheckedIndexes();
    checked.set(1, ['a.seg is damaged', 'b.col is damaged']);
    await expect(checked.whenReadable(1, 'films')).rejects.toMatchObject({
      code: 'invalid_store_file',
      message: 'Index `films` is damaged: a.seg is damaged; b.col is damaged.',
    });
    expect(checked.damagedFileCount).toBe(2);
    checked.forget(1);
    expect(checked.damagedFileCount).toBe(0);
    expect(await settled(checked.whenReadable(1, 'films'))).toBe(true);
  });

  it('keeps a request until the files of its index are fetched, which the first one starts', async () => {
    const fetched: number[] = [];
    const checked = new CheckedIndexes((indexId) => void fetched.push(indexId));
    checked.notLocal(1);
    checked.expect([1]);
    expect([checked.isReadable(1), checked.isLocal(1)]).toEqual([false, false]);
    const reads = [checked.whenReadable(1, 'films'), checked.whenReadable(1, 'films')];
    expect(await settled(reads[0] as Promise<void>)).toBe(false);
    expect(fetched).toEqual([1]);
    checked.set(1, []);
    await Promise.all(reads);
    expect(checked.isReadable(1)).toBe(true);
  });

  it('refuses a request for a while when the files cannot be fetched', async () => {
    const fetched: number[] = [];
    const checked = new CheckedIndexes((indexId) => void fetched.push(indexId));
    checked.notLocal(1);
    const read = checked.whenReadable(1, 'films');
    checked.notLocal(1);
    await expect(read).rejects.toMatchObject({ code: 'indexer_unavailable', status: 503 });
    const again = checked.whenReadable(1, 'films');
    checked.set(1, []);
    await again;
    expect(fetched).toEqual([1, 1]);
  });

  it('has a fetch started again when the indexer is back, which may lack the first request', async () => {
    const fetched: number[] = [];
    const checked = new CheckedIndexes((indexId) => void fetched.push(indexId));
    checked.notLocal(1);
    checked.notLocal(2);
    const read = checked.whenReadable(1, 'films');
    checked.expect([1, 2]);
    expect(fetched).toEqual([1, 1]);
    checked.set(1, []);
    await read;
  });

  it('forgets indexes that were deleted while the indexer was away', async () => {
    const checked = new CheckedIndexes();
    checked.set(1, ['a.seg is damaged']);
    checked.set(2, []);
    checked.notLocal(3);
    checked.expect([2]);
    expect(checked.damagedFileCount).toBe(0);
    expect([1, 2, 3].map((id) => checked.isReadable(id))).toEqual([true, true, true]);
  });

  it('names the indexes that were read since the last call', () => {
    const checked = new CheckedIndexes();
    for (const id of [1, 2, 1]) checked.noteRead(id);
    expect(checked.takeRead()).toEqual([1, 2]);
    expect(checked.takeRead()).toEqual([]);
  });
});

/** The outbox alone: places of webhooks, what goes, what a restart finds, its bounds. */
import { describe, expect, it } from 'vitest';
import type { DeliveryAttempt, DeliveryResult } from '../../../src/model/webhook.ts';
import { Outbox, type OutboxLimits } from '../../../src/webhooks/outbox.ts';
import { MemoryDisk, MemoryStore } from '../../support/memory-store.ts';

const attempt = (batchUid: number, result: DeliveryResult = 'delivered'): DeliveryAttempt => ({
  batchUid,
  attempt: 1,
  startedAt: '2026-01-01T00:00:00.000000Z',
  duration: 'PT0.001S',
  result,
  status: 200,
  error: null,
  nextAttemptAt: null,
});

/** On the same disk as before, which outlives it. */
function openOn(disk: MemoryDisk, uuids: readonly string[], limits?: OutboxLimits) {
  const store = new MemoryStore(disk);
  return Outbox.open(store, uuids, limits).then((outbox) => ({
    outbox,
    /** An attempt to tell a webhook of its next entry. */
    tell: async (uuid: string, result: DeliveryResult = 'delivered', number = 1) => {
      const entry = outbox.next(uuid);
      if (entry === null) throw new Error(`nothing is to be told to ${uuid}`);
      await outbox.note(uuid, entry, { ...attempt(entry.batchUid, result), attempt: number });
    },
    finish: async (batchUid: number, bytes = 1) => {
      const body = new Uint8Array(bytes).fill(batchUid);
      await store.write(
        outbox.stage({ batchUid, finishedAt: batchUid }, body, (dropped) =>
          attempt(dropped, 'dropped'),
        ),
      );
      outbox.committed();
    },
  }));
}

const uidOf = (outbox: Outbox, uuid: string) => outbox.next(uuid)?.batchUid;

describe('Outbox', () => {
  it('tells each webhook of each batch in the order of their commits, until the webhook has moved on', async () => {
    const { outbox, finish, tell } = await openOn(new MemoryDisk(), ['a', 'b']);
    for (const uid of [3, 9, 5]) await finish(uid);
    await tell('a');
    await tell('a', 'abandoned');
    await tell('b', 'failed');
    expect([uidOf(outbox, 'a'), uidOf(outbox, 'b')]).toEqual([5, 3]);
    expect(outbox.deliveries('a').waiting).toBe(1);
    expect(outbox.deliveries('b').waiting).toBe(3);
    const entry = outbox.next('a');
    expect(entry && (await outbox.body(entry))).toEqual(Uint8Array.of(5));
  });

  it('tells a new webhook of later batches only', async () => {
    const { outbox, finish } = await openOn(new MemoryDisk(), ['a']);
    await finish(0);
    await outbox.follow('b');
    expect(uidOf(outbox, 'b')).toBeUndefined();
    await finish(1);
    expect([uidOf(outbox, 'a'), uidOf(outbox, 'b')]).toEqual([0, 1]);
  });

  it('keeps nothing that all webhooks have passed', async () => {
    const disk = new MemoryDisk();
    const { outbox, finish, tell } = await openOn(disk, ['a', 'b']);
    await finish(0);
    await finish(1);
    const all = disk.entries.length;
    await tell('a');
    await tell('b');
    expect(disk.entries.length).toBe(all - 2 + 2);
    await tell('a');
    await outbox.unfollow('b');
    await outbox.unfollow('a');
    expect(disk.entries).toEqual([]);
    expect(outbox.hasFollowers).toBe(false);
  });

  it('is after a restart what it was', async () => {
    const disk = new MemoryDisk();
    const before = await openOn(disk, ['a', 'b']);
    for (const uid of [0, 1, 2]) await before.finish(uid);
    await before.tell('a', 'failed');
    await before.tell('a');
    const { outbox, finish } = await openOn(disk, ['a', 'b']);
    expect([uidOf(outbox, 'a'), uidOf(outbox, 'b')]).toEqual([1, 0]);
    expect(outbox.deliveries('a')).toEqual({
      attempts: [attempt(0), attempt(0, 'failed')],
      waiting: 2,
    });
    await finish(3);
    expect(outbox.deliveries('b').waiting).toBe(4);
  });

  it('forgets deleted webhooks at a start, and deliveries to only them', async () => {
    const disk = new MemoryDisk();
    const before = await openOn(disk, ['a', 'b']);
    await before.finish(0);
    await before.tell('a');
    const after = await openOn(disk, ['a', 'c']);
    expect([uidOf(after.outbox, 'a'), uidOf(after.outbox, 'c')]).toEqual([undefined, undefined]);
    await after.finish(1);
    expect(uidOf(after.outbox, 'c')).toBe(1);
    expect(disk.entries.some(({ value }) => value.length === 1 && value[0] === 0)).toBe(false);
  });

  it.each([
    ['entries', { entries: 3, bytes: 1000 }, 1],
    ['bytes', { entries: 1000, bytes: 30 }, 10],
  ] as const)('drops the oldest beyond its number of %s, and says so', async (_, limits, size) => {
    const disk = new MemoryDisk();
    const { outbox, finish, tell } = await openOn(disk, ['a', 'b'], limits);
    await finish(0, size);
    await tell('b');
    for (const uid of [1, 2, 3, 4]) await finish(uid, size);
    expect(uidOf(outbox, 'a')).toBe(2);
    expect(outbox.deliveries('a')).toEqual({
      attempts: [attempt(1, 'dropped'), attempt(0, 'dropped')],
      waiting: 3,
    });
    expect(outbox.deliveries('b').attempts).toEqual([attempt(1, 'dropped'), attempt(0)]);
    expect(uidOf((await openOn(disk, ['a', 'b'], limits)).outbox, 'a')).toBe(2);
  });

  it('takes a batch that is larger than its bound alone', async () => {
    const { outbox, finish } = await openOn(new MemoryDisk(), ['a'], {
      entries: 9,
      bytes: 10,
    });
    await finish(0);
    await finish(1, 100);
    expect(outbox.deliveries('a').waiting).toBe(1);
    expect(uidOf(outbox, 'a')).toBe(1);
  });

  it('keeps the last 100 attempts of each webhook', async () => {
    const disk = new MemoryDisk();
    const { outbox, finish, tell } = await openOn(disk, ['a']);
    await finish(7);
    for (let i = 1; i <= 250; i++) await tell('a', 'failed', i);
    const after = await openOn(disk, ['a']);
    for (const { attempts } of [outbox.deliveries('a'), after.outbox.deliveries('a')]) {
      expect(attempts.map((one) => one.attempt)).toEqual(
        Array.from({ length: 100 }, (_, i) => 250 - i),
      );
    }
  });
});

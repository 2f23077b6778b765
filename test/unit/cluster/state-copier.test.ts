/** When the node that writes copies tasks and indexes. */
import { expect, it } from 'vitest';
import { storeInstanceUid } from '../../../src/catalog/instance-uid.ts';
import { StateCopier } from '../../../src/cluster/state-copier.ts';
import { LoggedStore } from '../../../src/storage/database/change-log.ts';
import { encodeKey } from '../../../src/storage/database/key-encoding.ts';
import { put } from '../../../src/storage/database/key-value-store.ts';
import { copiedPosition } from '../../../src/storage/database/state-copy.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { until } from '../../support/until.ts';

async function copier() {
  const store = new MemoryStore();
  const logged = await LoggedStore.open(store);
  await logged.write([storeInstanceUid('u')]);
  const copies: Uint8Array[] = [];
  const seen: string[] = [];
  const faults = { isRefused: false };
  const subject = new StateCopier({
    view: () => store.view(),
    position: () => {
      seen.push('looked');
      return logged.position;
    },
    read: async () => copies.at(-1) ?? null,
    write: async (copy) => void copies.push(copy),
    confirm: async () => {
      if (faults.isRefused) throw new Error('another node writes');
    },
    log: { warn: (message) => void seen.push(message) },
    intervalMs: 1,
  });
  const change = () => logged.write([put(encodeKey('row', logged.position), new Uint8Array(8))]);
  const looks = async () => {
    const before = seen.length;
    await until('it looked twice', () => seen.length >= before + 2);
  };
  return { subject, copies, seen, faults, change, looks, logged };
}

it('copies many entries, and again when a tenth of them has changed', async () => {
  const { subject, copies, change, looks, logged } = await copier();
  let entries = 999;
  subject.start(() => entries);
  await looks();
  expect(copies).toHaveLength(0);
  entries = 1000;
  await until('it has copied', () => copies.length === 1);
  for (let i = 0; i < 99; i++) await change();
  await looks();
  expect(copies).toHaveLength(1);
  await change();
  await until('it has copied again', () => copies.length === 2);
  await subject.stop();
  expect(await copiedPosition(copies[1] as Uint8Array)).toBe(logged.position);
});

it('keeps no copy that the database has not confirmed, and tries again', async () => {
  const { subject, copies, seen, faults } = await copier();
  faults.isRefused = true;
  subject.start(() => 1000);
  await until('it was refused', () => seen.some((line) => line.includes('another node writes')));
  expect(copies).toHaveLength(0);
  faults.isRefused = false;
  await until('it has copied', () => copies.length === 1);
  await subject.stop();
});

/**
 * API keys in the store: default keys, changes one after the other, what is refused, what a restart
 * finds.
 */
import { describe, expect, it } from 'vitest';
import { KeyStore, type KeyStoreOptions } from '../../../src/catalog/key-store.ts';
import { MemoryStore } from '../../support/memory-store.ts';

const draft = (uid: string, members: object = {}) => ({
  uid,
  name: null,
  description: null,
  actions: ['search'],
  indexes: ['*'],
  expiresAt: null,
  ...members,
});

function openStore(store = new MemoryStore(), more: Partial<KeyStoreOptions> = {}) {
  let ticks = 0;
  let uids = 0;
  const now = () => `2026-01-01T00:00:00.${String(++ticks).padStart(6, '0')}Z`;
  return KeyStore.open(store, { now, createUid: () => `uid-${++uids}`, ...more });
}

const newestFirst = (keys: KeyStore) =>
  [...keys.all()].sort((a, b) => (a.createdAt > b.createdAt ? -1 : 1));

describe('KeyStore', () => {
  it('gets the default keys when it is empty, once', async () => {
    const store = new MemoryStore();
    const keys = newestFirst(await openStore(store));
    expect(keys.map(({ name, actions }) => [name, actions])).toEqual([
      ['Default Search API Key', ['search']],
      ['Default Admin API Key', ['*']],
      ['Default Read-Only Admin API Key', ['*.get', 'keys.get']],
      ['Default Chat API Key', ['chatCompletions', 'search']],
    ]);
    for (const key of keys) {
      expect(key).toMatchObject({ indexes: ['*'], expiresAt: null, updatedAt: key.createdAt });
      expect(key.description).toMatch(/^[A-Z].*\.$/);
    }
    expect(newestFirst(await openStore(store))).toEqual(keys);
  });

  it('rotates a key: another one may do the same, and this one ends, unless it does before', async () => {
    const store = new MemoryStore();
    const keys = await openStore(store);
    await keys.create(draft('a', { name: 'A', requestsPerSecond: 5 }));
    const endsAt = '2030-01-01T00:00:00.000Z';
    const { created, replaced } = await keys.rotate({ uid: 'a', newUid: 'b', endsAt });
    expect(created).toMatchObject({ uid: 'b', name: 'A', requestsPerSecond: 5, expiresAt: null });
    expect(replaced).toMatchObject({ uid: 'a', name: 'A', expiresAt: endsAt });
    const again = await keys.rotate({ uid: 'a', newUid: 'c', endsAt: '2031-01-01T00:00:00.000Z' });
    expect([again.replaced.expiresAt, again.created.expiresAt]).toEqual([endsAt, endsAt]);
    await expect(keys.rotate({ uid: 'a', newUid: 'b', endsAt })).rejects.toMatchObject({
      code: 'api_key_already_exists',
    });
    await expect(keys.rotate({ uid: 'x', newUid: 'y', endsAt })).rejects.toMatchObject({
      code: 'api_key_not_found',
    });
    expect([...(await openStore(store)).all()].map(({ uid }) => uid)).toEqual(
      expect.arrayContaining(['a', 'b', 'c']),
    );
  });

  it('sets and removes the limit of a key', async () => {
    const keys = await openStore();
    await keys.create(draft('a'));
    expect(await keys.update({ uid: 'a', requestsPerSecond: 3 })).toMatchObject({
      requestsPerSecond: 3,
    });
    expect(await keys.update({ uid: 'a', name: 'n' })).toMatchObject({ requestsPerSecond: 3 });
    expect(await keys.update({ uid: 'a', requestsPerSecond: null })).not.toHaveProperty(
      'requestsPerSecond',
    );
  });

  it('creates, changes and deletes durably', async () => {
    const store = new MemoryStore();
    const keys = await openStore(store);
    const created = await keys.create(draft('a', { name: 'A' }));
    expect(created.updatedAt).toBe(created.createdAt);
    const changed = await keys.update({ uid: 'a', description: 'text' });
    expect(changed).toMatchObject({ name: 'A', description: 'text', createdAt: created.createdAt });
    expect(changed.updatedAt > created.updatedAt).toBe(true);
    expect((await keys.update({ uid: 'a', name: null })).name).toBeNull();
    await keys.create(draft('b'));
    await keys.delete('b');
    expect([...(await openStore(store)).all()].map(({ uid }) => uid).sort()).toEqual([
      'a',
      'uid-1',
      'uid-2',
      'uid-3',
      'uid-4',
    ]);
  });

  it('refuses what exists already or does not exist, also in changes under way at once', async () => {
    const keys = await openStore();
    const outcomes = await Promise.allSettled([
      keys.create(draft('a')),
      keys.create(draft('a')),
      keys.delete('a'),
      keys.update({ uid: 'a', name: 'x' }),
      keys.delete('a'),
      keys.create(draft('a')),
    ]);
    expect(
      outcomes.map((outcome) => (outcome.status === 'fulfilled' ? 'done' : outcome.reason.code)),
    ).toEqual([
      'done',
      'api_key_already_exists',
      'done',
      'api_key_not_found',
      'api_key_not_found',
      'done',
    ]);
  });

  it('is bounded in bytes, and takes more when some are given back', async () => {
    const keys = await openStore(new MemoryStore(), { bytesMax: 3000 });
    const large = 'x'.repeat(1000);
    await keys.create(draft('a', { name: large }));
    await expect(keys.create(draft('b', { name: large }))).rejects.toMatchObject({
      code: 'no_space_left_on_device',
    });
    await expect(keys.update({ uid: 'a', name: large + large })).rejects.toMatchObject({
      code: 'no_space_left_on_device',
    });
    await keys.update({ uid: 'a', name: '' });
    await keys.create(draft('b', { name: large }));
    await keys.delete('b');
    await keys.create(draft('c', { name: large }));
  });
});

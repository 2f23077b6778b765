/** The object that says what a store has. */
import { afterEach, describe, expect, it } from 'vitest';
import { DirectoryStore } from '../../../../src/storage/object-store/directory-store.ts';
import {
  checkStoreFormat,
  claimStore,
  finishStore,
  keepStoreFormat,
} from '../../../../src/storage/object-store/store-format.ts';
import { cleanUp, freshFolder } from '../../../support/test-server.ts';

afterEach(cleanUp);

const URL = 's3://bucket/new';
const newStore = () => DirectoryStore.open(freshFolder(), Date.now());

describe('a store that data is copied into', () => {
  it('is used by servers only when the copy is complete', async () => {
    const store = newStore();
    await claimStore(store, URL, '/srv/data');
    const use = keepStoreFormat(store, URL);
    await expect(use).rejects.toThrow(
      `${URL} has an unfinished copy of /srv/data: run that command`,
    );
    await claimStore(store, URL, '/srv/data');
    await finishStore(store);
    await keepStoreFormat(store, URL);
  });

  it('is refused when it has anything else', async () => {
    const used = newStore();
    await keepStoreFormat(used, URL);
    await expect(claimStore(used, URL, '/srv/data')).rejects.toThrow(`${URL} is in use`);
    const other = newStore();
    await claimStore(other, URL, '/srv/other');
    await expect(claimStore(other, URL, '/srv/data')).rejects.toThrow(
      'has an unfinished copy of /srv/other: choose another prefix',
    );
    const full = newStore();
    await full.put('some/object', Buffer.from('x'));
    await expect(claimStore(full, URL, '/srv/data')).rejects.toThrow('it has `some/object`');
  });

  it('is not read when it has no or another format', async () => {
    const store = newStore();
    await expect(checkStoreFormat(store, URL)).rejects.toThrow('has format none, expected 2');
    await store.put('format', Buffer.from('7\n'));
    await expect(keepStoreFormat(store, URL)).rejects.toThrow('has format 7, expected 2');
  });
});

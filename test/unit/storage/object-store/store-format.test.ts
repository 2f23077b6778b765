/** The object that says what a store has. */
import { afterEach, describe, expect, it } from 'vitest';
import { DirectoryStore } from '../../../../src/storage/object-store/directory-store.ts';
import {
  ObjectStoreAway,
  ObjectStoreError,
} from '../../../../src/storage/object-store/object-store.ts';
import {
  checkStoreFormat,
  claimStore,
  finishStore,
  keepStoreFormat,
  keepStoreFormatOnceThere,
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

describe('a server that starts', () => {
  const start = async (failures: Error[]) => {
    const store = newStore();
    const warned: string[] = [];
    let waits = 0;
    const create = store.create.bind(store);
    store.create = async (key, body) => {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      return create(key, body);
    };
    await keepStoreFormatOnceThere(store, URL, {
      wait: async () => void waits++,
      log: { warn: (message) => warned.push(String(message)) },
    });
    await checkStoreFormat(store, URL);
    return { waits, warned };
  };

  it('waits for a store that is away, and says so', async () => {
    const away = new ObjectStoreAway('PUT bucket/new/format: cannot be reached');
    const { waits, warned } = await start([away, away]);
    expect(waits).toBe(2);
    expect(warned).toHaveLength(2);
    expect(warned[0]).toContain('waiting for the object store');
    expect(warned[0]).toContain('cannot be reached');
  });

  it('ends when the store refuses', async () => {
    const refused = new ObjectStoreError('answered 403 SignatureDoesNotMatch');
    await expect(start([refused])).rejects.toThrow('answered 403');
  });
});

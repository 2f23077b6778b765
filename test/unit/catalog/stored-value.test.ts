/** Small values of the instance on a store: aliases and network. */
import { beforeEach, describe, expect, it } from 'vitest';
import { AliasStore } from '../../../src/catalog/alias-store.ts';
import { loadNetwork } from '../../../src/catalog/stored-value.ts';
import { limits } from '../../../src/core/limits.ts';
import { changedNetwork, NO_NETWORK } from '../../../src/model/network.ts';
import { encodeKey } from '../../../src/storage/database/key-encoding.ts';
import { put } from '../../../src/storage/database/key-value-store.ts';
import { MemoryStore } from '../../support/memory-store.ts';

let store: MemoryStore;
beforeEach(() => {
  store = new MemoryStore();
});

describe('a stored value', () => {
  it('is the initial one in a new instance, and the last one after a restart', async () => {
    const network = await loadNetwork(store);
    expect(network.current).toEqual(NO_NETWORK);
    await network.change((before) => changedNetwork(before, { self: 'a' }, '1'));
    expect((await loadNetwork(store)).current).toEqual({ ...NO_NETWORK, self: 'a', version: '1' });
  });

  it('shows a change only when it is durable, and loses none of two at once', async () => {
    const aliases = await AliasStore.load(store);
    const changes = [aliases.put('b', 'films', '1'), aliases.put('a', 'books', '2')];
    expect(aliases.all).toEqual([]);
    await Promise.all(changes);
    expect(aliases.all.map(({ name }) => name)).toEqual(['a', 'b']);
    expect((await AliasStore.load(store)).all).toEqual(aliases.all);
  });

  it('stays as it was when a change is refused, and later changes are made', async () => {
    const aliases = await AliasStore.load(store);
    const refused = aliases.delete('a');
    const made = aliases.put('a', 'films', '1');
    await expect(refused).rejects.toMatchObject({ code: 'alias_not_found' });
    await made;
    const again = await aliases.put('a', 'books', '2');
    expect(again).toEqual({ name: 'a', indexUid: 'books', createdAt: '1', updatedAt: '2' });
    await aliases.delete('a');
    expect((await AliasStore.load(store)).all).toEqual([]);
  });

  it('has a limited number of aliases, of which each may change', async () => {
    const dates = { createdAt: '1', updatedAt: '1' };
    const all = Array.from({ length: limits.aliasesMax }, (_, i) => {
      return { name: `a${i}`, indexUid: 'films', ...dates };
    });
    const value = new TextEncoder().encode(JSON.stringify({ aliases: all }));
    await store.write([put(encodeKey('meta', 'aliases'), value)]);
    const aliases = await AliasStore.load(store);
    await expect(aliases.put('b', 'films', '2')).rejects.toMatchObject({ code: 'bad_request' });
    await aliases.put('a7', 'books', '2');
    await aliases.delete('a0');
    await aliases.put('b', 'films', '3');
    expect(aliases.all.length).toBe(limits.aliasesMax);
  });

  it('that is damaged is refused with its kind', async () => {
    await store.write([put(encodeKey('meta', 'aliases'), new TextEncoder().encode('{}'))]);
    await expect(AliasStore.load(store)).rejects.toThrow('A stored aliases');
  });
});

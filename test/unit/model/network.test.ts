/** Changes of the network: what is merged, removed and refused. */
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/core/errors.ts';
import { changedNetwork, type Network, NO_NETWORK } from '../../../src/model/network.ts';
import type { NetworkUpdate } from '../../../src/model/schemas/network-schema.ts';

const changed = (...updates: NetworkUpdate[]): Network =>
  updates.reduce<Network>(
    (network, update, i) => changedNetwork(network, update, `v${i}`).value,
    NO_NETWORK,
  );

const codeOf = (...updates: NetworkUpdate[]): string => {
  try {
    changed(...updates);
    return 'accepted';
  } catch (error) {
    return error instanceof ApiError ? error.code : String(error);
  }
};

const A = { url: 'http://a:7700' };
const B = { url: 'http://b:7700', searchApiKey: 'key' };

describe('changedNetwork', () => {
  it('merges remotes, member by member', () => {
    expect(
      changed({ self: 'a', remotes: { a: A, b: B } }, { remotes: { b: { writeApiKey: 'w' } } }),
    ).toEqual({
      self: 'a',
      remotes: {
        a: { ...A, searchApiKey: null, writeApiKey: null },
        b: { ...B, writeApiKey: 'w' },
      },
      shards: {},
      version: 'v1',
    });
  });

  it('removes what is null, remotes from their shards too, and shards that are empty then', () => {
    const shards = { one: { remotes: ['a', 'b'] }, two: { remotes: ['b'] } };
    const network = changed(
      { remotes: { a: A, b: B }, shards },
      { remotes: { b: null }, self: null },
    );
    expect(Object.keys(network.remotes)).toEqual(['a']);
    expect(network.shards).toEqual({ one: { remotes: ['a'] } });
    expect(changed({ remotes: { a: A }, shards }, { remotes: null, shards: null })).toMatchObject({
      remotes: {},
      shards: {},
    });
    expect(
      changed(
        { remotes: { a: { ...A, searchApiKey: 's' } } },
        { remotes: { a: { searchApiKey: null } } },
      ).remotes['a']?.searchApiKey,
    ).toBe(null);
  });

  it('adds members to shards and takes them away; a shard may name an unknown remote', () => {
    const network = changed(
      { shards: { one: { remotes: ['a', 'b'] } } },
      { shards: { one: { addRemotes: ['c'], removeRemotes: ['a'] } } },
    );
    expect(network.shards).toEqual({ one: { remotes: ['b', 'c'] } });
  });

  it('takes an unknown remote from shards, too', () => {
    const network = changed(
      { shards: { one: { remotes: ['a', 'b'] }, two: { remotes: ['b'] } } },
      { remotes: { b: null } },
    );
    expect(network.shards).toEqual({ one: { remotes: ['a'] } });
  });

  it.each<[NetworkUpdate, string]>([
    [{ remotes: { a: {} } }, 'missing_network_url'],
    [{ remotes: { a: { url: 'a' } } }, 'invalid_network_url'],
    [{ remotes: { a: { url: 'file:///etc/passwd' } } }, 'invalid_network_url'],
    [{ leader: 'a' }, 'requires_enterprise_edition'],
    [{ leader: null }, 'accepted'],
    [
      { remotes: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [i, A])) },
      'invalid_network_remotes',
    ],
  ])('%j → %s', (update, code) => {
    expect(codeOf(update)).toBe(code);
  });

  it('refuses to take the URL of a remote away', () => {
    expect(codeOf({ remotes: { a: A } }, { remotes: { a: { url: null } } })).toBe(
      'invalid_network_url',
    );
  });
});

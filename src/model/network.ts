/**
 * The network of an instance: remote instances that searches may query, by name, and their shards
 * (api.md 21). Plain data, shared by fronts and indexer.
 */
import { ApiError } from '../core/errors.ts';
import { isHttpUrl } from '../core/http-url.ts';
import { maskedUrl } from '../core/mask-secret.ts';
import type { NetworkUpdate } from './schemas/network-schema.ts';
import { type Changed, isOtherOrigin, secretAfter } from './secret-origin.ts';

/** Concurrent requests to instances for one request. */
export const PARALLEL_INSTANCES_MAX = 16;

export interface Remote {
  readonly url: string;
  readonly searchApiKey: string | null;
  readonly writeApiKey: string | null;
}

export interface Network {
  /** Name of this instance among the remotes; null = none. */
  readonly self: string | null;
  readonly remotes: Readonly<Record<string, Remote>>;
  readonly shards: Readonly<Record<string, { readonly remotes: readonly string[] }>>;
  /** UUID of its last change. */
  readonly version: string;
}

export const NO_NETWORK: Network = {
  self: null,
  remotes: {},
  shards: {},
  version: '00000000-0000-0000-0000-000000000000',
};

/** Bounded, because every front holds the network. */
const REMOTES_MAX = 100;
const SHARDS_MAX = 1000;

type RemoteChange = NonNullable<NonNullable<NetworkUpdate['remotes']>[string]>;
type ShardChange = NonNullable<NonNullable<NetworkUpdate['shards']>[string]>;

/**
 * Masked secrets in the update keep the stored ones. @param version of the new state. Throws
 * `ApiError`
 */
export function changedNetwork(
  before: Network,
  update: NetworkUpdate,
  version: string,
): Changed<Network> {
  if (typeof update.leader === 'string') {
    throw new ApiError(
      'requires_enterprise_edition',
      '`leader` must be null: this server does not spread the documents of an index over a network.',
    );
  }
  const warnings: string[] = [];
  const remotes = changedRemotes(before.remotes, update.remotes, warnings);
  // Shards may name remotes that are unknown; null removes those, too.
  const named = [...Object.keys(before.remotes), ...Object.keys(update.remotes ?? {})];
  const removed = named.filter((name) => !Object.hasOwn(remotes, name));
  const value = {
    self: update.self === undefined ? before.self : update.self,
    remotes,
    shards: changedShards(before.shards, update.shards, new Set(removed)),
    version,
  };
  return { value, warnings };
}

function changedRemotes(
  before: Network['remotes'],
  update: NetworkUpdate['remotes'],
  warnings: string[],
): Network['remotes'] {
  if (update === undefined) return before;
  const remotes = new Map(update === null ? [] : Object.entries(before));
  for (const [name, change] of Object.entries(update ?? {})) {
    if (change === null) remotes.delete(name);
    else remotes.set(name, changedRemote(name, remotes.get(name), change, warnings));
  }
  checkCount(remotes.size, REMOTES_MAX, 'invalid_network_remotes', 'remotes');
  return Object.fromEntries(remotes);
}

function changedRemote(
  name: string,
  before: Remote | undefined,
  change: RemoteChange,
  warnings: string[],
): Remote {
  const { url: given = before?.url } = change;
  if (given === undefined) {
    throw new ApiError(
      'missing_network_url',
      `\`remotes.${name}.url\` is missing; a new remote needs one.`,
    );
  }
  const isShown = before !== undefined && given === maskedUrl(before.url);
  const url = isShown ? before.url : checkedUrl(name, given);
  const isMoved = before !== undefined && isOtherOrigin(before.url, url);
  const keyOf = (key: 'searchApiKey' | 'writeApiKey'): string | null => {
    const [stored, sent] = [before?.[key] ?? null, change[key]];
    return secretAfter({ stored, sent, isMoved, member: `remotes.${name}.${key}`, warnings });
  };
  return { url, searchApiKey: keyOf('searchApiKey'), writeApiKey: keyOf('writeApiKey') };
}

function checkedUrl(name: string, url: string | null): string {
  if (url !== null && isHttpUrl(url)) return url;
  throw new ApiError(
    'invalid_network_url',
    `\`remotes.${name}.url\` is ${JSON.stringify(url?.slice(0, 80) ?? null)}, expected an absolute \`http:\` or \`https:\` URL of another instance.`,
  );
}

function changedShards(
  before: Network['shards'],
  update: NetworkUpdate['shards'],
  removedRemotes: ReadonlySet<string>,
): Network['shards'] {
  const shards = new Map(update === null ? [] : Object.entries(before));
  for (const [name, change] of Object.entries(update ?? {})) {
    if (change === null) shards.delete(name);
    else shards.set(name, { remotes: changedMembers(shards.get(name)?.remotes ?? [], change) });
  }
  const kept = [...shards].flatMap(([name, shard]) => {
    const remotes = shard.remotes.filter((remote) => !removedRemotes.has(remote));
    return remotes.length === 0 ? [] : [[name, { remotes }] as const];
  });
  checkCount(kept.length, SHARDS_MAX, 'invalid_network_shards', 'shards');
  return Object.fromEntries(kept);
}

function changedMembers(before: readonly string[], change: ShardChange): readonly string[] {
  const members = new Set(change.remotes ?? before);
  for (const remote of change.addRemotes ?? []) members.add(remote);
  for (const remote of change.removeRemotes ?? []) members.delete(remote);
  checkCount(members.size, REMOTES_MAX, 'invalid_network_shards', 'remotes of a shard');
  return [...members];
}

function checkCount(count: number, max: number, code: ApiError['code'], what: string): void {
  if (count > max)
    throw new ApiError(
      code,
      `The network would have ${count} ${what}; at most ${max} are allowed.`,
    );
}

/**
 * Chooses the instances of the network that run a query (api.md 9.6), and records the errors of failed
 * instances.
 */
import { ApiError, type ErrorEnvelope, toEnvelope, toWire } from '../../core/errors.ts';
import { isGiven } from '../../core/is-given.ts';
import type { Network } from '../../model/network.ts';
import type { MultiSearchQuery } from '../../model/schemas/multi-search-schema.ts';
import type { ApiContext } from '../contract/context.ts';
import { errorInside } from './federated-answer.ts';

/**
 * The answer of a remote instance; null if it fails, with its `ApiError` in `errors`.
 * @throws errors other than `ApiError`, and every error after the end of the request
 */
export async function orNullIfRemoteFails<T>(
  name: string,
  ask: () => Promise<T>,
  errors: Record<string, ErrorEnvelope>,
  signal: AbortSignal | undefined,
): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (signal?.aborted === true || !(error instanceof ApiError)) throw error;
    errors[name] ??= toEnvelope(toWire(error));
    return null;
  }
}

export interface PlacedQuery {
  readonly query: MultiSearchQuery;
  /** Position of the query in hits. */
  readonly position: number;
  /** Name of the instance; null = this one. */
  readonly remote: string | null;
}

export interface PlacedQueries {
  readonly placed: readonly PlacedQuery[];
  /** True if a query names a remote or uses the network. */
  readonly isNetworked: boolean;
}

export const asksRemotes = ({ placed }: Pick<PlacedQueries, 'placed'>): boolean =>
  placed.some(({ remote }) => remote !== null);

export function placeQueries(
  context: ApiContext,
  queries: readonly MultiSearchQuery[],
): PlacedQueries {
  let isNetworked = false;
  const placed = queries.flatMap((query, place): PlacedQuery[] => {
    const { remote, queryPosition } = query.federationOptions ?? {};
    const position = queryPosition ?? place;
    const refuse = (code: ApiError['code'], message: string): never => {
      throw errorInside(`queries[${place}]`, { code, message });
    };
    if (!context.features.network) checkOff(query, refuse);
    if (query.useNetwork === true && isGiven(remote)) {
      refuse(
        'invalid_multi_search_federation_options',
        '`useNetwork` and `federationOptions.remote` exclude each other; give one of them.',
      );
    }
    const targets = isGiven(remote)
      ? [targetNamed(remote, context.network, refuse)]
      : query.useNetwork === true
        ? instancesToAsk(context)
        : null;
    isNetworked ||= targets !== null;
    return (targets ?? [null]).map((target) => ({ query, position, remote: target }));
  });
  return { placed, isNetworked };
}

type Refuse = (code: ApiError['code'], message: string) => never;

function checkOff({ federationOptions, useNetwork }: MultiSearchQuery, refuse: Refuse): void {
  const given = {
    'federationOptions.remote': federationOptions?.remote,
    'federationOptions.queryPosition': federationOptions?.queryPosition,
    useNetwork,
  };
  for (const [name, value] of Object.entries(given)) {
    if (!isGiven(value)) continue;
    refuse(
      'feature_not_enabled',
      `\`${name}\` needs the experimental feature \`network\`; it is off.`,
    );
  }
}

function targetNamed(remote: string, { self, remotes }: Network, refuse: Refuse): string | null {
  if (remote === self) return null;
  if (Object.hasOwn(remotes, remote)) return remote;
  return refuse(
    'invalid_multi_search_remote',
    `\`federationOptions.remote\` is ${JSON.stringify(remote.slice(0, 80))}; the network has no such remote.`,
  );
}

/**
 * One instance per shard, preferably this one; without shards all instances. A shard that only a
 * missing remote has is still requested from it, so that the answer shows the error.
 */
export function instancesToAsk({
  network: { self, remotes, shards },
  remoteSearches,
}: Pick<ApiContext, 'network' | 'remoteSearches'>): (string | null)[] {
  const nameOf = (remote: string) => (remote === self ? null : remote);
  const holders = Object.values(shards);
  if (holders.length === 0) return [null, ...Object.keys(remotes).filter((name) => name !== self)];
  const chosen = new Set<string | null>();
  for (const { remotes: names } of holders) {
    const here = names.map(nameOf);
    if (here.some((name) => chosen.has(name))) continue;
    const isKnown = (name: string | null): boolean =>
      name === null || (Object.hasOwn(remotes, name) && remoteSearches.isAvailable(name));
    chosen.add(here.includes(null) ? null : (here.find(isKnown) ?? here[0] ?? null));
  }
  return [...chosen];
}

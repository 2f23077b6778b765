/** The other instances that searches of this one may ask. */

import type { Network } from '../../model/network.ts';
import { NoQuery } from '../../model/schemas/index-schema.ts';
import { NetworkUpdate } from '../../model/schemas/network-schema.ts';
import type { ApiContext } from '../contract/context.ts';
import { requireFeature } from '../contract/require-feature.ts';
import { defineRoute, type Route } from '../contract/route.ts';

/** Keys are shown as they are: whoever may read the network may use it. */
const viewOf = ({ self, remotes, shards, version }: Network, { remoteSearches }: ApiContext) => ({
  self,
  remotes: Object.fromEntries(
    Object.entries(remotes).map(([name, remote]) => [
      name,
      { ...remote, status: remoteSearches.isAvailable(name) ? 'available' : 'unavailable' },
    ]),
  ),
  shards,
  leader: null,
  version,
});

const getNetwork = defineRoute({
  id: 'network.get',
  method: 'GET',
  path: '/network',
  action: 'network.get',
  summary: 'The other instances that searches may ask, and what came of the last request to each',
  query: NoQuery,
  errors: ['feature_not_enabled'],
  handler: (context) => {
    requireFeature(context.features, 'network');
    return { status: 200, json: viewOf(context.network, context) };
  },
});

const updateNetwork = defineRoute({
  id: 'network.update',
  method: 'PATCH',
  path: '/network',
  action: 'network.update',
  summary: 'Change the other instances that searches may ask',
  query: NoQuery,
  body: NetworkUpdate,
  errors: [
    'feature_not_enabled',
    'missing_network_url',
    'invalid_network_url',
    'invalid_network_search_api_key',
    'invalid_network_write_api_key',
    'invalid_network_remotes',
    'invalid_network_shards',
    'invalid_network_self',
    'invalid_network_leader',
    'unexpected_network_previous_remotes',
    'requires_enterprise_edition',
  ],
  handler: async (context, { body }) => {
    requireFeature(context.features, 'network');
    const network = await context.indexer.request('updateNetwork', body);
    return { status: 200, json: viewOf(network, context) };
  },
});

export const networkRoutes: readonly Route[] = [getNetwork, updateNetwork];

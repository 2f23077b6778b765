/** Routes of the network: remote instances of searches. */

import { ApiError } from '../../core/errors.ts';
import { maskedOrNull, maskedUrl } from '../../core/mask-secret.ts';
import type { Network } from '../../model/network.ts';
import { NetworkChange, NetworkUpdate } from '../../model/schemas/network-schema.ts';
import { shownWarnings } from '../../model/secret-origin.ts';
import type { ApiContext } from '../contract/context.ts';
import { requireFeature } from '../contract/require-feature.ts';
import { defineRoute, type Route } from '../contract/route.ts';

/** Keys are masked, because a key that may read the network may not use the remotes directly. */
const viewOf = ({ self, remotes, shards, version }: Network, { remoteSearches }: ApiContext) => ({
  self,
  remotes: Object.fromEntries(
    Object.entries(remotes).map(([name, { url, searchApiKey, writeApiKey }]) => [
      name,
      {
        url: maskedUrl(url),
        searchApiKey: maskedOrNull(searchApiKey),
        writeApiKey: maskedOrNull(writeApiKey),
        status: remoteSearches.isAvailable(name) ? 'available' : 'unavailable',
      },
    ]),
  ),
  shards,
  leader: null,
  version,
});

/** Required further members, by message type. */
const MESSAGE_MEMBERS: Readonly<
  Record<NetworkChange['message']['type'], 'successful' | 'status' | null>
> = {
  exportNoIndexForRemote: null,
  importFinishedForRemote: 'successful',
  statusChangeForRemote: 'status',
};

export const networkRoutes: readonly Route[] = [
  defineRoute({
    id: 'network.get',
    endpoint: 'GET /network',
    action: 'network.get',
    summary:
      'Read the remote instances of the network, with the result of the last request to each',
    feature: 'network',
    handler: (context) => ({ status: 200, json: viewOf(context.network, context) }),
  }),
  defineRoute({
    id: 'network.update',
    endpoint: 'PATCH /network',
    action: 'network.update',
    summary: 'Update the remote instances of the network',
    body: NetworkUpdate,
    feature: 'network',
    errors: ['missing_network_url', 'requires_enterprise_edition'],
    handler: async (context, { body }) => {
      const { value, warnings } = await context.indexer.request('updateNetwork', body);
      return { status: 200, json: { ...viewOf(value, context), ...shownWarnings(warnings) } };
    },
  }),
  defineRoute({
    id: 'network.control',
    endpoint: 'POST /network/control',
    action: 'network.update',
    summary:
      'Used between instances of a network with a leader; refused, because networks have no leader here',
    body: NetworkChange,
    errors: ['feature_not_enabled', 'requires_enterprise_edition'],
    handler: ({ features }, { body: { message } }) => {
      const member = MESSAGE_MEMBERS[message.type];
      if (member !== null && message[member] === undefined)
        throw new ApiError(
          'bad_request',
          `\`message.${member}\` is missing; a message of the type \`${message.type}\` has it.`,
        );
      requireFeature(features, 'network');
      throw new ApiError(
        'requires_enterprise_edition',
        'Networks with a `leader` are a feature of the commercial edition and not supported. `PATCH /network` changes each instance separately.',
      );
    },
  }),
];

/** Schemas of the network routes. */
import Type, { type Static } from 'typebox';
import { UUID_PATTERN } from '../../core/uuid.ts';
import {
  closed,
  count,
  flag,
  mapOf,
  nullable,
  oneOf,
  optional,
  refused,
  strings,
  text,
} from './schema.ts';

const RemoteUpdate = closed(
  {
    url: optional(text('invalid_network_url', 'a URL')),
    searchApiKey: optional(text('invalid_network_search_api_key', 'an API key of the remote')),
    writeApiKey: optional(text('invalid_network_write_api_key', 'an API key of the remote')),
  },
  { code: 'invalid_network_remotes' },
);

const SHARDS = 'invalid_network_shards';
const names = optional(strings('invalid_network_remotes'), {
  expects: 'an array of names of remotes',
});
const ShardUpdate = closed(
  { remotes: names, addRemotes: names, removeRemotes: names },
  { code: SHARDS },
);

/** Absent members stay unchanged, null resets or removes. */
export const NetworkUpdate = closed({
  self: optional(text('invalid_network_self', 'the name of this instance')),
  leader: optional(text('invalid_network_leader', 'a name')),
  remotes: optional(
    mapOf(nullable(RemoteUpdate), 'invalid_network_remotes', 'an object of names with remotes'),
  ),
  shards: optional(mapOf(nullable(ShardUpdate), SHARDS, 'an object of names with shards')),
  previousRemotes: Type.Optional(
    refused('unexpected_network_previous_remotes', 'no `previousRemotes`'),
  ),
  previousShards: Type.Optional(
    refused('unexpected_network_previous_remotes', 'no `previousShards`'),
  ),
});
export type NetworkUpdate = Static<typeof NetworkUpdate>;

const BAD = 'bad_request';

/**
 * Message of another instance about a running change of the network; names the sender and the
 * change.
 */
export const NetworkChange = closed(
  {
    origin: closed(
      {
        remoteName: text(BAD),
        taskUid: count(BAD),
        networkVersion: Type.Optional(
          Type.String({ pattern: UUID_PATTERN, code: BAD, expects: 'a UUID' }),
        ),
      },
      { code: BAD },
    ),
    message: closed(
      {
        type: oneOf(
          ['exportNoIndexForRemote', 'importFinishedForRemote', 'statusChangeForRemote'],
          BAD,
        ),
        remote: text(BAD),
        successful: Type.Optional(flag(BAD)),
        status: Type.Optional(
          oneOf(['enqueued', 'processing', 'succeeded', 'failed', 'canceled'], BAD),
        ),
      },
      { code: BAD },
    ),
  },
  { code: BAD },
);
export type NetworkChange = Static<typeof NetworkChange>;

/** Launch options of requests to other servers: allowed networks, webhooks. */
import { option } from './option.ts';

export const outgoingOptions = {
  /** Networks in CIDR notation, single addresses, or `any`. */
  allowedIpNetworks: option<readonly string[]>({
    doc: 'Networks in CIDR notation, separated by commas, to which this server may send requests (embedders, webhooks) in addition to public addresses; `any` allows all.',
    format: 'networks',
    default: [],
    arg: 'experimental-allowed-ip-networks',
  }),
  taskWebhookUrl: option<string | null>({
    doc: 'URL of a webhook that receives every finished batch, in addition to the webhooks created by requests.',
    format: 'httpUrl',
    default: null,
    arg: 'task-webhook-url',
  }),
  taskWebhookAuthorizationHeader: option<string | null>({
    doc: '`Authorization` header of the requests to `--task-webhook-url`, such as `Bearer <secret>`.',
    format: 'headerValue',
    default: null,
    sensitive: true,
    arg: 'task-webhook-authorization-header',
  }),
  taskWebhookSigningSecret: option<string | null>({
    doc: 'Secret of 16 to 256 characters that signs the requests to `--task-webhook-url`, so that the receiver can verify the sender.',
    format: 'signingSecret',
    default: null,
    sensitive: true,
    arg: 'task-webhook-signing-secret',
  }),
};

/** Launch options of requests to other servers: allowed networks, webhooks. */
import { option } from './option.ts';

export const outgoingOptions = {
  /** Networks in CIDR notation, single addresses, or `any`. */
  allowedIpNetworks: option<readonly string[]>({
    doc: 'Networks in CIDR notation, separated by commas, to which this server may send requests (embedders, webhooks) in addition to public addresses; `any` allows all.',
    format: 'networks',
    default: [],
    env: 'SVC_EXPERIMENTAL_ALLOWED_IP_NETWORKS',
    arg: 'experimental-allowed-ip-networks',
  }),
  taskWebhookUrl: option<string | null>({
    doc: 'URL of a webhook that receives every finished batch, in addition to the webhooks created by requests.',
    format: 'httpUrl',
    default: null,
    nullable: true,
    env: 'SVC_TASK_WEBHOOK_URL',
    arg: 'task-webhook-url',
  }),
  taskWebhookAuthorizationHeader: option<string | null>({
    doc: '`Authorization` header of the requests to `--task-webhook-url`, such as `Bearer <secret>`.',
    format: 'headerValue',
    default: null,
    nullable: true,
    sensitive: true,
    env: 'SVC_TASK_WEBHOOK_AUTHORIZATION_HEADER',
    arg: 'task-webhook-authorization-header',
  }),
  taskWebhookSigningSecret: option<string | null>({
    doc: 'Secret of 16 to 256 characters that signs the requests to `--task-webhook-url`, so that the receiver can verify the sender.',
    format: 'signingSecret',
    default: null,
    nullable: true,
    sensitive: true,
    env: 'SVC_TASK_WEBHOOK_SIGNING_SECRET',
    arg: 'task-webhook-signing-secret',
  }),
};

/** Launch options of other servers: which may be reached, which are told. */
import { option } from './option.ts';

export const outgoingOptions = {
  /** Networks in CIDR notation, single addresses, or `any`. */
  allowedIpNetworks: option<readonly string[]>({
    doc: 'Networks in CIDR notation, separated by commas, that requests of this server to others (embedders, webhooks) may reach beside public addresses; `any` allows all.',
    format: 'networks',
    default: [],
    env: 'SVC_EXPERIMENTAL_ALLOWED_IP_NETWORKS',
    arg: 'experimental-allowed-ip-networks',
  }),
  taskWebhookUrl: option<string | null>({
    doc: 'Server that is told of every batch that has ended, beside the webhooks made by requests.',
    format: 'httpUrl',
    default: null,
    nullable: true,
    env: 'SVC_TASK_WEBHOOK_URL',
    arg: 'task-webhook-url',
  }),
  taskWebhookAuthorizationHeader: option<string | null>({
    doc: 'Value of the header `Authorization` of these requests, such as `Bearer <secret>`.',
    format: 'headerValue',
    default: null,
    nullable: true,
    sensitive: true,
    env: 'SVC_TASK_WEBHOOK_AUTHORIZATION_HEADER',
    arg: 'task-webhook-authorization-header',
  }),
  taskWebhookSigningSecret: option<string | null>({
    doc: 'Secret of 16 to 256 characters that these requests are signed with, so that the server they go to can tell who sends them.',
    format: 'signingSecret',
    default: null,
    nullable: true,
    sensitive: true,
    env: 'SVC_TASK_WEBHOOK_SIGNING_SECRET',
    arg: 'task-webhook-signing-secret',
  }),
};

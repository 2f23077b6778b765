/**
 * Routes of webhooks: list, create, read, update, delete, and delivery attempts. The indexer holds
 * the webhooks; answers contain no secret.
 */
import { randomUUID } from 'node:crypto';
import { ApiError } from '../../core/errors.ts';
import { parseUuid } from '../../core/uuid.ts';
import { WebhookCreationBody, WebhookUpdateBody } from '../../model/schemas/webhook-schema.ts';
import { shownWarnings } from '../../model/secret-origin.ts';
import { webhookRecord } from '../../model/webhook.ts';
import { defineRoute, type Route } from '../contract/route.ts';

function uuidOf({ uuid: text }: { readonly uuid: string }): string {
  const uuid = parseUuid(text);
  if (uuid !== null) return uuid;
  throw new ApiError(
    'invalid_webhook_uuid',
    `${JSON.stringify(text.slice(0, 80))} in the path is not a UUID, expected one such as \`6062abda-a5aa-4414-ac91-ecd7944c0f8d\`.`,
  );
}

export const webhookRoutes: readonly Route[] = [
  defineRoute({
    id: 'webhooks.list',
    endpoint: 'GET /webhooks',
    action: 'webhooks.get',
    summary: 'List webhooks',
    handler: async ({ indexer }) => {
      const webhooks = await indexer.request('listWebhooks', {});
      return { status: 200, json: { results: webhooks.map(webhookRecord) } };
    },
  }),
  defineRoute({
    id: 'webhooks.create',
    endpoint: 'POST /webhooks',
    action: 'webhooks.create',
    summary: 'Create a webhook, which receives every batch that ends from now on',
    body: WebhookCreationBody,
    errors: ['invalid_webhooks'],
    handler: async ({ indexer }, { body: { url, headers, signingSecret } }) => {
      const values = Object.entries(headers ?? {}).map(([name, value]) => [name, value ?? '']);
      const webhook = await indexer.request('createWebhook', {
        uuid: randomUUID(),
        url,
        headers: Object.fromEntries(values),
        ...(signingSecret != null && { signingSecret }),
      });
      return { status: 201, json: webhookRecord(webhook) };
    },
  }),
  defineRoute({
    id: 'webhooks.get',
    endpoint: 'GET /webhooks/:uuid',
    action: 'webhooks.get',
    summary: 'Read one webhook',
    errors: ['invalid_webhook_uuid', 'webhook_not_found'],
    handler: async ({ indexer }, { params }) => {
      const webhook = await indexer.request('getWebhook', { uuid: uuidOf(params) });
      return { status: 200, json: webhookRecord(webhook) };
    },
  }),
  defineRoute({
    id: 'webhooks.update',
    endpoint: 'PATCH /webhooks/:uuid',
    action: 'webhooks.update',
    summary: 'Update the URL, headers or signing secret of a webhook',
    body: WebhookUpdateBody,
    errors: ['invalid_webhook_uuid', 'webhook_not_found', 'immutable_webhook'],
    handler: async ({ indexer }, { params, body }) => {
      const change = { ...body, uuid: uuidOf(params) };
      const { value, warnings } = await indexer.request('updateWebhook', change);
      return { status: 200, json: { ...webhookRecord(value), ...shownWarnings(warnings) } };
    },
  }),
  defineRoute({
    id: 'webhooks.delete',
    endpoint: 'DELETE /webhooks/:uuid',
    action: 'webhooks.delete',
    summary: 'Delete a webhook; deliveries stop at once',
    errors: ['invalid_webhook_uuid', 'webhook_not_found', 'immutable_webhook'],
    handler: async ({ indexer }, { params }) => {
      await indexer.request('deleteWebhook', { uuid: uuidOf(params) });
      return { status: 204 };
    },
  }),
  defineRoute({
    id: 'webhooks.deliveries',
    endpoint: 'GET /webhooks/:uuid/deliveries',
    action: 'webhooks.get',
    summary: 'List the last 100 delivery attempts of a webhook, newest first',
    errors: ['invalid_webhook_uuid', 'webhook_not_found'],
    handler: async ({ indexer }, { params }) => {
      const { attempts, waiting } = await indexer.request('getDeliveries', {
        uuid: uuidOf(params),
      });
      return { status: 200, json: { results: attempts, waiting } };
    },
  }),
];

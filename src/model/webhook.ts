/** Webhooks: servers that are told of every finished batch, and how that went. */
import { maskSecret } from '../core/mask-secret.ts';
import { maskedUrl } from './masked-url.ts';
import { maskedHeader } from './secret-headers.ts';

export interface Webhook {
  /** Lower case with hyphens. */
  readonly uuid: string;
  /** `http:` or `https:`. */
  readonly url: string;
  /** By name as given; no two differ in case only. */
  readonly headers: Readonly<Record<string, string>>;
  /** What deliveries are signed with; absent = they are not signed. */
  readonly signingSecret?: string;
}

/** Absent members stay as they are; null removes a header, or all, or the secret. */
export interface WebhookChange {
  readonly uuid: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string | null>> | null;
  readonly signingSecret?: string | null;
}

/** The webhook of the launch options, which requests cannot change. */
export const LAUNCH_WEBHOOK_UUID = '00000000-0000-0000-0000-000000000000';

/** As answers show it: without secrets. */
export const webhookRecord = ({ uuid, url, headers, signingSecret }: Webhook) => ({
  uuid,
  isEditable: uuid !== LAUNCH_WEBHOOK_UUID,
  url: maskedUrl(url),
  headers: Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, maskedHeader(name, value)]),
  ),
  ...(signingSecret !== undefined && { signingSecret: maskSecret(signingSecret) }),
});

/**
 * - delivered: the target has answered 2xx
 * - failed: it is tried again
 * - abandoned: it is not tried again, after a day or because the target has said so
 * - dropped: more waited for the target than is kept
 */
export type DeliveryResult = 'delivered' | 'failed' | 'abandoned' | 'dropped';

/** One attempt to tell a webhook of a batch. */
export interface DeliveryAttempt {
  readonly batchUid: number;
  /** From 1; counted anew after a restart. */
  readonly attempt: number;
  /** RFC 3339, UTC. */
  readonly startedAt: string;
  /** ISO 8601; null for what was dropped. */
  readonly duration: string | null;
  readonly result: DeliveryResult;
  /** Of the answer; null when there was none. */
  readonly status: number | null;
  readonly error: string | null;
  /** RFC 3339, UTC; null when there is none. */
  readonly nextAttemptAt: string | null;
}

export interface Deliveries {
  /** Newest first. */
  readonly attempts: readonly DeliveryAttempt[];
  /** Batches that the target has still to be told of. */
  readonly waiting: number;
}

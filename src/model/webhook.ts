/** Webhooks: servers that receive every finished batch, and the results of deliveries. */
import { maskedHeader, maskedUrl, maskSecret } from '../core/mask-secret.ts';

export interface Webhook {
  /** Lower case with hyphens. */
  readonly uuid: string;
  /** `http:` or `https:`. */
  readonly url: string;
  /** By name as given; names are unique without case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Secret for signatures; absent = unsigned. */
  readonly signingSecret?: string;
}

/** Absent members stay unchanged; null removes a header, all headers, or the secret. */
export interface WebhookChange {
  readonly uuid: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string | null>> | null;
  readonly signingSecret?: string | null;
}

/** The webhook of the launch options, which requests cannot change. */
export const LAUNCH_WEBHOOK_UUID = '00000000-0000-0000-0000-000000000000';

/** The webhook in answers: secrets are masked. */
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
 * - delivered: the target answered 2xx
 * - failed: will be retried
 * - abandoned: not retried, after a day or because the target answered 410
 * - dropped: too many batches waited for the target
 */
export type DeliveryResult = 'delivered' | 'failed' | 'abandoned' | 'dropped';

export interface DeliveryAttempt {
  readonly batchUid: number;
  /** Counts from 1; restarts at 1 after a restart of the server. */
  readonly attempt: number;
  /** RFC 3339, UTC. */
  readonly startedAt: string;
  /** ISO 8601; null for a dropped batch. */
  readonly duration: string | null;
  readonly result: DeliveryResult;
  /** Status of the response; null without a response. */
  readonly status: number | null;
  readonly error: string | null;
  /** RFC 3339, UTC; null when there is none. */
  readonly nextAttemptAt: string | null;
}

export interface Deliveries {
  /** Newest first. */
  readonly attempts: readonly DeliveryAttempt[];
  readonly waiting: number;
}

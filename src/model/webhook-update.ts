/** New and changed webhooks, checked: what of a change is meant, and what no request could carry. */
import { ApiError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { maskSecret } from '../core/mask-secret.ts';
import { maskedUrl } from './masked-url.ts';
import { maskedHeader } from './secret-headers.ts';
import type { Webhook, WebhookChange } from './webhook.ts';

/** A token of RFC 9110. */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Visible ASCII and blanks: no line break can get in. */
const HEADER_VALUE = /^[\t -~]*$/;
const SECRET = /^[!-~]*$/;

/**
 * @throws ApiError `invalid_webhook_url`, `invalid_webhook_headers`,
 * `invalid_webhook_signing_secret`
 */
export function createdWebhook(draft: Webhook): Webhook {
  const { uuid, url } = draft;
  return changedWebhook({ uuid, url, headers: {} }, draft);
}

/**
 * A secret that is sent as answers show it stays what is stored.
 * @throws ApiError `invalid_webhook_url`, `invalid_webhook_headers`,
 * `invalid_webhook_signing_secret`
 */
export function changedWebhook(
  stored: Webhook,
  { url, headers, signingSecret }: WebhookChange,
): Webhook {
  if (url !== undefined) checkUrl(url);
  const next =
    headers === undefined
      ? stored.headers
      : headers === null
        ? {}
        : mergedHeaders(stored.headers, headers);
  checkSize(next);
  const isShown = url !== undefined && url === maskedUrl(stored.url);
  const secret = nextSecret(stored.signingSecret, signingSecret);
  return {
    uuid: stored.uuid,
    url: isShown ? stored.url : (url ?? stored.url),
    headers: next,
    ...(secret !== undefined && { signingSecret: secret }),
  };
}

function nextSecret(
  stored: string | undefined,
  given: string | null | undefined,
): string | undefined {
  if (given === undefined) return stored;
  if (given === null) return undefined;
  if (stored !== undefined && given === maskSecret(stored)) return stored;
  const { webhookSecretLengthMin: min, webhookSecretLengthMax: max } = limits;
  if (given.length >= min && given.length <= max && SECRET.test(given)) return given;
  const why =
    given.length < min || given.length > max
      ? `is ${given.length} characters long`
      : 'holds others than visible ASCII characters';
  throw new ApiError(
    'invalid_webhook_signing_secret',
    `\`signingSecret\` ${why}, expected ${min} to ${max} visible ASCII characters.`,
  );
}

/** Names meet whatever their case. */
function mergedHeaders(
  stored: Webhook['headers'],
  change: Readonly<Record<string, string | null>>,
): Record<string, string> {
  const next = new Map(
    Object.entries(stored).map(([name, value]) => [name.toLowerCase(), [name, value] as const]),
  );
  for (const [name, value] of Object.entries(change)) {
    const key = name.toLowerCase();
    checkName(name);
    const before = next.get(key)?.[1];
    if (value === null) next.delete(key);
    else if (before === undefined || value !== maskedHeader(name, before)) {
      checkValue(name, value);
      next.set(key, [name, value]);
    }
  }
  return Object.fromEntries(next.values());
}

function checkUrl(url: string): void {
  const { webhookUrlBytesMax: bytesMax } = limits;
  const isHttp = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  if (isHttp && Buffer.byteLength(url) <= bytesMax) return;
  const shown = isHttp ? `${Buffer.byteLength(url)} bytes long` : JSON.stringify(url.slice(0, 80));
  throw new ApiError(
    'invalid_webhook_url',
    `\`url\` is ${shown}, expected an absolute \`http:\` or \`https:\` URL of at most ${bytesMax} bytes.`,
  );
}

function checkName(name: string): void {
  if (HEADER_NAME.test(name)) return;
  const shown = JSON.stringify(name.slice(0, 80));
  throw refusedHeaders(
    `The name ${shown} in \`headers\` is no name of an HTTP header: letters, digits and !#$%&'*+-.^_\`|~.`,
  );
}

/** The value may be a secret, so it is not shown. */
function checkValue(name: string, value: string): void {
  if (HEADER_VALUE.test(value)) return;
  throw refusedHeaders(
    `The value of \`headers.${name}\` is no value of an HTTP header: visible ASCII characters and blanks.`,
  );
}

function checkSize(headers: Webhook['headers']): void {
  const { webhookHeadersMax: countMax, webhookHeaderBytesMax: bytesMax } = limits;
  const all = Object.entries(headers);
  if (all.length > countMax)
    throw refusedHeaders(
      `\`headers\` would hold ${all.length} headers, a webhook has at most ${countMax}.`,
    );
  const bytes = all.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (bytes > bytesMax)
    throw refusedHeaders(
      `\`headers\` would be ${bytes} bytes long, those of a webhook have at most ${bytesMax}.`,
    );
}

const refusedHeaders = (message: string): ApiError =>
  new ApiError('invalid_webhook_headers', message);

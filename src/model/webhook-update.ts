/** Creates and changes webhooks, with checks of URLs, headers and secrets. */
import { ApiError } from '../core/errors.ts';
import { isHttpUrl } from '../core/http-url.ts';
import { limits } from '../core/limits.ts';
import { maskedHeader, maskedUrl, maskSecret } from '../core/mask-secret.ts';
import { type Changed, droppedSecret, isOtherOrigin } from './secret-origin.ts';
import type { Webhook, WebhookChange } from './webhook.ts';

/** A token of RFC 9110. */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Visible ASCII and blanks, so that line breaks are impossible. */
const HEADER_VALUE = /^[\t -~]*$/;
const SECRET = /^[!-~]*$/;

/**
 * @throws ApiError `invalid_webhook_url`, `invalid_webhook_headers`,
 * `invalid_webhook_signing_secret`
 */
export function createdWebhook(draft: Webhook): Webhook {
  const { uuid, url } = draft;
  return changedWebhook({ uuid, url, headers: {} }, draft).value;
}

/**
 * A masked secret in the update keeps the stored one. If the URL moves to another origin, headers
 * given for the previous one are dropped; the signing secret is never sent. @throws ApiError
 * `invalid_webhook_url`, `invalid_webhook_headers`, `invalid_webhook_signing_secret`
 */
export function changedWebhook(
  stored: Webhook,
  { url: given, headers, signingSecret }: WebhookChange,
): Changed<Webhook> {
  if (given !== undefined) checkUrl(given);
  const isShown = given === undefined || given === maskedUrl(stored.url);
  const url = isShown ? stored.url : given;
  const { next, lost } = isOtherOrigin(stored.url, url)
    ? movedHeaders(stored.headers, headers)
    : { next: headers === null ? {} : mergedHeaders(stored.headers, headers ?? {}), lost: [] };
  checkSize(next);
  const secret = nextSecret(stored.signingSecret, signingSecret);
  return {
    value: {
      uuid: stored.uuid,
      url,
      headers: next,
      ...(secret !== undefined && { signingSecret: secret }),
    },
    warnings: lost.map((name) => droppedSecret(`headers.${name}`)),
  };
}

/**
 * Headers after a change of origin: only those of the update. Stored headers that the update omits
 * or masks are lost.
 */
function movedHeaders(
  stored: Webhook['headers'],
  change: WebhookChange['headers'],
): { readonly next: Record<string, string>; readonly lost: readonly string[] } {
  if (change === null) return { next: {}, lost: [] };
  const isShown = (name: string, value: string | null, secret: string): boolean =>
    value !== secret && value === maskedHeader(name, secret);
  const sent = Object.entries(change ?? {});
  const lost = Object.entries(stored).filter(([name, secret]) => {
    const own = sent.find(([other]) => other.toLowerCase() === name.toLowerCase());
    return own === undefined || isShown(own[0], own[1], secret);
  });
  const lostNames = new Set(lost.map(([name]) => name.toLowerCase()));
  const isKept = ([name]: readonly [string, unknown]) => !lostNames.has(name.toLowerCase());
  return {
    next: mergedHeaders({}, Object.fromEntries(sent.filter(isKept))),
    lost: lost.map(([name]) => name),
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

/** Header names are compared without case. */
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
  const isHttp = isHttpUrl(url);
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
    `The name ${shown} in \`headers\` is not a valid HTTP header name: letters, digits and !#$%&'*+-.^_\`|~.`,
  );
}

/** Does not show the value, which may be a secret. */
function checkValue(name: string, value: string): void {
  if (HEADER_VALUE.test(value)) return;
  throw refusedHeaders(
    `The value of \`headers.${name}\` is not a valid HTTP header value: visible ASCII characters and blanks.`,
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

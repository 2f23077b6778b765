/**
 * The signature of a delivery: an HMAC over the time and the bytes of the body, with a secret
 * shared with the receiver (docs/webhooks.md).
 */
import { createHmac } from 'node:crypto';

export const SIGNATURE_HEADER = 'x-gannet-signature';

/** @param body as sent @param micros microseconds since 1970 */
export function signatureOf(body: Uint8Array, secret: string, micros: number): string {
  const seconds = Math.floor(micros / 1e6);
  const digest = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');
  return `t=${seconds},v1=${digest}`;
}

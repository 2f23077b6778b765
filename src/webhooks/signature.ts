/**
 * How a receiver can tell that a delivery is of this server: an HMAC over the time and the bytes of
 * the body, with a secret that both hold (docs/webhooks.md).
 */
import { createHmac } from 'node:crypto';

export const SIGNATURE_HEADER = 'x-gannet-signature';

/** @param body as it is sent @param micros since 1970 */
export function signatureOf(body: Uint8Array, secret: string, micros: number): string {
  const seconds = Math.floor(micros / 1e6);
  const digest = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');
  return `t=${seconds},v1=${digest}`;
}

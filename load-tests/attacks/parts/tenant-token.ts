/** Tenant tokens, valid and forged. */
import { createHmac } from 'node:crypto';

export const encoded = (part: object): string =>
  Buffer.from(JSON.stringify(part)).toString('base64url');

/** @param claims of the token; `signer` is the value of an API key */
export function token(claims: object, signer: string, alg = 'HS256'): string {
  const text = `${encoded({ alg, typ: 'JWT' })}.${encoded(claims)}`;
  return `${text}.${createHmac('sha256', signer).update(text).digest('base64url')}`;
}

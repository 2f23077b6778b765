/** Signs tenant tokens (docs/keys-and-tenants.md), in Node and in browsers. */

interface TenantTokenFacts {
  readonly apiKey: string;
  readonly apiKeyUid: string;
  /** By index or prefix pattern: null or a filter. */
  readonly searchRules: unknown;
  /** Seconds since the epoch; absent = the token does not expire. */
  readonly exp?: number;
}

const encoder = new TextEncoder();

const base64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

const encoded = (value: unknown): string => base64Url(encoder.encode(JSON.stringify(value)));

export async function signTenantToken({ apiKey, ...payload }: TenantTokenFacts): Promise<string> {
  const signed = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded(payload)}`;
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(apiKey), hmac, false, ['sign']);
  const signature = await crypto.subtle.sign('HMAC', key, encoder.encode(signed));
  return `${signed}.${base64Url(new Uint8Array(signature))}`;
}

/** Masks secrets, headers and URLs in responses: enough characters to recognise, too few to use. */

const BEARER = 'Bearer ';

/**
 * Shows up to 5 characters, fewer of shorter secrets; keeps the scheme of an `Authorization`
 * header.
 */
export function maskSecret(secret: string): string {
  if (secret.startsWith(BEARER)) return BEARER + maskSecret(secret.slice(BEARER.length));
  const length = [...secret].length;
  if (length < 10) return 'XXX...';
  if (length < 20) return `${[...secret].slice(0, 2).join('')}XXXX...`;
  if (length < 30) return `${[...secret].slice(0, 3).join('')}XXXXX...`;
  return `${[...secret].slice(0, 5).join('')}XXXXXX...`;
}

export const maskedOrNull = (secret: string | null): string | null =>
  secret === null ? null : maskSecret(secret);

/**
 * Masks the password of the URL, or a user without a password, which is a token. Other text stays
 * unchanged.
 */
export function maskedUrl(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  if (url.password !== '') url.password = maskSecret(decodeURIComponent(url.password));
  else if (url.username !== '') url.username = maskSecret(decodeURIComponent(url.username));
  else return text;
  return url.href;
}

/** Suffixes of such names in lower case, for example of `x-goog-api-key` or `private-token`. */
const SECRET_ENDS = [
  'authorization',
  'api-key',
  'apikey',
  'access-key',
  'functions-key',
  'subscription-key',
  'auth-token',
  'cookie',
  'private-token',
];

export const isSecretHeader = (name: string): boolean =>
  SECRET_ENDS.some((end) => name.toLowerCase().endsWith(end));

export const maskedHeader = (name: string, value: string): string =>
  isSecretHeader(name) ? maskSecret(value) : value;

/** Text that may repeat the credentials of a request, with these masked. */
export function withMaskedSecrets(
  text: string,
  apiKey: string | null,
  headers: Readonly<Record<string, string>>,
): string {
  const ofHeaders = Object.entries(headers).flatMap(([name, value]) =>
    isSecretHeader(name) ? [value.replace(/^\w+ +/, '')] : [],
  );
  return [apiKey ?? '', ...ofHeaders]
    .filter((secret) => secret !== '')
    .reduce((masked, secret) => masked.replaceAll(secret, maskSecret(secret)), text);
}

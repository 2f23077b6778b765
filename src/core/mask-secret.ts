/** Masks a secret in responses: enough characters to recognise it, too few to use it. */
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

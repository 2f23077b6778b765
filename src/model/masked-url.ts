/** Masks secrets in URLs for answers. */
import { maskSecret } from '../core/mask-secret.ts';

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

/** URLs as answers show them. */
import { maskSecret } from '../core/mask-secret.ts';

/**
 * A password in the URL is cut short, or a user that stands alone, which then is a token. What is no
 * URL stays.
 */
export function maskedUrl(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  if (url.password !== '') url.password = maskSecret(decodeURIComponent(url.password));
  else if (url.username !== '') url.username = maskSecret(decodeURIComponent(url.username));
  else return text;
  return url.href;
}

/**
 * Follows redirects: decides whether a response redirects a request, and what is sent to the new
 * URL.
 */
import { OutgoingError } from './outgoing-error.ts';

export interface Hop {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly stream?: () => AsyncIterable<Uint8Array>;
}

/** Method and body stay the same. */
const KEEPING = [307, 308];
/** Only GET follows these, because other methods would become GET and lose their body. */
const CHANGING = [301, 302, 303];

/** Headers that describe the body; other headers may be secrets for the first server. */
const DESCRIPTIVE = ['accept', 'content-encoding', 'content-type', 'user-agent'];

/**
 * @returns null if the response is final. Throws `OutgoingError` `refused` if it redirects from
 * HTTPS to HTTP or to an invalid URL.
 */
export function redirectOf(
  hop: Hop,
  status: number,
  locations: string | string[] | undefined,
): Hop | null {
  const location = Array.isArray(locations) ? locations[0] : locations;
  const isFollowed =
    KEEPING.includes(status) || (hop.method === 'GET' && CHANGING.includes(status));
  if (!isFollowed || location === undefined) return null;
  const url = URL.canParse(location, hop.url.href) ? new URL(location, hop.url) : null;
  if (url === null || (hop.url.protocol === 'https:' && url.protocol !== 'https:')) {
    const problem = url === null ? 'nowhere' : `to \`${url.protocol}\``;
    throw new OutgoingError('refused', `${hop.url.origin} redirects ${problem}.`);
  }
  if (url.origin === hop.url.origin) return { ...hop, url };
  const kept = Object.entries(hop.headers).filter(([name]) =>
    DESCRIPTIVE.includes(name.toLowerCase()),
  );
  return { ...hop, url, headers: Object.fromEntries(kept) };
}

/** Decides whether an answer sends a request elsewhere, and what is sent there. */
import { OutgoingError } from './outgoing-error.ts';

/** A request as far as redirects change it. */
export interface Hop {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** With these the method and the body stay what they are. */
const KEEPING = [307, 308];
/** A request other than GET would become one and lose its body, so only GET follows these. */
const CHANGING = [301, 302, 303];

/** Headers that describe the body; all others may be secrets meant for the first server alone. */
const DESCRIPTIVE = ['accept', 'content-encoding', 'content-type', 'user-agent'];

/**
 * @returns null when the answer is final. Throws `OutgoingError` `refused` when it leads from HTTPS
 * to HTTP or to no URL.
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

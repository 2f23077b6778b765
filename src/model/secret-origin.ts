/**
 * Stored secrets belong to the origin (scheme, host, port) of the URL that they were given for: who
 * may change the URL need not know them, and must not receive them.
 */

/** A stored value after a change. */
export interface Changed<T> {
  readonly value: T;
  /** One sentence for each secret that the change has dropped. */
  readonly warnings: readonly string[];
}

type Url = string | null | undefined;

/** null for no URL, which is the provider's own. */
const originOf = (url: Url): string | null =>
  typeof url === 'string' && URL.canParse(url) ? new URL(url).origin : null;

export const isOtherOrigin = (before: Url, after: Url): boolean =>
  originOf(before) !== originOf(after);

/** @param member such as `remotes.a.searchApiKey` */
export const droppedSecret = (member: string): string =>
  `\`${member}\` was dropped, because its URL leads to another server now. Send it again together with the URL.`;

/** As an answer shows them: absent without any. */
export const shownWarnings = (
  warnings: readonly string[],
): { readonly warnings?: readonly string[] } => (warnings.length === 0 ? {} : { warnings });

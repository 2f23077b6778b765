/**
 * Stored secrets belong to the origin (scheme, host, port) of the URL for which they were given: a
 * user who may change the URL must not receive them.
 */

/** A stored value after a change. */
export interface Changed<T> {
  readonly value: T;
  /** One sentence per secret that the change dropped. */
  readonly warnings: readonly string[];
}

type Url = string | null | undefined;

/** null without a URL, which means the provider's default. */
const originOf = (url: Url): string | null =>
  typeof url === 'string' && URL.canParse(url) ? new URL(url).origin : null;

export const isOtherOrigin = (before: Url, after: Url): boolean =>
  originOf(before) !== originOf(after);

/** @param member for example `remotes.a.searchApiKey` */
export const droppedSecret = (member: string): string =>
  `\`${member}\` was dropped, because its URL leads to another server now. Send it again together with the URL.`;

/** Warnings in an answer: absent without any. */
export const shownWarnings = (
  warnings: readonly string[],
): { readonly warnings?: readonly string[] } => (warnings.length === 0 ? {} : { warnings });

/**
 * Stored secrets belong to the origin (scheme, host, port) of the URL for which they were given: a
 * user who may change the URL must not receive them.
 */
import { maskSecret } from '../core/mask-secret.ts';

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

interface SecretChange {
  readonly stored: string | null;
  /** As the update has it; undefined = absent. */
  readonly sent: string | null | undefined;
  /** True if the URL of the secret leads to another origin than before. */
  readonly isMoved: boolean;
  /** Path of the secret, for example `remotes.a.searchApiKey`. */
  readonly member: string;
  /** Receives a sentence if the secret is dropped. */
  readonly warnings: string[];
}

/** The secret after an update: one that is absent or masked there stays with its origin. */
export function secretAfter({
  stored,
  sent,
  isMoved,
  member,
  warnings,
}: SecretChange): string | null {
  const isStored = sent === undefined || (stored !== null && sent === maskSecret(stored));
  if (!isStored) return sent;
  if (!isMoved || stored === null) return stored;
  warnings.push(droppedSecret(member));
  return null;
}

/** Warnings in an answer: absent without any. */
export const shownWarnings = (
  warnings: readonly string[],
): { readonly warnings?: readonly string[] } => (warnings.length === 0 ? {} : { warnings });

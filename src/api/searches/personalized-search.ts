/** `personalize` in searches: reorders hits for a user (api.md 6.1, 9.3). */
import type { Requester } from '../../core/caller.ts';
import { ApiError } from '../../core/errors.ts';
import { isGiven } from '../../core/is-given.ts';
import type { Json } from '../../core/json.ts';
import { primaryKeyValue } from '../../model/primary-key-value.ts';
import type { Pin } from '../../model/rule-pins.ts';
import type { ApiContext } from '../contract/context.ts';

export type IsPinned = (hit: Json) => boolean;

/** Returns an answer with reordered hits. @param isPinned null = no hit is pinned */
type OrderHits = (
  answer: Uint8Array,
  caller: Pick<Requester, 'signal'>,
  isPinned: IsPinned | null,
) => Promise<Uint8Array>;

/** Recognises pinned hits by their ids, where hits show the primary key; null without pins. */
export function pinnedHits(
  { primaryKey }: { readonly primaryKey: string | null },
  pins: readonly Pick<Pin, 'id'>[] | null,
): IsPinned | null {
  if (primaryKey === null || pins === null || pins.length === 0) return null;
  const ids = new Set(pins.map(({ id }) => id));
  return (hit) => ids.has(String(primaryKeyValue(hit, primaryKey)));
}

interface AskedPersonalization {
  readonly personalize?: { readonly userContext: string } | null | undefined;
  readonly queries: readonly (string | null | undefined)[];
  /** Path of the member in the request, for messages. */
  readonly place: string;
}

/**
 * The function that reorders an answer; null if not requested. @throws ApiError
 * `feature_not_enabled`
 */
export function personalizer(
  { personalization }: Pick<ApiContext, 'personalization'>,
  { personalize, queries, place }: AskedPersonalization,
): OrderHits | null {
  if (!isGiven(personalize)) return null;
  if (personalization === null)
    throw new ApiError(
      'feature_not_enabled',
      `\`${place}\` needs a service that ranks hits; \`--experimental-personalization-api-key\` gives its key.`,
    );
  const { userContext } = personalize;
  const words = queries.flatMap((query) => (query?.trim() ? [query] : []));
  return (answer, { signal }, isPinned) =>
    personalization.apply(answer, { userContext, queries: words, isPinned }, signal);
}

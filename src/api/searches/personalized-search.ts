/** `personalize` in searches: reorders hits for a user (api.md 6.1, 9.3). */
import type { Requester } from '../../core/caller.ts';
import { ApiError } from '../../core/errors.ts';
import type { ApiContext } from '../contract/context.ts';

/** Returns an answer with reordered hits. */
export type OrderHits = (
  answer: Uint8Array,
  caller: Pick<Requester, 'signal'>,
) => Promise<Uint8Array>;

export interface AskedPersonalization {
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
  if (personalize === null || personalize === undefined) return null;
  if (personalization === null)
    throw new ApiError(
      'feature_not_enabled',
      `\`${place}\` needs a service that ranks hits; \`--experimental-personalization-api-key\` gives its key.`,
    );
  const { userContext } = personalize;
  const words = queries.flatMap((query) => (query?.trim() ? [query] : []));
  return (answer, { signal }) =>
    personalization.apply(answer, { userContext, queries: words }, signal);
}

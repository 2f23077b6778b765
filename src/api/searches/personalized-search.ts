/** `personalize` of searches: hits in the order in which they suit a user (api.md 6.1, 9.3). */
import { ApiError } from '../../core/errors.ts';
import type { ApiContext } from '../contract/context.ts';

/** An answer with its hits in the order asked for. */
export type OrderHits = (answer: Uint8Array) => Promise<Uint8Array>;

export interface AskedPersonalization {
  readonly personalize?: { readonly userContext: string } | null | undefined;
  /** What is searched for. */
  readonly queries: readonly (string | null | undefined)[];
  /** Where the request asks for it, for messages. */
  readonly place: string;
}

/**
 * What is to be done with the answer; nothing where nothing is asked for.
 * @throws ApiError `feature_not_enabled`
 */
export function personalizer(
  { personalization }: Pick<ApiContext, 'personalization'>,
  { personalize, queries, place }: AskedPersonalization,
): OrderHits {
  if (personalize === null || personalize === undefined) return (answer) => Promise.resolve(answer);
  if (personalization === null)
    throw new ApiError(
      'feature_not_enabled',
      `\`${place}\` needs a service that ranks hits; \`--experimental-personalization-api-key\` gives its key.`,
    );
  const { userContext } = personalize;
  const words = queries.flatMap((query) => (query?.trim() ? [query] : []));
  return (answer) => personalization.apply(answer, { userContext, queries: words });
}

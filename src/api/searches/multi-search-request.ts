/** Queries of a multi-search as searches of their own, and the errors of their indexes. */
import type { Access } from '../../auth/access.ts';
import { requireReach } from '../../auth/authorize.ts';
import { ApiError, indexNotFound } from '../../core/errors.ts';
import { givenMembers } from '../../core/is-given.ts';
import type { PublishedIndex } from '../../ipc/replica/published-indexes.ts';
import type { MultiSearchQuery } from '../../model/schemas/multi-search-schema.ts';
import type { SearchBody } from '../../model/schemas/search-schema.ts';
import type { ApiContext } from '../contract/context.ts';

/**
 * A missing index that the body names, not the URL: the same code with another status, except with
 * the feature `foreignKeys`.
 */
class NamedIndexNotFound extends ApiError {
  override get status(): number {
    return 400;
  }
}

/** Path of the facets in the body, where `foreignKeys` makes no difference. */
export const FACETS_PATH = 'federation.facetsByIndex';

/** @param path of the index in the body; null = left out of the message */
export function requireNamedIndex(
  context: ApiContext,
  access: Access,
  uid: string,
  path: string | null,
): PublishedIndex {
  requireReach(access, uid);
  const index = context.indexes.get(uid);
  if (index !== undefined) return index;
  const isPlain = context.features.foreignKeys && path !== FACETS_PATH;
  const NotFound = isPlain ? ApiError : NamedIndexNotFound;
  const inside = path === null ? '' : `Inside \`.${path}\`: `;
  throw new NotFound('index_not_found', `${inside}${indexNotFound(uid).message}`);
}

/** The body of the same search as a request of its own. */
export function bodyOfQuery(query: MultiSearchQuery): SearchBody {
  const { indexUid, federationOptions, offset, limit, ...same } = query;
  return { ...same, ...givenMembers<Pick<SearchBody, 'offset' | 'limit'>>({ offset, limit }) };
}

/** Converts queries of a multi-search to search requests, with their own errors. */
import type { Access } from '../../auth/access.ts';
import { requireReach } from '../../auth/authorize.ts';
import { ApiError, indexNotFound } from '../../core/errors.ts';
import type { PublishedIndex } from '../../ipc/replica/published-indexes.ts';
import type { MultiSearchQuery } from '../../model/schemas/multi-search-schema.ts';
import type { SearchBody } from '../../model/schemas/search-schema.ts';
import type { SearchRequest } from '../../model/search.ts';
import type { ApiContext } from '../contract/context.ts';
import { type SearchConditions, toSearchRequest } from './search-request.ts';

/**
 * A missing index that the body names, not the URL: the same code with another status, except with
 * the feature `foreignKeys`.
 */
class NamedIndexNotFound extends ApiError {
  override get status(): number {
    return 400;
  }
}

/** @param path of the query in the body; null = left out of the message */
export function requireNamedIndex(
  context: ApiContext,
  access: Access,
  uid: string,
  path: string | null,
): PublishedIndex {
  const index = reachedIndex(context, access, uid);
  if (index !== undefined) return index;
  throw notFoundAt(context.features.foreignKeys ? ApiError : NamedIndexNotFound, uid, path);
}

/** An index of `federation.facetsByIndex`, where the feature makes no difference. */
export function requireFacetedIndex(
  context: ApiContext,
  access: Access,
  uid: string,
): PublishedIndex {
  const index = reachedIndex(context, access, uid);
  if (index !== undefined) return index;
  throw notFoundAt(NamedIndexNotFound, uid, 'federation.facetsByIndex');
}

function reachedIndex(
  context: ApiContext,
  access: Access,
  uid: string,
): PublishedIndex | undefined {
  requireReach(access, uid);
  return context.indexes.get(uid);
}

function notFoundAt(NotFound: typeof ApiError, uid: string, path: string | null): ApiError {
  const inside = path === null ? '' : `Inside \`.${path}\`: `;
  return new NotFound('index_not_found', `${inside}${indexNotFound(uid).message}`);
}

/** The body of the same search as a request of its own. */
export function bodyOfQuery(query: MultiSearchQuery): SearchBody {
  const { indexUid, federationOptions, offset, limit, ...same } = query;
  return {
    ...same,
    ...(typeof offset === 'number' && { offset }),
    ...(typeof limit === 'number' && { limit }),
  };
}

/** Throws `ApiError`. */
export const queryRequest = (
  query: MultiSearchQuery,
  conditions: SearchConditions,
): SearchRequest => toSearchRequest(bodyOfQuery(query), conditions);

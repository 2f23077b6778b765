/** The requested part of the ranked documents. */
import { limits } from '../../core/limits.ts';
import { isPaged, type SearchRequest } from '../../model/search.ts';

/** First document and number of documents to return. */
export interface Window {
  readonly offset: number;
  readonly limit: number;
}

/** The requested window, limited to `maxTotalHits`. */
export function requestWindow(request: SearchRequest, maxTotalHits: number): Window {
  let { offset, limit } = request;
  if (isPaged(request)) {
    const page = request.page ?? 1;
    limit = page === 0 ? 0 : (request.hitsPerPage ?? limits.pageItemsDefault);
    offset = page === 0 ? 0 : (page - 1) * limit;
  }
  offset = Math.min(offset, maxTotalHits);
  return { offset, limit: Math.min(limit, maxTotalHits - offset) };
}

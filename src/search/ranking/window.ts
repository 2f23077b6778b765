/** The requested part of the ranked documents. */
import { limits } from '../../core/limits.ts';
import { isBlank } from '../../model/query-words.ts';
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

/** True if the page contains documents that the reranker of the request orders. */
export function isReranked({ rerank, q }: SearchRequest, { offset, limit }: Window): boolean {
  return rerank !== null && !isBlank(q) && limit > 0 && offset < rerank.topN;
}

/**
 * The window to rank and write. With a reranker it begins at the first document, so that every page
 * reorders the same ones.
 */
export function writtenWindow(request: SearchRequest, maxTotalHits: number): Window {
  const window = requestWindow(request, maxTotalHits);
  if (request.rerank === null || !isReranked(request, window)) return window;
  const end = Math.max(request.rerank.topN, window.offset + window.limit);
  return { offset: 0, limit: Math.min(end, maxTotalHits) };
}

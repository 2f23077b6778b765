/**
 * What a query thread adds to an answer whose first documents a reranker orders. The front removes
 * it before it sends the answer.
 */

/** The last member of the answer. */
export const RERANK_MEMBER = '_rerank';

export interface RerankInput {
  /** Page to cut out of the reordered hits. */
  readonly offset: number;
  readonly limit: number;
  /** One for each hit; empty = the hits are the page, and keep their order. */
  readonly documents: readonly RerankDocument[];
}

export interface RerankDocument {
  /** null = not scored: behind the first documents, or the template fails on it. */
  readonly text: string | null;
  /** True for a pinned document, which keeps its place. */
  readonly isFixed: boolean;
  readonly isSemantic: boolean;
}

/** Texts of the first documents of an answer, for a reranker. */
import type { Deadline } from '../../core/deadline.ts';
import type { Json } from '../../core/json.ts';
import type { RerankDocument, RerankInput } from '../../model/rerank-input.ts';
import type { SearchRequest } from '../../model/search.ts';
import type { RankedDocument } from '../ranking/bucket-sort.ts';
import { isSemantic, pinOf } from '../ranking/search-outcome.ts';
import { isReranked, requestWindow } from '../ranking/window.ts';
import { locateDocument } from '../snapshot/document-place.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';

/** Text of a document as stored; null = the template fails on it. */
export type TextOf = (document: Json) => string | null;

const UTF8 = new TextDecoder();

/** @param documents of the written window */
export function rerankInput(
  snapshot: IndexSnapshot,
  request: SearchRequest,
  documents: readonly RankedDocument[],
  { textOf, deadline }: { readonly textOf: TextOf | undefined; readonly deadline: Deadline },
): RerankInput {
  const { maxTotalHits } = snapshot.manifest.settings.pagination;
  const window = requestWindow(request, maxTotalHits);
  const { rerank } = request;
  if (rerank === null || textOf === undefined || !isReranked(request, window))
    return { ...window, documents: [] };
  return {
    ...window,
    documents: documents.map((document, number): RerankDocument => {
      deadline.check();
      const isFixed = pinOf(document) !== null;
      const isScored = !isFixed && number < rerank.topN;
      const text = isScored ? textOf(storedDocument(snapshot, document.doc)) : null;
      return { text, isFixed, isSemantic: isSemantic(document) };
    }),
  };
}

export function storedDocument(snapshot: IndexSnapshot, doc: number): Json {
  const place = locateDocument(snapshot, doc);
  if (place === null) throw new Error(`document ${doc} is ranked but stored nowhere`);
  return JSON.parse(UTF8.decode(snapshot.queryCache.document(place.segment, place.docId))) as Json;
}

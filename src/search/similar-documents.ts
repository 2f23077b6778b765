/**
 * Start here: the documents whose vectors are nearest to the vectors of one document (relevance.md
 * 7.5).
 */
import type { Deadline } from '../core/deadline.ts';
import { ApiError } from '../core/errors.ts';
import type { StepTimes } from '../core/step-times.ts';
import type { Neighbour } from '../engine/vectors/vectors.ts';
import type { SimilarRequest } from '../model/search.ts';
import { filterDocuments, parsedFilter } from './filter/filter-evaluator.ts';
import type { RankedDocument } from './ranking/bucket-sort.ts';
import type { SimilarOutcome } from './ranking/search-outcome.ts';
import { compareNeighbours, neighboursOf, shownSimilarity } from './semantic/neighbours.ts';
import { DocSet } from './sets/doc-set.ts';
import { type DocumentPlace, findDocument } from './snapshot/document-place.ts';
import { type ForeignIndexes, NO_FOREIGN_INDEXES } from './snapshot/foreign-indexes.ts';
import type { IndexSnapshot } from './snapshot/index-snapshot.ts';

/**
 * @param times step times, if the request asks for them
 * @throws ApiError for the syntax of the filter, then `not_found_similar_id`, also for a document that
 * the tenant token hides, then for a filter that contradicts the settings
 */
export function similarDocuments(
  snapshot: IndexSnapshot,
  request: SimilarRequest,
  deadline: Deadline,
  times: StepTimes | null = null,
  foreign: ForeignIndexes = NO_FOREIGN_INDEXES,
): SimilarOutcome {
  const options = { code: 'invalid_similar_filter', deadline } as const;
  const filter = parsedFilter(request.filter, options);
  const target = findDocument(snapshot, request.id);
  const visible = filterDocuments(snapshot, parsedFilter(request.binding, options), foreign);
  if (target === null || visible?.has(target.docId) === false)
    throw unknownDocument(request.id, snapshot);
  const filtered = filterDocuments(snapshot, filter, foreign);
  times?.end('search > filter');
  const own = DocSet.fromList(Uint32Array.of(target.docId), snapshot.bitsetLength);
  const universe = (filtered ?? snapshot.live).without(own);
  const { offset, limit, rankingScoreThreshold } = request;
  const found = nearestToAny(snapshot, request, target, universe, deadline);
  times?.end('search > rank by meaning');
  const end = found.findIndex(({ similarity }) => similarity < (rankingScoreThreshold ?? 0));
  const kept = end < 0 ? found : found.slice(0, end);
  const { maxTotalHits } = snapshot.manifest.settings.pagination;
  // Documents before the offset are counted without a look at their similarity.
  const isCut = end >= 0 && offset < found.length;
  return {
    documents: kept.slice(offset, offset + limit).map(ranked),
    totalCount: Math.min(isCut ? Math.max(end, offset) : universe.count, maxTotalHits),
  };
}

const unknownDocument = (id: string, { manifest }: IndexSnapshot): ApiError =>
  new ApiError('not_found_similar_id', `There is no document \`${id}\` in \`${manifest.uid}\`.`);

/** Each document with its best similarity to the vectors of the target, as a score. */
function nearestToAny(
  snapshot: IndexSnapshot,
  { embedder, offset, limit }: SimilarRequest,
  { segment, docId }: DocumentPlace,
  universe: DocSet,
  deadline: Deadline,
): readonly Neighbour[] {
  const count = offset + limit;
  const reader = snapshot.vectors[snapshot.segments.indexOf(segment)]!.get(embedder);
  const best = new Map<number, Neighbour>();
  for (const vector of reader?.vectorsOf(docId) ?? []) {
    deadline.check();
    for (const found of neighboursOf(snapshot, embedder, vector)(universe, count)) {
      const known = best.get(found.docId);
      if (known === undefined || found.similarity > known.similarity) best.set(found.docId, found);
    }
  }
  const shown = shownSimilarity(snapshot, embedder);
  return [...best.values()]
    .sort(compareNeighbours)
    .slice(0, count)
    .map((found) => ({ ...found, similarity: shown(found.similarity) }));
}

const ranked = ({ docId, similarity }: Neighbour): RankedDocument => ({
  doc: docId,
  levels: [{ order: 0, isCombinedAttribute: false, detail: { rule: 'vectorSort', similarity } }],
});

/** The documents of a universe by how near their vectors are to that of the request (relevance.md 7.2). */
import type { PreparedSearch } from './prepared-search.ts';
import { rankDocuments, type WantedDocuments } from './ranked-window.ts';
import { vectorLevels } from './ranking/ranking-levels.ts';
import { vectorSort } from './ranking/rules/vector-sort.ts';
import type { SearchOutcome } from './ranking/search-outcome.ts';
import { wordlessContext } from './ranking/wordless-context.ts';
import { neighboursOf, shownSimilarity } from './semantic/neighbours.ts';
import type { DocSet } from './sets/doc-set.ts';

/** Where to look: an embedder and a vector of its dimensions. */
export interface SemanticTarget {
  readonly embedder: string;
  readonly vector: Float32Array;
}

export function semanticSearch(
  prepared: PreparedSearch,
  { embedder, vector }: SemanticTarget,
  universe: DocSet,
  wanted: WantedDocuments,
): SearchOutcome {
  const { snapshot, request } = prepared;
  const { settings } = snapshot.manifest;
  const windowEnd = wanted.window.offset + wanted.window.limit;
  const shown = shownSimilarity(snapshot, embedder);
  const rule = vectorSort(neighboursOf(snapshot, embedder, vector), shown, windowEnd);
  const levels = vectorLevels({ settings, sort: request.sort }, rule);
  const context = wordlessContext(snapshot);
  const step = 'search > rank by meaning';
  const ranked = rankDocuments(prepared, { context, universe, levels, step }, wanted);
  prepared.times?.end(step, request.showProfile ? ranked.candidates.count : undefined);
  const hasVectorRule = levels.some((level) => level.rule === rule);
  const semanticHitCount = hasVectorRule ? ranked.documents.length : 0;
  return { ...ranked, query: null, queryVector: vector, semanticHitCount };
}

/**
 * Start here: several requests to one index, or with groups or a distinct field to several → one
 * merged, weighted list without duplicates, and its hits as JSON (relevance.md 7.6, 5.9).
 */
import type { Deadline } from '../core/deadline.ts';
import { ApiError, toWire, type WireError } from '../core/errors.ts';
import { ByteBuffer } from '../engine/bytes/byte-buffer.ts';
import type { FacetTable } from '../model/federated-facets.ts';
import { type FederatedPart, isTables, type RankedQuery } from '../model/federation.ts';
import { searchForGroups } from './execute-search.ts';
import { groupedHits, groupFacts } from './federated-groups.ts';
import {
  docOf,
  type FederatedIndex,
  type GroupedQuery,
  hitsMaxOf,
  indexOf,
  type PlacedHit,
  type RanIndex,
  type ShownHits,
  writeWindow,
} from './federated-window.ts';
import { MergedQueries, mergedHits } from './merged-queries.ts';
import { prepareSearch } from './prepared-search.ts';
import { ruleKinds } from './ranking/federated-scores.ts';
import { DocSet } from './sets/doc-set.ts';
import type { IndexSnapshot } from './snapshot/index-snapshot.ts';
import { DistinctFilter } from './values/distinct.ts';
import { countFacets } from './values/facet-distribution.ts';
import { countGroupsOnce } from './values/groups-of-indexes.ts';
import type { FacetGroups } from './values/segment-counts.ts';

export interface FederatedOutcome {
  /** By index; the hits of all indexes are in the first one. */
  readonly parts: readonly FederatedPart[];
  readonly bytes: Uint8Array;
}

/**
 * @param indexes one; or several if the search has groups or a distinct field
 * @param bytesMax maximum size of the hits; larger hits throw `BufferFull`
 */
export function executeFederatedSearch(
  indexes: readonly FederatedIndex[],
  bytesMax = Number.POSITIVE_INFINITY,
): FederatedOutcome {
  const ran = indexes.map(runIndex);
  const shown = shownHits(ran);
  const { candidates, groups } = shown;
  const out = new ByteBuffer();
  out.begin(bytesMax);
  const { hits, precedingGroups } = writeWindow(ran, shown, out);
  const facets = facetsByIndex(ran, shown);
  const parts = ran.map(({ queries, candidates: found }, i) => ({
    queries,
    hits: i === 0 ? hits : [],
    candidateCount: candidates[i]!.count,
    groupedCount: groups === null ? null : found.count,
    facets: facets[i]!,
    groupFacts: groupFacts(ran[i]!, shown.combinations[i] ?? null, {
      groups: shown.facetGroups[i] ?? null,
      facets: facets[i]!,
    }),
    precedingGroups: i === 0 ? precedingGroups : [],
  }));
  return { parts, bytes: out.copy() };
}

/** Runs the queries of an index in order, up to the first that fails. */
function runIndex(asked: FederatedIndex, index: number): RanIndex {
  const { snapshot, search, deadline, foreign } = asked;
  const { settings } = snapshot.manifest;
  const rules = search.queries.map(({ request }) => ruleKinds(request, settings));
  const merged = new MergedQueries(asked, rules);
  const queries: RankedQuery[] = [];
  const grouped: GroupedQuery[] = [];
  for (const [at, each] of search.queries.entries()) {
    deadline.check();
    const { request, position } = each;
    const isSemantic = request.semantic !== null;
    const about = { position, rules: rules[at]!, isSemantic, queryVector: null };
    try {
      const scored = { ...request, showRankingScore: true };
      const prepared = prepareSearch(snapshot, scored, { deadline, times: null, foreign });
      const { outcome, rankWithin } = searchForGroups(prepared);
      const query = { ...each, index, graph: outcome.query };
      merged.add(query, outcome);
      const { candidates } = outcome;
      // The function holds the sets of the query.
      if (search.grouping !== null) grouped.push({ query, candidates, rankWithin });
      const queryVector = request.retrieveVectors ? outcome.queryVector : null;
      queries.push({ ...about, queryVector, error: null });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      queries.push({ ...about, error: toWire(error) });
      break;
    }
  }
  return {
    snapshot,
    search,
    deadline,
    foreign,
    textOf: asked.textOf,
    queries,
    grouped,
    hits: merged.hits,
    candidates: merged.candidates,
  };
}

type Facets = FederatedPart['facets'];

function facetsByIndex(ran: readonly RanIndex[], { candidates, facetGroups }: ShownHits): Facets[] {
  const tables = ran.map(({ snapshot, search, deadline, candidates: found }, i): Facets => {
    if (search.facets === null) return null;
    const groups = facetGroups[i] ?? null;
    const counted = groups === null ? candidates[i]! : found;
    return facetTables(snapshot, search.facets, counted, groups, deadline);
  });
  const { mergesFacets, grouping } = ran[0]!.search;
  if (ran.length === 1 || !mergesFacets || grouping === null) return tables;
  const grouped = ran.map(({ snapshot, candidates: found }, i) => {
    const own = tables[i] ?? null;
    const groups = facetGroups[i] ?? null;
    return { snapshot, candidates: found, groups, tables: isTables(own) ? own : [] };
  });
  const counted = countGroupsOnce(grouped, ran[0]!.deadline);
  return tables.map((own, i) => (isTables(own) ? counted[i]! : own));
}

/** The facet tables, or the error. */
function facetTables(
  snapshot: IndexSnapshot,
  facets: readonly string[],
  candidates: DocSet,
  groups: FacetGroups | null,
  deadline: Deadline,
): readonly FacetTable[] | WireError {
  try {
    return countFacets(snapshot, facets, candidates, deadline, null, groups);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { code: 'invalid_search_facets', message: error.message };
  }
}

/** Of each index as many hits as it shows at most. */
function shownHits(ran: readonly RanIndex[]): ShownHits {
  const { search, deadline } = ran[0]!;
  const { distinct, grouping } = search;
  if (grouping === null && distinct !== null) return distinctHits(ran, distinct);
  const lists = ran.map(({ hits }) => hits);
  const all = mergedHits(lists, deadline);
  if (grouping !== null) return groupedHits(ran, grouping, all);
  return {
    hits: all.slice(0, hitsMaxOf(ran[0]!)),
    candidates: ran.map(({ candidates }) => candidates),
    ...NOT_GROUPED,
  };
}

const NOT_GROUPED = { groups: null, precedingGroups: [], facetGroups: [], combinations: [] };

/**
 * One document for each value of the federation's distinct field, from any query: first within each
 * index, which then gives as many hits as it shows at most, then over all. A hit that a hit of another
 * query of its index excludes is no candidate if it comes before the end of the window; a hit that a
 * hit of another index excludes never is.
 */
function distinctHits(ran: readonly RanIndex[], distinct: string): ShownHits {
  const { search, deadline } = ran[0]!;
  const { offset, limit } = search.window;
  const own = ran.map((each) => {
    const [filter] = DistinctFilter.ofIndexes([each.snapshot], distinct);
    const hitsMax = hitsMaxOf(each);
    const { hits, excluded } = withoutExcluded(
      each.hits,
      () => filter!,
      Math.min(offset + limit, hitsMax),
    );
    return { hits: hits.slice(0, hitsMax), excluded };
  });
  const lists = own.map((each) => each.hits);
  const snapshots = ran.map(({ snapshot }) => snapshot);
  const filters = DistinctFilter.ofIndexes(snapshots, distinct);
  const { hits, excluded } =
    ran.length === 1
      ? { hits: own[0]!.hits, excluded: [] }
      : withoutExcluded(mergedHits(lists, deadline), (hit) => filters[indexOf(hit)]!);
  const candidates = ran.map(({ candidates: found, snapshot: { bitsetLength } }, i) => {
    const docs = [...own[i]!.excluded, ...excluded.filter((hit) => indexOf(hit) === i)].map(docOf);
    return found.without(DocSet.fromList(Uint32Array.from(docs).sort(), bitsetLength));
  });
  return { hits, candidates, ...NOT_GROUPED };
}

interface DistinctOutcome {
  readonly hits: readonly PlacedHit[];
  readonly excluded: readonly PlacedHit[];
}

/**
 * The hits without those whose values earlier hits have.
 * @param reach number of hits after which an excluded hit is not listed
 */
function withoutExcluded(
  ranked: readonly PlacedHit[],
  filterOf: (hit: PlacedHit) => DistinctFilter,
  reach = Number.POSITIVE_INFINITY,
): DistinctOutcome {
  const hits: PlacedHit[] = [];
  const excluded: PlacedHit[] = [];
  for (const hit of ranked) {
    const filter = filterOf(hit);
    const doc = docOf(hit);
    if (!filter.isExcluded(doc)) {
      filter.keep(doc);
      hits.push(hit);
    } else if (hits.length < reach) excluded.push(hit);
  }
  return { hits, excluded };
}

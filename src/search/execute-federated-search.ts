/**
 * Start here: several requests to one index, or with groups to several → one merged, weighted list
 * without duplicates, and its hits as JSON (relevance.md 7.6, 5.9).
 */
import type { Deadline } from '../core/deadline.ts';
import { ApiError, toWire, type WireError } from '../core/errors.ts';
import { ByteBuffer } from '../engine/json/byte-buffer.ts';
import type { FacetTable } from '../model/federated-facets.ts';
import {
  type FederatedPart,
  type FederatedSearch,
  isTables,
  mergeHits,
  mergeWithPins,
  type PinnedPlace,
  type RankedQuery,
  type WeightedScore,
} from '../model/federation.ts';
import { searchForGroups } from './execute-search.ts';
import {
  docOf,
  type FederatedIndex,
  indexOf,
  type PlacedHit,
  type RanIndex,
  type RanQuery,
  type ShownHits,
  writeWindow,
  writtenPlaces,
} from './federated-window.ts';
import { pinOf } from './pinned-search.ts';
import { prepareSearch } from './prepared-search.ts';
import type { RankedDocument } from './ranking/bucket-sort.ts';
import { ruleKinds, weightedScore } from './ranking/federated-scores.ts';
import type { ScoredLevel } from './ranking/ranking-score.ts';
import { DocSet } from './sets/doc-set.ts';
import { FieldValues } from './snapshot/field-values.ts';
import type { IndexSnapshot } from './snapshot/index-snapshot.ts';
import { DistinctFilter, valueKeys } from './values/distinct.ts';
import { countFacets, facetOrder } from './values/facet-distribution.ts';
import { groupDocuments } from './values/grouped-documents.ts';
import { countGroupsOnce } from './values/groups-of-indexes.ts';
import type { FacetGroups } from './values/segment-counts.ts';

const HITS_BETWEEN_LOOKS = 256;

export interface FederatedOutcome {
  /** By index; the hits of all indexes are in the first one. */
  readonly parts: readonly FederatedPart[];
  readonly bytes: Uint8Array;
}

/**
 * @param indexes one; or several if the search has groups
 * @param bytesMax maximum size of the hits; larger hits throw `BufferFull`
 */
export function executeFederatedSearch(
  indexes: readonly FederatedIndex[],
  bytesMax = Number.POSITIVE_INFINITY,
): FederatedOutcome {
  const ran = indexes.map(runIndex);
  const shown = shownHits(ran);
  const { candidates, groups } = shown;
  const out = new ByteBuffer(bytesMax);
  const hits = writeWindow(ran, shown, out);
  const facets = facetsByIndex(ran, shown);
  const parts = ran.map(({ queries, candidates: found }, i) => ({
    queries,
    hits: i === 0 ? hits : [],
    candidateCount: candidates[i]!.count,
    groupedCount: groups === null ? null : found.count,
    facets: facets[i]!,
  }));
  return { parts, bytes: out.copy() };
}

function runIndex(asked: FederatedIndex, index: number): RanIndex {
  const { snapshot, search, deadline, foreign, textOf } = asked;
  const { queries, ran } = runQueries(asked, index);
  const { pinned, ranked } = mergeWithPins(
    ran.map((query) => {
      deadline.check();
      return placeHits(snapshot, query, query.outcome.documents, search.distinct);
    }),
    deadline.checkOnceIn(HITS_BETWEEN_LOOKS),
  );
  return {
    snapshot,
    search,
    deadline,
    foreign,
    textOf,
    queries,
    ran,
    hits: withoutRepeats([...pinned, ...ranked]),
    candidates: unionOf(snapshot, ran),
  };
}

/** The hits of all indexes: pinned hits, then best first. */
function hitsOf(ran: readonly RanIndex[]): readonly PlacedHit[] {
  const [only] = ran;
  if (only !== undefined && ran.length === 1) return only.hits;
  const look = ran[0]!.deadline.checkOnceIn(HITS_BETWEEN_LOOKS);
  const { pinned, ranked } = mergeWithPins(
    ran.map(({ hits }) => hits),
    look,
  );
  return [...pinned, ...ranked];
}

type Facets = FederatedPart['facets'];

function facetsByIndex(ran: readonly RanIndex[], { candidates, facetGroups }: ShownHits): Facets[] {
  const tables = ran.map(({ snapshot, search, deadline, candidates: found }, i): Facets => {
    if (search.facets === null) return null;
    const groups = facetGroups[i] ?? null;
    const counted = groups === null ? candidates[i]! : found;
    return facetTables(snapshot, search.facets, counted, groups, deadline);
  });
  if (ran.length === 1 || !ran[0]!.search.mergesFacets) return tables;
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
  const { settings } = snapshot.manifest;
  try {
    const counts = countFacets(snapshot, facets, candidates, deadline, null, groups);
    return counts.map((counted) => {
      const order = facetOrder(settings, counted.path);
      return { ...counted, order, isOrderTold: true };
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { code: 'invalid_search_facets', message: error.message };
  }
}

/** Runs the queries in order, up to the first that fails. */
function runQueries(
  { snapshot, search, deadline, foreign }: FederatedIndex,
  index: number,
): { readonly queries: readonly RankedQuery[]; readonly ran: readonly RanQuery[] } {
  const queries: RankedQuery[] = [];
  const ran: RanQuery[] = [];
  const { settings } = snapshot.manifest;
  for (const query of search.queries) {
    deadline.check();
    const { request, position } = query;
    const about = {
      position,
      rules: ruleKinds(request, settings),
      isSemantic: request.semantic !== null,
      queryVector: null,
    };
    try {
      const scored = { ...request, showRankingScore: true };
      const prepared = prepareSearch(snapshot, scored, { deadline, times: null, foreign });
      const { outcome, rankWithin } = searchForGroups(prepared);
      ran.push({ ...query, index, outcome, rankWithin });
      const queryVector = request.retrieveVectors ? outcome.queryVector : null;
      queries.push({ ...about, queryVector, error: null });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      queries.push({ ...about, error: toWire(error) });
      break;
    }
  }
  return { queries, ran };
}

function unionOf(snapshot: IndexSnapshot, ran: readonly RanQuery[]): DocSet {
  const [only] = ran;
  if (only !== undefined && ran.length === 1) return only.outcome.candidates;
  return DocSet.unionOf(
    ran.map(({ outcome }) => outcome.candidates),
    snapshot.bitsetLength,
  );
}

function placeHits(
  snapshot: IndexSnapshot,
  query: RanQuery,
  documents: readonly RankedDocument[],
  distinct: string | null,
): PlacedHit[] {
  const scores = new Map<readonly ScoredLevel[], WeightedScore>();
  const values = distinct === null ? null : new FieldValues(snapshot, distinct);
  return documents.map((document) => {
    let score = scores.get(document.levels);
    if (score === undefined) {
      score = weightedScore(document.levels, query.weight);
      scores.set(document.levels, score);
    }
    const distinctValues = values === null ? [] : valueKeys(values, document.doc);
    const isSemantic = document.levels.some(({ detail }) => detail.rule === 'vectorSort');
    const { position } = query;
    const pin = placeOf(document);
    const hit = { position, score, pin, isSemantic, distinctValues, start: 0, end: 0 };
    return { ...hit, query, document };
  });
}

function placeOf(document: RankedDocument): PinnedPlace | null {
  const pin = pinOf(document);
  return pin === null ? null : { position: pin.position, precedence: pin.precedence };
}

/** The first hit of each document is its best one, or a pinned one. */
function withoutRepeats(hits: readonly PlacedHit[]): PlacedHit[] {
  const seen = new Set<number>();
  return hits.filter(({ document: { doc } }) => {
    if (seen.has(doc)) return false;
    seen.add(doc);
    return true;
  });
}

/** Without a distinct field, as many hits as the indexes show at most. */
function shownHits(ran: readonly RanIndex[]): ShownHits {
  const { distinct, grouping } = ran[0]!.search;
  const hits = hitsOf(ran);
  if (grouping !== null) return groupedHits(ran, grouping, hits);
  if (distinct !== null) return distinctHits(ran, distinct, hits);
  return {
    hits: hits.slice(0, hitsMaxOf(ran[0]!)),
    candidates: ran.map(({ candidates }) => candidates),
    groups: null,
    facetGroups: [],
  };
}

const hitsMaxOf = ({ snapshot }: RanIndex): number =>
  snapshot.manifest.settings.pagination.maxTotalHits;

/** One hit for each group of the documents of all indexes. */
function groupedHits(
  ran: readonly RanIndex[],
  { groupBy, groupSize }: NonNullable<FederatedSearch['grouping']>,
  ranked: readonly PlacedHit[],
): ShownHits {
  const { search, deadline } = ran[0]!;
  const { end, has } = writtenPlaces(ranked, search.window);
  const indexes = ran.map((index) => ({
    snapshot: index.snapshot,
    candidates: index.candidates,
    hitsMax: hitsMaxOf(index),
  }));
  const { hits, groups, representatives, facetGroups } = groupDocuments(
    indexes,
    {
      groupBy,
      groupSize,
      ranked,
      indexOf,
      docOf,
      end,
      isShown: has,
      rank: (docs, count, isDistinct) => rankWithin(ran, docs, count, isDistinct),
      hasFacets: ran.some(({ search: { facets } }) => facets !== null),
    },
    deadline,
  );
  return { hits, candidates: representatives, groups, facetGroups };
}

/**
 * One document for each value of the federation's distinct field, from any query. A hit that a hit
 * of another query excludes is no candidate if it comes before the end of the window.
 */
function distinctHits(
  ran: readonly RanIndex[],
  distinct: string,
  ranked: readonly PlacedHit[],
): ShownHits {
  const { offset, limit } = ran[0]!.search.window;
  const filters = DistinctFilter.ofIndexes(
    ran.map(({ snapshot }) => snapshot),
    distinct,
  );
  const hits: PlacedHit[] = [];
  const rejected: number[][] = ran.map(() => []);
  for (const hit of ranked) {
    const filter = filters[indexOf(hit)]!;
    const doc = docOf(hit);
    if (!filter.isExcluded(doc)) {
      filter.keep(doc);
      hits.push(hit);
    } else if (hits.length < offset + limit) rejected[indexOf(hit)]!.push(doc);
  }
  const candidates = ran.map(({ candidates: found, snapshot: { bitsetLength } }, i) =>
    found.without(DocSet.fromList(Uint32Array.from(rejected[i]!).sort(), bitsetLength)),
  );
  return { hits, candidates, groups: null, facetGroups: [] };
}

/** The best documents of some sets by index, from all queries. @param isDistinct as of one query */
function rankWithin(
  ran: readonly RanIndex[],
  docs: readonly DocSet[],
  count: number,
  isDistinct: boolean,
): readonly PlacedHit[] {
  const lists = ran.map(({ snapshot, ran: queries }, i) => {
    const own = queries.map((query) => {
      const found = query.outcome.candidates.retain(docs[i]!);
      if (found.isEmpty) return [];
      return placeHits(snapshot, query, query.rankWithin(found, count, isDistinct), null);
    });
    return withoutRepeats([...mergeHits(own)]);
  });
  return [...mergeHits(lists)];
}

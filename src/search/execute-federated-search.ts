/**
 * Start here: several requests to one index, or with groups to several → one merged, weighted list
 * without duplicates, and its hits as JSON (relevance.md 7.6, 5.9).
 */
import type { Deadline } from '../core/deadline.ts';
import { ApiError, toWire, type WireError } from '../core/errors.ts';
import { ByteBuffer } from '../engine/json/byte-buffer.ts';
import type { FacetTable } from '../model/federated-facets.ts';
import {
  type FederatedHit,
  type FederatedPart,
  type FederatedQuery,
  type FederatedSearch,
  isTables,
  mergeHits,
  mergeWithPins,
  type PeerFacts,
  type PinnedPlace,
  type RankedQuery,
  type WeightedScore,
} from '../model/federation.ts';
import type { SearchRequest } from '../model/search.ts';
import type { Settings } from '../model/settings.ts';
import { appendGroup, HitWriter } from './answer/format-hits.ts';
import { storedDocument, type TextOf } from './answer/rerank-input.ts';
import { type GroupableSearch, searchForGroups } from './execute-search.ts';
import { pinOf } from './pinned-search.ts';
import { prepareSearch } from './prepared-search.ts';
import type { RankedDocument } from './ranking/bucket-sort.ts';
import { ruleKinds, weightedScore } from './ranking/federated-scores.ts';
import type { ScoredLevel } from './ranking/ranking-score.ts';
import type { SearchOutcome } from './ranking/search-outcome.ts';
import { DocSet } from './sets/doc-set.ts';
import { FieldValues } from './snapshot/field-values.ts';
import type { ForeignIndexes } from './snapshot/foreign-indexes.ts';
import type { IndexSnapshot } from './snapshot/index-snapshot.ts';
import { DistinctFilter, valueKeys } from './values/distinct.ts';
import { countFacets, facetOrder } from './values/facet-distribution.ts';
import { type GroupedDocuments, groupDocuments } from './values/grouped-documents.ts';
import { countGroupsOnce } from './values/groups-of-indexes.ts';
import type { FacetGroups } from './values/segment-counts.ts';

const HITS_BETWEEN_LOOKS = 256;

/** An index of a federated search. The searches differ only by their queries and facets. */
export interface FederatedIndex {
  readonly snapshot: IndexSnapshot;
  readonly search: FederatedSearch;
  /** Of all its queries together. */
  readonly deadline: Deadline;
  readonly foreign: ForeignIndexes;
  /** Text of a document for the reranker of the queries; null = none. */
  readonly textOf: TextOf | null;
}

export interface FederatedOutcome {
  /** By index; the hits of all indexes are in the first one. */
  readonly parts: readonly FederatedPart[];
  readonly bytes: Uint8Array;
}

interface RanQuery extends FederatedQuery {
  /** Place of its index. */
  readonly index: number;
  readonly outcome: SearchOutcome;
  /** The best of some of the candidates, for groups. */
  readonly rankWithin: GroupableSearch['rankWithin'];
}

/** An index whose queries have run. */
interface RanIndex extends FederatedIndex {
  readonly queries: readonly RankedQuery[];
  readonly ran: readonly RanQuery[];
  /** Of all its queries: pinned hits, then best first. */
  readonly hits: readonly PlacedHit[];
  readonly candidates: DocSet;
}

interface PlacedHit extends FederatedHit {
  readonly query: RanQuery;
  readonly document: RankedDocument;
}

const docOf = ({ document: { doc } }: PlacedHit): number => doc;
const indexOf = ({ query: { index } }: PlacedHit): number => index;

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

interface ShownHits {
  /** Pinned hits, then best first. */
  readonly hits: readonly PlacedHit[];
  /** By index. */
  readonly candidates: readonly DocSet[];
  /** null = not grouped. */
  readonly groups: GroupedDocuments<PlacedHit>['groups'] | null;
  /** By index; null = not grouped, or without facets. */
  readonly facetGroups: readonly (FacetGroups | null)[];
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

/**
 * Hits after the end of the window are never shown, and hits before its start only if pinned hits
 * can move them into it.
 */
function writtenPlaces(
  merged: readonly PlacedHit[],
  { offset, limit }: FederatedSearch['window'],
): { readonly end: number; readonly has: (place: number) => boolean } {
  const pinnedCount = merged.filter(({ pin }) => pin !== null).length;
  const end = pinnedCount + offset + limit;
  return { end, has: (place) => place < end && (place < pinnedCount || place >= offset) };
}

/**
 * Writes the hits that may be shown. With a distinct field, hits of other indexes can exclude hits
 * of this one, so all hits may be shown.
 */
function writeWindow(
  ran: readonly RanIndex[],
  { hits, groups }: ShownHits,
  out: ByteBuffer,
): FederatedHit[] {
  const { window, distinct } = ran[0]!.search;
  const writers = new Map<RanQuery, HitWriter>();
  const write = ({ query, document, ...hit }: PlacedHit): void => {
    const { snapshot, search, foreign, deadline } = ran[query.index]!;
    let writer = writers.get(query);
    if (writer === undefined) {
      writer = new HitWriter(snapshot, query.request, query.outcome.query, foreign, deadline);
      writers.set(query, writer);
    }
    deadline.check();
    writer.write(document, out, federationMember(snapshot, search, hit, document));
  };
  const shown = distinct === null ? window : { offset: 0, limit: hits.length };
  const written = writtenPlaces(hits, shown);
  return hits.slice(0, written.end).map((placed, place) => {
    const { query, document, ...hit } = placed;
    if (!written.has(place)) return hit;
    const { snapshot, textOf } = ran[query.index]!;
    const start = out.length;
    write(placed);
    const group = groups?.get(placed);
    if (group !== undefined) appendGroup(group, out, write);
    const end = out.length;
    const isScored = textOf !== null && isRerankable(query.request, place);
    const text = isScored ? textOf(storedDocument(snapshot, document.doc)) : null;
    return { ...hit, start, end, ...(text !== null && { rerankText: text }) };
  });
}

const isRerankable = ({ rerank, q }: SearchRequest, place: number): boolean =>
  rerank !== null && place < rerank.topN && (q ?? '').trim() !== '';

function federationMember(
  { manifest: { uid: indexUid, settings } }: IndexSnapshot,
  { remote, isForPeer, distinct }: FederatedSearch,
  hit: FederatedHit,
  { levels }: RankedDocument,
): string {
  const { position: queriesPosition, score } = hit;
  const facts = {
    indexUid,
    queriesPosition,
    weightedRankingScore: score.total,
    ...(remote !== null && { remote }),
    ...(isForPeer && peerFacts(hit, levels, distinct, settings)),
  };
  return `"_federation":${JSON.stringify(facts)}`;
}

/** Omits values that the hits do not show; the other instance then compares by the total score. */
function peerFacts(
  { score, pin, distinctValues, isSemantic }: FederatedHit,
  levels: readonly ScoredLevel[],
  distinct: string | null,
  { displayedAttributes: displayed }: Settings,
): PeerFacts {
  const isHidden = levels.some(({ detail }) => detail.rule === 'fieldSort' && detail.isHidden);
  const isDistinctShown =
    distinct !== null && displayed.some((name) => name === '*' || name === distinct);
  return {
    isSemantic,
    ...(pin !== null && { pin }),
    ...(!isHidden && { weightedScoreValues: score.elements }),
    ...(isDistinctShown && { distinctValues }),
  };
}

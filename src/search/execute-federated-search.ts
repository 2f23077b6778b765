/**
 * Start here: several requests to one index → one merged, weighted list without duplicates, and its
 * hits as JSON (relevance.md 7.6).
 */
import type { Deadline } from '../core/deadline.ts';
import { ApiError, toWire, type WireError } from '../core/errors.ts';
import { ByteBuffer } from '../engine/json/byte-buffer.ts';
import { hasBit } from '../engine/sets/bitset.ts';
import type { FacetTable } from '../model/federated-facets.ts';
import {
  type FederatedHit,
  type FederatedPart,
  type FederatedQuery,
  type FederatedSearch,
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
import { type ForeignIndexes, NO_FOREIGN_INDEXES } from './snapshot/foreign-indexes.ts';
import type { IndexSnapshot } from './snapshot/index-snapshot.ts';
import { DistinctFilter } from './values/distinct.ts';
import { countFacets, facetOrder } from './values/facet-distribution.ts';
import { type GroupedDocuments, groupDocuments } from './values/grouped-documents.ts';
import type { FacetGroups } from './values/segment-counts.ts';

const HITS_BETWEEN_LOOKS = 256;

export interface FederatedOutcome {
  readonly part: FederatedPart;
  readonly bytes: Uint8Array;
}

interface RanQuery extends FederatedQuery {
  readonly outcome: SearchOutcome;
  /** The best of some of the candidates, for groups. */
  readonly rankWithin: GroupableSearch['rankWithin'];
}

interface WritingMeans {
  readonly out: ByteBuffer;
  readonly deadline: Deadline;
  readonly foreign: ForeignIndexes;
  readonly textOf: TextOf | null;
}

interface PlacedHit extends FederatedHit {
  readonly query: RanQuery;
  readonly document: RankedDocument;
}

const docOf = ({ document: { doc } }: PlacedHit): number => doc;

/**
 * @param deadline of all queries together
 * @param bytesMax maximum size of the hits; larger hits throw `BufferFull`
 * @param textOf text of a document for the reranker of the queries
 */
export function executeFederatedSearch(
  snapshot: IndexSnapshot,
  search: FederatedSearch,
  deadline: Deadline,
  foreign = NO_FOREIGN_INDEXES,
  bytesMax = Number.POSITIVE_INFINITY,
  textOf: TextOf | null = null,
): FederatedOutcome {
  const { queries, ran } = runQueries(snapshot, search.queries, deadline, foreign);
  const { pinned, ranked } = mergeWithPins(
    ran.map((query) => {
      deadline.check();
      return placeHits(snapshot, query, query.outcome.documents, search.distinct);
    }),
    deadline.checkOnceIn(HITS_BETWEEN_LOOKS),
  );
  const found = {
    hits: withoutRepeats([...pinned, ...ranked]),
    candidates: unionOf(snapshot, ran),
  };
  const shown = shownHits(snapshot, search, found, ran, deadline);
  const { candidates, groups, facetGroups } = shown;
  const out = new ByteBuffer(bytesMax);
  deadline.check();
  const hits = writeWindow(snapshot, shown, search, { out, deadline, foreign, textOf });
  const counted = facetGroups === null ? candidates : found.candidates;
  const facets =
    search.facets === null
      ? null
      : facetTables(snapshot, search.facets, counted, facetGroups, deadline);
  const groupedCount = groups === null ? null : found.candidates.count;
  const part = { queries, hits, candidateCount: candidates.count, groupedCount, facets };
  return { part, bytes: out.copy() };
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
  snapshot: IndexSnapshot,
  asked: readonly FederatedQuery[],
  deadline: Deadline,
  foreign: ForeignIndexes,
): { readonly queries: readonly RankedQuery[]; readonly ran: readonly RanQuery[] } {
  const queries: RankedQuery[] = [];
  const ran: RanQuery[] = [];
  const { settings } = snapshot.manifest;
  for (const query of asked) {
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
      ran.push({ ...query, outcome, rankWithin });
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
    const distinctValues = values === null ? [] : valuesOf(values, document.doc);
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

function valuesOf({ parts }: FieldValues, doc: number): string[] {
  const found: string[] = [];
  for (const { column, dead } of parts) {
    if (dead !== null && hasBit(dead, doc)) continue;
    column.numbers.forEachOf(doc, (ordinal) =>
      found.push(`number ${column.numbers.valueAt(ordinal)}`),
    );
    column.strings.forEachOf(doc, (ordinal) =>
      found.push(`string ${column.strings.textAt(ordinal)}`),
    );
  }
  return found;
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

interface MergedQueries {
  /** Pinned hits, then best first. */
  readonly hits: readonly PlacedHit[];
  readonly candidates: DocSet;
}

interface ShownHits extends MergedQueries {
  /** null = not grouped. */
  readonly groups: GroupedDocuments<PlacedHit, PlacedHit>['groups'] | null;
  /** null = not grouped, or without facets. */
  readonly facetGroups: FacetGroups | null;
}

/**
 * Without a distinct field, as many hits as the index shows at most. With one, one document for each
 * value of the federation's distinct field, from any query. A hit that a hit
 * of another query excludes is no candidate if it comes before the end of the window.
 */
function shownHits(
  snapshot: IndexSnapshot,
  search: FederatedSearch,
  merged: MergedQueries,
  ran: readonly RanQuery[],
  deadline: Deadline,
): ShownHits {
  const { distinct, grouping, window } = search;
  const { offset, limit } = window;
  const { maxTotalHits } = snapshot.manifest.settings.pagination;
  if (grouping !== null) {
    const { hits, groups, representatives, facetGroups } = groupDocuments(
      snapshot,
      grouping,
      {
        ranked: merged.hits,
        candidates: merged.candidates,
        docOf,
        isShown: writtenPlaces(merged.hits, window).has,
        rank: (docs, count) => rankMembers(snapshot, ran, docs, count),
        hasFacets: search.facets !== null,
      },
      deadline,
    );
    return { hits: hits.slice(0, maxTotalHits), candidates: representatives, groups, facetGroups };
  }
  if (distinct === null)
    return { ...merged, hits: merged.hits.slice(0, maxTotalHits), groups: null, facetGroups: null };
  const filter = new DistinctFilter(snapshot, distinct);
  const hits: PlacedHit[] = [];
  const rejected: number[] = [];
  for (const hit of merged.hits) {
    const { doc } = hit.document;
    if (!filter.isExcluded(doc)) {
      filter.keep(doc);
      hits.push(hit);
    } else if (hits.length < offset + limit) rejected.push(doc);
  }
  const removed = DocSet.fromList(Uint32Array.from(rejected).sort(), snapshot.bitsetLength);
  return { hits, candidates: merged.candidates.without(removed), groups: null, facetGroups: null };
}

/** The best documents of a group, from all queries. */
function rankMembers(
  snapshot: IndexSnapshot,
  ran: readonly RanQuery[],
  docs: DocSet,
  count: number,
): readonly PlacedHit[] {
  const lists = ran.map((query) => {
    const documents = query.rankWithin(query.outcome.candidates.retain(docs), count);
    return placeHits(snapshot, query, documents, null);
  });
  return withoutRepeats([...mergeHits(lists)]).slice(0, count);
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
  snapshot: IndexSnapshot,
  { hits, groups }: ShownHits,
  search: FederatedSearch,
  { out, deadline, foreign, textOf }: WritingMeans,
): FederatedHit[] {
  const { window, distinct } = search;
  const writers = new Map<RanQuery, HitWriter>();
  const write = ({ query, document, ...hit }: PlacedHit): void => {
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
    const { query: _, document: __, ...hit } = placed;
    if (!written.has(place)) return hit;
    const start = out.length;
    write(placed);
    const group = groups?.get(placed);
    if (group !== undefined) appendGroup(group, out, write);
    const end = out.length;
    const isScored = textOf !== null && isRerankable(placed.query.request, place);
    const text = isScored ? textOf(storedDocument(snapshot, docOf(placed))) : null;
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

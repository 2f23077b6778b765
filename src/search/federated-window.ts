/** Hits of a federated search: ranked documents with their scores, those that are shown, their JSON. */
import type { Deadline } from '../core/deadline.ts';
import { getOrCompute } from '../core/get-or-compute.ts';
import type { ByteBuffer } from '../engine/bytes/byte-buffer.ts';
import type {
  FederatedHit,
  FederatedQuery,
  FederatedSearch,
  FoundGroup,
  PeerFacts,
  RankedQuery,
  WeightedScore,
} from '../model/federation.ts';
import type { Settings } from '../model/settings.ts';
import type { GroupFacts } from '../model/shared-groups.ts';
import { appendGroup, HitWriter } from './answer/format-hits.ts';
import { storedDocument, type TextOf } from './answer/rerank-input.ts';
import type { GroupableSearch } from './execute-search.ts';
import type { RankedDocument } from './ranking/bucket-sort.ts';
import { weightedScore } from './ranking/federated-scores.ts';
import type { ScoredLevel } from './ranking/ranking-score.ts';
import { isSemantic, pinOf, type SearchOutcome } from './ranking/search-outcome.ts';
import { isReranked } from './ranking/window.ts';
import type { DocSet } from './sets/doc-set.ts';
import { FieldValues } from './snapshot/field-values.ts';
import type { ForeignIndexes } from './snapshot/foreign-indexes.ts';
import type { IndexSnapshot } from './snapshot/index-snapshot.ts';
import { valueKeys } from './values/distinct.ts';
import type { GroupedDocuments } from './values/grouped-documents.ts';
import type { FacetGroups } from './values/segment-counts.ts';

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

/** A query that has run. Its hits refer to it, so it holds no set of documents. */
export interface RanQuery extends FederatedQuery {
  /** Place of its index. */
  readonly index: number;
  /** Used to highlight its hits; null for a placeholder search. */
  readonly graph: SearchOutcome['query'];
}

/** What groups need of a query that has run. */
export interface GroupedQuery {
  readonly query: RanQuery;
  readonly candidates: DocSet;
  /** The best of some of the candidates. */
  readonly rankWithin: GroupableSearch['rankWithin'];
}

/** An index whose queries have run. */
export interface RanIndex extends FederatedIndex {
  readonly queries: readonly RankedQuery[];
  /** Empty without groups. */
  readonly grouped: readonly GroupedQuery[];
  /**
   * Of all its queries: pinned hits, then best first. Without groups and a distinct field they end at
   * the latest with the window and as many hits as are pinned.
   */
  readonly hits: readonly PlacedHit[];
  readonly candidates: DocSet;
}

export interface PlacedHit extends FederatedHit {
  readonly query: RanQuery;
  readonly document: RankedDocument;
}

export const docOf = ({ document: { doc } }: PlacedHit): number => doc;
export const indexOf = ({ query: { index } }: PlacedHit): number => index;

export interface ShownHits {
  /** Pinned hits, then best first. */
  readonly hits: readonly PlacedHit[];
  /** By index. */
  readonly candidates: readonly DocSet[];
  /** null = not grouped. */
  readonly groups: GroupedDocuments<PlacedHit>['groups'] | null;
  readonly precedingGroups: GroupedDocuments<PlacedHit>['precedingGroups'];
  /** By index; null = not grouped, or without facets. */
  readonly facetGroups: readonly (FacetGroups | null)[];
  /** By index; null unless groups are made over several instances. */
  readonly combinations: readonly (Omit<GroupFacts, 'facets'> | null)[];
}

export interface WrittenHits {
  readonly hits: readonly FederatedHit[];
  readonly precedingGroups: readonly FoundGroup[];
}

/**
 * Hits after the end of the window are never shown, and hits before its start only if pinned hits
 * can move them into it.
 */
export function writtenPlaces(
  merged: readonly PlacedHit[],
  { offset, limit }: FederatedSearch['window'],
): { readonly end: number; readonly has: (place: number) => boolean } {
  const pinnedCount = merged.filter(({ pin }) => pin !== null).length;
  const end = pinnedCount + offset + limit;
  return { end, has: (place) => place < end && (place < pinnedCount || place >= offset) };
}

/**
 * Writes the hits that may be shown: those of the window, or all hits if hits of other instances can
 * exclude hits of this one.
 */
export function writeWindow(
  ran: readonly RanIndex[],
  { hits, groups, precedingGroups }: ShownHits,
  out: ByteBuffer,
): WrittenHits {
  const { window, distinct, isShared } = ran[0]!.search;
  const writers = new Map<RanQuery, HitWriter>();
  const write = ({ query, document, ...hit }: PlacedHit): void => {
    const { snapshot, search, foreign, deadline } = ran[query.index]!;
    const writer = getOrCompute(
      writers,
      query,
      () => new HitWriter(snapshot, query.request, query.graph, foreign, deadline),
    );
    deadline.check();
    writer.write(document, out, federationMember(snapshot, search, hit, document));
  };
  const writeHit = (placed: PlacedHit) => {
    const { query: _, document: __, ...hit } = placed;
    const start = out.length;
    write(placed);
    const group = groups?.get(placed);
    if (group !== undefined) appendGroup(group, out, write);
    return { ...hit, start, end: out.length };
  };
  const isOpen = distinct !== null && isShared;
  const written = writtenPlaces(hits, isOpen ? { offset: 0, limit: hits.length } : window);
  const shown = hits.slice(0, written.end).map((placed, place) => {
    const { query, document, ...hit } = placed;
    if (!written.has(place)) return hit;
    const { snapshot, textOf } = ran[query.index]!;
    const isScored = textOf !== null && isReranked(query.request, { offset: place, limit: 1 });
    const text = isScored ? textOf(storedDocument(snapshot, document.doc)) : null;
    return { ...writeHit(placed), ...(text !== null && { rerankText: text }) };
  });
  const ofGroups = precedingGroups.map(({ count, members }) => ({
    count,
    hits: members.map(writeHit),
  }));
  return { hits: shown, precedingGroups: ofGroups };
}

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
  { score, pin, distinctValues, isSemantic, group }: FederatedHit,
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
    // An answer shows the value of a group.
    ...((isDistinctShown || group !== null) && { distinctValues }),
    ...(group !== null && { group }),
  };
}

export const hitsMaxOf = ({ snapshot }: RanIndex): number =>
  snapshot.manifest.settings.pagination.maxTotalHits;

export function placeHits(
  snapshot: IndexSnapshot,
  query: RanQuery,
  documents: readonly RankedDocument[],
  distinct: string | null,
): PlacedHit[] {
  const scores = new Map<readonly ScoredLevel[], WeightedScore>();
  const values = distinct === null ? null : new FieldValues(snapshot, distinct);
  return documents.map((document) => {
    const score = getOrCompute(scores, document.levels, () =>
      weightedScore(document.levels, query.weight),
    );
    const pin = pinOf(document);
    return {
      position: query.position,
      score,
      pin: pin && { position: pin.position, precedence: pin.precedence },
      isSemantic: isSemantic(document),
      distinctValues: values === null ? [] : valueKeys(values, document.doc),
      group: null,
      start: 0,
      end: 0,
      query,
      document,
    };
  });
}

/** The first hit of each document is its best one, or a pinned one. */
export function withoutRepeatedHits(hits: readonly PlacedHit[]): PlacedHit[] {
  const seen = new Set<number>();
  return hits.filter(({ document: { doc } }) => {
    if (seen.has(doc)) return false;
    seen.add(doc);
    return true;
  });
}

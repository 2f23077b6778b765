/** A search with pinned results, given by search rules. */
import { pageWithPins } from '../model/pin-places.ts';
import { searchPrepared } from './hybrid-search.ts';
import type { PreparedSearch } from './prepared-search.ts';
import { startDistinct, type WantedDocuments } from './ranked-window.ts';
import type { RankedDocument } from './ranking/bucket-sort.ts';
import { pinOf, type SearchOutcome, withDocuments } from './ranking/search-outcome.ts';
import { DocSet } from './sets/doc-set.ts';
import { findDocument } from './snapshot/document-place.ts';

/**
 * All other documents are ranked as if no document was pinned; pinned documents are inserted at
 * their positions. Pinned documents count as found even if they do not match the query.
 */
export function searchWithPins(prepared: PreparedSearch, wanted: WantedDocuments): SearchOutcome {
  const { pinned, left } = choosePinned(prepared);
  if (left.pinned === null) return searchPrepared(prepared, wanted);
  const { offset, limit } = wanted.window;
  const from = Math.max(0, offset - pinned.length);
  const window = { offset: from, limit: limit === 0 ? 0 : offset + limit - from };
  const outcome = searchPrepared(left, { ...wanted, window });
  const isEnd = outcome.documents.length < window.limit;
  const others = { results: outcome.documents, from, isEnd };
  const documents = pageWithPins(pinned.map(placedPin), others, wanted.window);
  return withPinned(left, outcome, documents);
}

/**
 * The documents are the pinned ones, by precedence, then the ranked ones: for groups, after which
 * pinned documents take their positions.
 */
export function searchWithPinsFirst(
  prepared: PreparedSearch,
  wanted: WantedDocuments,
): SearchOutcome {
  const { pinned, left } = choosePinned(prepared);
  const outcome = searchPrepared(left, wanted);
  return withPinned(left, outcome, [...pinned, ...outcome.documents]);
}

/** The page of a list whose pinned documents come first. @param hits up to the end of the page */
export function pageOfPinsFirst(
  hits: readonly RankedDocument[],
  page: WantedDocuments['window'],
): RankedDocument[] {
  const pinnedCount = countPinned(hits);
  const results = hits.slice(pinnedCount);
  const isEnd = results.length < page.offset + page.limit;
  return pageWithPins(hits.slice(0, pinnedCount).map(placedPin), { results, from: 0, isEnd }, page);
}

export const countPinned = (hits: readonly RankedDocument[]): number =>
  hits.filter((hit) => pinOf(hit) !== null).length;

const placedPin = (result: RankedDocument) => ({
  result,
  position: pinOf(result)?.position ?? 0,
});

/** Pinned documents are found, too. */
function withPinned(
  { pinned, snapshot: { bitsetLength } }: PreparedSearch,
  outcome: SearchOutcome,
  documents: readonly RankedDocument[],
): SearchOutcome {
  if (pinned === null) return outcome;
  const candidates = DocSet.unionOf([outcome.candidates, pinned], bitsetLength);
  return withDocuments({ ...outcome, candidates }, documents);
}

interface ChosenPins {
  readonly pinned: readonly RankedDocument[];
  /** The search for documents that are not pinned. */
  readonly left: PreparedSearch;
}

/**
 * Existing documents that the search may show. Of documents with the same distinct value, the first
 * is pinned and all others are excluded; with `groupBy` they stay, as members of its group.
 */
function choosePinned(prepared: PreparedSearch): ChosenPins {
  const { snapshot, request, filtered, allowed } = prepared;
  if (request.pins === null) return { pinned: [], left: prepared };
  const { bitsetLength } = snapshot;
  const distinct = startDistinct(prepared);
  const docIds = new Set<number>();
  const pinned: RankedDocument[] = [];
  for (const { id, position, precedence } of request.pins) {
    const doc = findDocument(snapshot, id)?.docId;
    if (doc === undefined || docIds.has(doc) || !allowed.has(doc)) continue;
    if (distinct?.isExcluded(doc)) continue;
    distinct?.keep(doc);
    docIds.add(doc);
    const detail = { rule: 'pin', position, precedence } as const;
    pinned.push({ doc, levels: [{ order: 0, isCombinedAttribute: false, detail }] });
  }
  if (pinned.length === 0) return { pinned, left: prepared };
  const docs = DocSet.fromUnordered(Uint32Array.from(docIds), bitsetLength);
  const rest = (set: DocSet): DocSet => {
    const others = set.without(docs);
    const isCounted = distinct === null || request.groupBy !== null;
    return isCounted ? others : others.subtract(distinct.excluded);
  };
  return {
    pinned,
    left: { ...prepared, filtered: rest(filtered), allowed: rest(allowed), pinned: docs },
  };
}

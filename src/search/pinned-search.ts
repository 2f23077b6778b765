/** A search in which some documents have places of their own, given by search rules. */
import { pageWithPins } from '../model/pin-places.ts';
import type { Pin } from '../model/rule-pins.ts';
import type { PreparedSearch } from './prepared-search.ts';
import type { WantedDocuments } from './ranked-window.ts';
import type { RankedDocument } from './ranking/bucket-sort.ts';
import type { PinDetail } from './ranking/rules/ranking-rule.ts';
import type { SearchOutcome } from './ranking/search-outcome.ts';
import { DocSet } from './sets/doc-set.ts';
import { findDocument } from './snapshot/document-place.ts';
import { DistinctFilter } from './values/distinct.ts';

/** What a document is pinned by; null where it is ranked. */
export function pinOf({ levels }: RankedDocument): PinDetail | null {
  const detail = levels[0]?.detail;
  return detail?.rule === 'pin' ? detail : null;
}

/**
 * The others are ranked as if there were no pinned documents, and those stand among them. They count
 * as found, whether they hold the words or not.
 * @param pins those that win first
 * @param search ranks what is prepared
 */
export function searchWithPins(
  prepared: PreparedSearch,
  pins: readonly Pin[],
  wanted: WantedDocuments,
  search: (prepared: PreparedSearch, wanted: WantedDocuments) => SearchOutcome,
): SearchOutcome {
  const { pinned, left } = choosePinned(prepared, pins);
  if (left.pinned === null) return search(prepared, wanted);
  const { offset, limit } = wanted.window;
  const from = Math.max(0, offset - pinned.length);
  const window = { offset: from, limit: limit === 0 ? 0 : offset + limit - from };
  const outcome = search(left, { ...wanted, window });
  const { documents: results, candidates, semanticHitCount } = outcome;
  const placed = pinned.map((result) => ({ result, position: pinOf(result)?.position ?? 0 }));
  const isEnd = results.length < window.limit;
  const documents = pageWithPins(placed, { results, from, isEnd }, wanted.window);
  return {
    ...outcome,
    documents,
    candidates: DocSet.unionOf([candidates, left.pinned], prepared.snapshot.bitsetLength),
    semanticHitCount: semanticHitCount === null ? null : documents.filter(isSemantic).length,
  };
}

const isSemantic = ({ levels }: RankedDocument): boolean =>
  levels.some(({ detail }) => detail.rule === 'vectorSort');

interface ChosenPins {
  readonly pinned: readonly RankedDocument[];
  /** What is left to rank. */
  readonly left: PreparedSearch;
}

/**
 * Documents that exist and that the search may show. Of those that share a distinct value the first
 * one is pinned, and none of the others is left.
 */
function choosePinned(prepared: PreparedSearch, pins: readonly Pin[]): ChosenPins {
  const { snapshot, request, filtered, allowed } = prepared;
  const { bitsetLength } = snapshot;
  const field = request.distinct ?? snapshot.manifest.settings.distinctAttribute;
  const distinct = field === null ? null : new DistinctFilter(snapshot, field);
  const docIds = new Set<number>();
  const pinned: RankedDocument[] = [];
  for (const { id, position, precedence } of pins) {
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
    return distinct === null ? others : others.subtract(distinct.excluded);
  };
  return {
    pinned,
    left: { ...prepared, filtered: rest(filtered), allowed: rest(allowed), pinned: docs },
  };
}

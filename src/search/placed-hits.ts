/** Ranked documents as hits of a federated search. */
import { getOrCompute } from '../core/get-or-compute.ts';
import type { WeightedScore } from '../model/federation.ts';
import type { PlacedHit, RanIndex, RanQuery } from './federated-window.ts';
import type { RankedDocument } from './ranking/bucket-sort.ts';
import { weightedScore } from './ranking/federated-scores.ts';
import type { ScoredLevel } from './ranking/ranking-score.ts';
import { isSemantic, pinOf } from './ranking/search-outcome.ts';
import { FieldValues } from './snapshot/field-values.ts';
import type { IndexSnapshot } from './snapshot/index-snapshot.ts';
import { valueKeys } from './values/distinct.ts';

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

/** Merges the ranked lists of keyword and vector search (relevance.md 7.3). */
import { getOrCompute } from '../../core/get-or-compute.ts';
import {
  compareElementwise,
  type ScoreElement,
  type WeightedScore,
} from '../../model/federation.ts';
import type { RankedDocument } from './bucket-sort.ts';
import { weightedScore } from './federated-scores.ts';
import type { ScoredLevel } from './ranking-score.ts';

export interface RankedList {
  readonly documents: readonly RankedDocument[];
  /** Scores are multiplied by this weight before they are compared. */
  readonly weight: number;
}

export interface MergedDocument extends RankedDocument {
  readonly isSemantic: boolean;
}

/** Each document once, from the list in which it comes first; the vector list wins ties. */
export function mergeRankedLists(words: RankedList, meaning: RankedList): MergedDocument[] {
  const wordScore = scoresOf(words);
  const meaningScore = scoresOf(meaning);
  const taken = new Set<number>();
  const merged: MergedDocument[] = [];
  let [w, m] = [0, 0];
  for (;;) {
    const [byWords, byMeaning] = [words.documents[w], meaning.documents[m]];
    if (byWords === undefined && byMeaning === undefined) return merged;
    const isSemantic =
      byWords === undefined ||
      (byMeaning !== undefined && compareHits(meaningScore(byMeaning), wordScore(byWords)) >= 0);
    const next = isSemantic ? byMeaning! : byWords;
    if (isSemantic) m++;
    else w++;
    if (taken.has(next.doc)) continue;
    taken.add(next.doc);
    merged.push({ doc: next.doc, levels: next.levels, isSemantic });
  }
}

/** Documents of a bucket share their levels, and therefore their score. */
function scoresOf({ weight }: RankedList): (document: RankedDocument) => WeightedScore {
  const known = new Map<readonly ScoredLevel[], WeightedScore>();
  return ({ levels }) => {
    return getOrCompute(known, levels, () => weightedScore(levels, weight));
  };
}

/** Positive if `a` comes first. A score wins against a sort value unless it is 0. */
const compareHits = (a: WeightedScore, b: WeightedScore): number =>
  compareElementwise(a, b, (x, y) => scoreWins(x) - scoreWins(y));

const scoreWins = (element: ScoreElement): number =>
  element.kind === 'score' ? (element.value > 0 ? 1 : -1) : 0;

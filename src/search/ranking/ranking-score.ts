/**
 * Ranking scores: combines level ranks into one number, and builds the details (relevance.md 4).
 */
import type { RankDetail } from './rules/ranking-rule.ts';

/** A level's contribution and its position in the order of rules (levels of one rule share it). */
export interface ScoredLevel {
  readonly order: number;
  /** Levels of the setting `attribute` are shown together under that name. */
  readonly isCombinedAttribute: boolean;
  readonly detail: RankDetail;
}

interface Fold {
  readonly rank: number;
  readonly max: number;
}

const fold = (details: readonly Fold[]): Fold =>
  details.reduce(
    ({ rank, max }, level) => ({
      rank: Math.max(rank - 1, 0) * level.max + level.rank,
      max: max * level.max,
    }),
    { rank: 1, max: 1 },
  );

const ratio = ({ rank, max }: Fold): number => rank / max;

/**
 * Score of a document in [0, 1]; 1 without contributing levels. A similarity is the entire score,
 * because no rule that reads words applies with it.
 */
export function rankingScore(levels: readonly ScoredLevel[]): number {
  const ranks: Fold[] = [];
  for (const { detail } of levels) {
    if (detail.rule === 'vectorSort') return detail.similarity ?? 0;
    if ('rank' in detail) ranks.push(detail);
  }
  return ratio(fold(ranks));
}

/** `_rankingScoreDetails`: an object keyed by rule, in application order. */
export function scoreDetails(levels: readonly ScoredLevel[]): Record<string, unknown> {
  const details: Record<string, unknown> = {};
  for (let i = 0; i < levels.length; i++) {
    const { order, isCombinedAttribute, detail } = levels[i]!;
    const score = 'rank' in detail ? ratio(detail) : 1;
    switch (detail.rule) {
      case 'words':
        details['words'] = {
          order,
          matchingWords: detail.rank,
          maxMatchingWords: detail.max,
          score,
        };
        break;
      case 'typo':
        details['typo'] = {
          order,
          typoCount: detail.max - detail.rank,
          maxTypoCount: detail.max - 1,
          score,
        };
        break;
      case 'relevance':
      case 'proximity':
        details[detail.rule] = { order, score };
        break;
      case 'attributeRank':
      case 'wordPosition':
        if (isCombinedAttribute) details['attribute'] = attributeDetails(levels, order);
        else details[detail.rule] = { order, score };
        break;
      case 'attributeExactness':
        details['exactness'] = exactnessDetails(levels, i);
        break;
      case 'wordExactness':
        break;
      case 'skipped':
        details['skipped'] = { order };
        break;
      case 'fieldSort':
        details[detail.key] = { order, value: detail.isHidden ? '<hidden>' : detail.value };
        break;
      case 'geoSort':
        details[detail.key] = { order, value: detail.value, distance: detail.distance };
        break;
      case 'vectorSort':
        details['vectorSort'] = { order, similarity: detail.similarity };
        break;
      case 'pin':
        details['pin'] = { order, position: detail.position };
    }
  }
  return details;
}

function attributeDetails(levels: readonly ScoredLevel[], order: number): Record<string, number> {
  const both = levels.flatMap(({ isCombinedAttribute, detail }) =>
    isCombinedAttribute && 'rank' in detail ? [detail] : [],
  );
  const rank = both.find((d) => d.rule === 'attributeRank');
  const position = both.find((d) => d.rule === 'wordPosition');
  return {
    order,
    attributeRankingOrderScore: rank ? ratio(rank) : 0,
    queryWordDistanceScore: position ? ratio(position) : 0,
    score: ratio(fold(both)),
  };
}

/** The word level is shown only below `noExactMatch`, folded into its score. */
function exactnessDetails(levels: readonly ScoredLevel[], at: number): Record<string, unknown> {
  const { order, detail } = levels[at]!;
  if (detail.rule !== 'attributeExactness') throw new Error('not an exactness level');
  const { matchType } = detail;
  if (matchType !== 'noExactMatch') return { order, matchType, score: ratio(detail) };
  const word = levels[at + 1]?.detail;
  if (word?.rule !== 'wordExactness')
    return { order, matchType, matchingWords: 0, maxMatchingWords: 0, score: ratio(detail) };
  return {
    order,
    matchType,
    matchingWords: word.rank - 1,
    maxMatchingWords: word.max - 1,
    score: ratio(fold([detail, word])),
  };
}

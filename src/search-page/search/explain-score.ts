/** Score details of a hit as sentences, in the order of the ranking rules. Pure. */
import { counted } from '../../core/counted.ts';
import { humanCount } from '../parts/human.ts';

export interface RuleDetails {
  readonly order?: number;
  readonly score?: number;
  readonly [member: string]: unknown;
}

export interface ExplainedRule {
  readonly rule: string;
  /** Name for people. */
  readonly title: string;
  /** 0 to 1, null for rules without a score. */
  readonly score: number | null;
  readonly sentence: string;
}

/** Shares as words, for rules whose details have only a score. */
const shareOf = (score: number | undefined): string => {
  if (score === undefined) return '';
  if (score >= 0.999) return 'as high as possible';
  return `${Math.round(score * 100)} % of the possible`;
};

interface Explanation {
  readonly title: string;
  readonly explain: (details: RuleDetails) => string;
}

const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  words: {
    title: 'Words found',
    explain: ({ matchingWords, maxMatchingWords }) =>
      `${String(matchingWords)} of ${counted(Number(maxMatchingWords), 'word')} found`,
  },
  typo: {
    title: 'Typos',
    explain: ({ typoCount, maxTypoCount }) =>
      Number(typoCount) === 0
        ? 'No typos'
        : `${counted(Number(typoCount), 'typo')} (at most ${String(maxTypoCount)} allowed)`,
  },
  proximity: {
    title: 'Proximity',
    explain: ({ score }) =>
      score === 1
        ? 'The words are next to each other, in the order of the query'
        : `How close the words are to each other: ${shareOf(score)}`,
  },
  attribute: {
    title: 'Attribute',
    explain: ({ score }) => `Importance of the attribute and place in it: ${shareOf(score)}`,
  },
  attributeRank: {
    title: 'Attribute',
    explain: ({ score }) =>
      score === 1
        ? 'Found in the most important attribute'
        : `Importance of the attributes: ${shareOf(score)}`,
  },
  wordPosition: {
    title: 'Word position',
    explain: ({ score }) =>
      score === 1
        ? 'The words are at the start of the attribute'
        : `How early the words are in the attribute: ${shareOf(score)}`,
  },
  exactness: { title: 'Exactness', explain: exactnessOf },
  relevance: {
    title: 'Relevance',
    explain: () => 'How rare the found words are, and how often the document has them',
  },
  pin: {
    title: 'Pinned result',
    explain: ({ position }) => `Pinned by a search rule at position ${Number(position) + 1}`,
  },
  vectorSort: {
    title: 'Semantic similarity',
    explain: ({ similarity }) => `Similarity ${Number(similarity).toFixed(3)} of at most 1`,
  },
};

const EXACTNESS: Readonly<Record<string, string>> = {
  exactMatch: 'An attribute is exactly the query',
  matchesStart: 'An attribute starts with the query',
  noExactMatch: 'No attribute equals or starts with the query',
};

function exactnessOf({ matchType, matchingWords, maxMatchingWords, score }: RuleDetails): string {
  if (matchType === undefined) return `Words written exactly as in the query: ${shareOf(score)}`;
  const match = EXACTNESS[String(matchType)] ?? String(matchType);
  if (matchingWords === undefined) return match;
  return `${match}; ${String(matchingWords)} of ${String(maxMatchingWords)} words match exactly`;
}

function explained(rule: string, details: RuleDetails): Pick<ExplainedRule, 'title' | 'sentence'> {
  const known = EXPLANATIONS[rule];
  if (known !== undefined) return { title: known.title, sentence: known.explain(details) };
  if ('distance' in details) {
    return { title: 'Distance', sentence: `${humanCount(Number(details['distance']))} m away` };
  }
  const [field = rule, order] = rule.split(/:(?=asc$|desc$)/);
  const direction = { asc: 'lowest first', desc: 'highest first' }[order ?? ''];
  return {
    title: direction === undefined ? field : `Sort by ${field}, ${direction}`,
    sentence: 'value' in details ? `Its value is ${JSON.stringify(details['value'])}` : '',
  };
}

export const explainScore = (
  details: Readonly<Record<string, RuleDetails>>,
): readonly ExplainedRule[] =>
  Object.entries(details)
    .sort(([, left], [, right]) => (left.order ?? 0) - (right.order ?? 0))
    .map(([rule, about]) => ({ rule, score: about.score ?? null, ...explained(rule, about) }));

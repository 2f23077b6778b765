/** Score details of a hit as sentences, in the order of the ranking rules. Pure. */
import { counted } from '../../core/counted.ts';

export interface RuleDetails {
  readonly order?: number;
  readonly score?: number;
  readonly [member: string]: unknown;
}

export interface ExplainedRule {
  readonly rule: string;
  /** 0 to 1, null for rules without a score. */
  readonly score: number | null;
  readonly sentence: string;
}

const EXPLANATIONS: Readonly<Record<string, (details: RuleDetails) => string>> = {
  words: ({ matchingWords, maxMatchingWords }) =>
    `${String(matchingWords)} of ${counted(Number(maxMatchingWords), 'word')} found`,
  typo: ({ typoCount, maxTypoCount }) =>
    `${counted(Number(typoCount), 'typo')} (at most ${String(maxTypoCount)} are allowed)`,
  proximity: () => 'how close the words are to each other',
  attribute: () => 'in which attributes the words are, and how early',
  attributeRank: () => 'in which attributes the words are',
  wordPosition: () => 'how early the words are in the attribute',
  exactness: ({ matchType, matchingWords, maxMatchingWords }) =>
    matchType === undefined
      ? 'how exactly the words are as typed'
      : `${EXACTNESS[String(matchType)] ?? String(matchType)}${
          matchingWords === undefined
            ? ''
            : `; ${String(matchingWords)} of ${String(maxMatchingWords)} words as typed`
        }`,
  relevance: () => 'how rare the found words are, and how often the document has them',
  pin: ({ position }) => `pinned by a search rule at position ${Number(position) + 1}`,
  vectorSort: ({ similarity }) => `semantic similarity ${String(similarity)}`,
};

const EXACTNESS: Readonly<Record<string, string>> = {
  exactMatch: 'the attribute is exactly what was typed',
  matchesStart: 'the attribute starts with what was typed',
  noExactMatch: 'no attribute is or starts with what was typed',
};

function sentenceOf(rule: string, details: RuleDetails): string {
  const explain = EXPLANATIONS[rule];
  if (explain !== undefined) return explain(details);
  if ('distance' in details) return `${String(details['distance'])} m away`;
  if ('value' in details) return `its value is ${JSON.stringify(details['value'])}`;
  return '';
}

export const explainScore = (
  details: Readonly<Record<string, RuleDetails>>,
): readonly ExplainedRule[] =>
  Object.entries(details)
    .sort(([, left], [, right]) => (left.order ?? 0) - (right.order ?? 0))
    .map(([rule, about]) => ({
      rule,
      score: about.score ?? null,
      sentence: sentenceOf(rule, about),
    }));

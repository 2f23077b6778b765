/**
 * A slow search that follows the definitions of relevance.md 3 word by word: every document, every
 * reading, every option.
 */
import type { MatchingStrategy } from '../../src/model/search.ts';
import type { Settings } from '../../src/model/settings.ts';
import type { SourceDocument } from './build-snapshot.ts';
import { OracleCorpus } from './oracle-corpus.ts';
import {
  addParts,
  buildNodes,
  type Derivation,
  locateTerms,
  type OracleNode,
  type OracleQuery,
} from './oracle-query.ts';
import { type Bucket, OracleRules, type RuleState, type Step } from './oracle-rules.ts';

export interface OracleSearch {
  readonly documents: readonly SourceDocument[];
  readonly settings: Settings;
  readonly query: OracleQuery;
  readonly strategy: MatchingStrategy;
  /** Fields in which words count; null = all. */
  readonly searchOn: readonly string[] | null;
}

/** A ranked document and its levels as `rule rank/max`. */
export interface OracleHit {
  readonly doc: number;
  readonly levels: readonly string[];
}

export class OracleMatching {
  readonly corpus: OracleCorpus;
  readonly #searchOn: readonly string[] | null;

  constructor(corpus: OracleCorpus, searchOn: readonly string[] | null) {
    this.corpus = corpus;
    this.#searchOn = searchOn;
  }

  isPresent(field: string): boolean {
    return this.#searchOn === null || this.#searchOn.includes(field);
  }

  holdsWord(doc: number, text: string, tolerantOnly = false): boolean {
    return this.corpus
      .of(doc, text)
      .some((o) => this.isPresent(o.field) && (!tolerantOnly || this.corpus.isTolerant(o)));
  }

  holds(doc: number, { slots, tolerantOnly }: Derivation): boolean {
    return (
      slots.every((slot) => slot === null || this.holdsWord(doc, slot, tolerantOnly)) &&
      slots.every(
        (slot, i) =>
          this.#isClose(doc, slot, slots[i + 1], 1) && this.#isClose(doc, slot, slots[i + 2], 2),
      )
    );
  }

  #isClose(
    doc: number,
    left: string | null,
    right: string | null | undefined,
    most: number,
  ): boolean {
    return (
      left === null ||
      right === null ||
      right === undefined ||
      this.corpus.distance(doc, left, right) <= most
    );
  }

  /** Derivations the step allows: synonyms whatever the step is narrowed to (2.5). */
  allowed({ node, levels, exactOnly }: Step): Derivation[] {
    return node.derivations.filter(
      (d) => d.isSynonym || (exactOnly ? d.isExact : levels.includes(d.level)),
    );
  }

  matches(doc: number, step: Step): boolean {
    return this.allowed(step).some((d) => this.holds(doc, d));
  }
}

export function oracleSearch({
  documents,
  settings,
  query,
  strategy,
  searchOn,
}: OracleSearch): OracleHit[] {
  const corpus = new OracleCorpus(documents, settings);
  const matching = new OracleMatching(corpus, searchOn);
  const { terms, excluded } = locateTerms(query, corpus);
  const allowed = corpus.ids.filter(
    (doc) => !excluded.some((text) => matching.holdsWord(doc, text)),
  );
  if (terms.length === 0) return allowed.map((doc) => ({ doc, levels: [] }));
  const nodes = buildNodes(terms, corpus);
  addParts(nodes, terms, query, corpus);
  const groups = removalGroups(nodes, terms.length, strategy, matching);
  const universe = allowed.filter((doc) =>
    isInUniverse(doc, nodes, groups, terms.length, matching),
  );
  const phraseWords = terms.flatMap((t) =>
    t.isPhrase ? t.slots.filter((slot) => slot !== null) : [],
  ).length;
  const rules = new OracleRules(matching, groups, phraseWords);
  return sortBuckets(rules, ruleNames(settings.rankingRules, strategy), {
    docs: universe,
    graph: initialGraph(nodes, 0, terms.length),
  });
}

const anyLevel = (node: OracleNode): Step => ({ node, levels: [0, 1, 2], exactOnly: false });

function initialGraph(
  nodes: readonly OracleNode[],
  id: number,
  termCount: number,
): RuleState['graph'] {
  if (id === termCount) return [];
  return nodes
    .filter((node) => node.firstId === id)
    .map((node) => ({
      step: anyLevel(node),
      next: initialGraph(nodes, node.lastId + 1, termCount),
    }));
}

function removalGroups(
  nodes: readonly OracleNode[],
  termCount: number,
  strategy: MatchingStrategy,
  matching: OracleMatching,
): number[] {
  if (strategy === 'all') return nodes.map(() => 0);
  const ids = Array.from({ length: termCount }, (_, id) => id);
  const weights =
    strategy === 'last' ? ids.map((id) => termCount - id) : frequencyWeights(ids, nodes, matching);
  const groups = nodes.map((node) =>
    node.isPhrase ? 0 : Math.max(...weights.slice(node.firstId, node.lastId + 1)),
  );
  const last = Math.max(...groups);
  return nodes.some((node) => node.isPhrase)
    ? groups
    : groups.map((group) => (group === last ? 0 : group));
}

function frequencyWeights(
  ids: readonly number[],
  nodes: readonly OracleNode[],
  matching: OracleMatching,
): number[] {
  const frequencies = ids.map((id) => {
    const containing = nodes.filter((node) => node.firstId <= id && id <= node.lastId);
    const count = matching.corpus.ids.filter((doc) =>
      containing.some((node) => matching.matches(doc, anyLevel(node))),
    ).length;
    return count === 0 ? Number.POSITIVE_INFINITY : count;
  });
  const sorted = [...new Set(frequencies)].sort((a, b) => (a === b ? 0 : b - a));
  return frequencies.map((f) => sorted.indexOf(f) + 1);
}

/** Satisfies a reading from which all removable nodes are gone. */
function isInUniverse(
  doc: number,
  nodes: readonly OracleNode[],
  groups: readonly number[],
  termCount: number,
  matching: OracleMatching,
): boolean {
  const from = (id: number): boolean =>
    id === termCount ||
    nodes.some(
      (node) =>
        node.firstId === id &&
        (groups[node.number] !== 0 || matching.matches(doc, anyLevel(node))) &&
        from(node.lastId + 1),
    );
  return from(0);
}

const NEEDS_WORDS = [
  'typo',
  'proximity',
  'attribute',
  'attributeRank',
  'wordPosition',
  'exactness',
];
const LEVELS: Readonly<Record<string, readonly string[]>> = {
  attribute: ['attributeRank', 'wordPosition'],
  exactness: ['attributeExactness', 'wordExactness'],
  sort: [],
};

function ruleNames(rankingRules: readonly string[], strategy: MatchingStrategy): string[] {
  const withWords = [...rankingRules];
  const first = withWords.findIndex((rule) => NEEDS_WORDS.includes(rule));
  if (first >= 0) withWords.splice(first, 0, 'words');
  const used = [...new Set(withWords)].filter((rule) => rule !== 'words' || strategy !== 'all');
  return used.flatMap((rule) => LEVELS[rule] ?? [rule]);
}

function sortBuckets(rules: OracleRules, names: readonly string[], state: RuleState): OracleHit[] {
  const [name, ...rest] = names;
  if (name === undefined)
    return [...state.docs].sort((a, b) => a - b).map((doc) => ({ doc, levels: [] }));
  const buckets = rules.buckets(name, state);
  const left = state.docs.filter((doc) => !buckets.some(({ docs }) => docs.includes(doc)));
  const ranked = buckets.flatMap((bucket: Bucket) => {
    const level = `${name} ${bucket.rank}/${bucket.max}`;
    return sortBuckets(rules, rest, bucket).map(({ doc, levels }) => ({
      doc,
      levels: [level, ...levels],
    }));
  });
  return [...ranked, ...left.map((doc) => ({ doc, levels: [] }))];
}

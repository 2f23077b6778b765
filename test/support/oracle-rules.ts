/**
 * The ranking rules of the search oracle: options of a step, instantiations of a reading, buckets
 * (relevance.md 3.4-3.13).
 */
import type { Derivation, OracleNode } from './oracle-query.ts';
import type { OracleMatching } from './search-oracle.ts';

export interface Step {
  readonly node: OracleNode;
  readonly levels: readonly number[];
  readonly exactOnly: boolean;
}

export interface GraphNode {
  readonly step: Step;
  /** Empty at the end of a reading. */
  readonly next: readonly GraphNode[];
}

export interface RuleState {
  readonly docs: readonly number[];
  readonly graph: readonly GraphNode[];
}

export interface Bucket extends RuleState {
  readonly rank: number;
  readonly max: number;
}

interface Option {
  readonly cost: number;
  readonly isSatisfied: (doc: number) => boolean;
  /** null: the step is skipped. */
  readonly handedDown: Step | null;
}

type Options = (step: Step, previous: Step | null) => readonly Option[];

/** A complete choice of options; `path` orders instantiations as they are enumerated. */
interface Instantiation {
  readonly cost: number;
  readonly path: readonly number[];
  readonly reading: readonly Step[];
  readonly skippedGroups: readonly number[];
}

const always = (): boolean => true;
const lowest = (values: readonly number[], otherwise: number): number =>
  Math.min(otherwise, ...values);

export class OracleRules {
  readonly #matching: OracleMatching;
  readonly #groups: readonly number[];
  readonly #phraseWords: number;

  constructor(matching: OracleMatching, groups: readonly number[], phraseWords: number) {
    this.#matching = matching;
    this.#groups = groups;
    this.#phraseWords = phraseWords;
  }

  buckets(rule: string, state: RuleState): Bucket[] {
    switch (rule) {
      case 'words':
        return this.#graphBuckets(
          state,
          (step) => this.#words(step),
          Math.max(0, this.#phraseWords - 1),
        );
      case 'typo':
        return this.#graphBuckets(state, (step) => this.#typo(step));
      case 'proximity':
        return this.#graphBuckets(state, (step, previous) => this.#proximity(step, previous));
      case 'attributeRank':
        return this.#graphBuckets(state, (step) => this.#attributeRank(step));
      case 'wordPosition':
        return this.#graphBuckets(state, (step) => this.#wordPosition(step));
      case 'attributeExactness':
        return this.#attributeExactness(state);
      default:
        return this.#graphBuckets(state, (step) => this.#wordExactness(step));
    }
  }

  #graphBuckets({ docs, graph }: RuleState, options: Options, extra = 0): Bucket[] {
    const max = largestCost(graph, options, null) + 1 + extra;
    const firsts = docs.flatMap((doc) => {
      const satisfied = this.#instantiations(doc, graph, options, null);
      const cost = lowest(
        satisfied.map((q) => q.cost),
        Number.POSITIVE_INFINITY,
      );
      const first = satisfied.filter((q) => q.cost === cost).sort(byPath)[0];
      return first ? [{ doc, first }] : [];
    });
    const costs = [...new Set(firsts.map(({ first }) => first.cost))].sort((a, b) => a - b);
    return costs.map((cost) => {
      const members = firsts.filter(({ first }) => first.cost === cost);
      const handed = members.map(({ first }) => first).sort(byPath);
      return {
        docs: members.map(({ doc }) => doc),
        graph: graphOf(handed.map((q) => q.reading)),
        rank: max - cost,
        max,
      };
    });
  }

  /** All instantiations that the document satisfies. */
  #instantiations(
    doc: number,
    graph: readonly GraphNode[],
    options: Options,
    previous: Step | null,
  ): Instantiation[] {
    return graph.flatMap(({ step, next }, place) =>
      options(step, previous).flatMap((option, choice) => {
        if (!option.isSatisfied(doc)) return [];
        const group = this.#groups[step.node.number]!;
        const rests: readonly Instantiation[] =
          next.length === 0
            ? [{ cost: 0, path: [], reading: [], skippedGroups: [] }]
            : this.#instantiations(doc, next, options, step);
        return rests.flatMap((rest) => {
          const isKept = option.handedDown !== null;
          // Skipping a node skips the nodes after it that are removed before it.
          if (!isKept && rest.reading.some((s) => isBefore(this.#groups[s.node.number]!, group)))
            return [];
          return {
            cost: option.cost + rest.cost,
            path: [place, choice, ...rest.path],
            reading: option.handedDown ? [option.handedDown, ...rest.reading] : rest.reading,
            skippedGroups: isKept ? rest.skippedGroups : [group, ...rest.skippedGroups],
          };
        });
      }),
    );
  }

  #matches(step: Step): (doc: number) => boolean {
    return (doc) => this.#matching.matches(doc, step);
  }

  #words(step: Step): Option[] {
    const keep = { cost: 0, isSatisfied: this.#matches(step), handedDown: step };
    const skip = { cost: step.node.length, isSatisfied: always, handedDown: null };
    return this.#groups[step.node.number] === 0 ? [keep] : [skip, keep];
  }

  #typo(step: Step): Option[] {
    const base = step.node.isPart ? 1 : [0, 0, 2, 3][step.node.length]!;
    return step.levels
      .filter((level) => level <= highestLevel(step))
      .map((level) => {
        const handedDown = { ...step, levels: [level] };
        return { cost: base + level, isSatisfied: this.#matches(handedDown), handedDown };
      });
  }

  #proximity(step: Step, previous: Step | null): Option[] {
    const base = step.node.length - 1;
    const far = { isSatisfied: this.#matches(step), handedDown: step };
    if (!previous || previous.node.end + 1 !== step.node.start) return [{ ...far, cost: base }];
    const near = [0, 1, 2].map((cost) => ({
      cost: base + cost,
      isSatisfied: (doc: number) => this.#areNear(doc, previous, step, cost),
      handedDown: step,
    }));
    return [...near, { ...far, cost: base + 3 }];
  }

  #areNear(doc: number, left: Step, right: Step, cost: number): boolean {
    const { corpus } = this.#matching;
    return this.#standing(doc, left).some((l) =>
      this.#standing(doc, right).some((r) => {
        const last = l.slots.at(-1);
        const first = r.slots[0];
        if (!last || !first) return false;
        if (corpus.distance(doc, last, first) === cost + 1) return true;
        return cost > 0 && !l.isPhrase && !r.isPhrase && corpus.distance(doc, first, last) === cost;
      }),
    );
  }

  /**
   * Derivations that can take part in a pair: words anywhere, phrases that the document matches.
   */
  #standing(doc: number, step: Step): Derivation[] {
    return this.#matching.allowed(step).filter((d) => !d.isPhrase || this.#matching.holds(doc, d));
  }

  #attributeRank(step: Step): Option[] {
    const { searchableAttributes } = this.#matching.corpus.settings;
    const isDefault = searchableAttributes.includes('*');
    const { length } = step.node;
    if (isDefault) {
      const isPlaced = (doc: number): boolean =>
        this.#places(doc, step).some(({ field }) => this.#matching.isPresent(field));
      return [{ cost: 0, isSatisfied: isPlaced, handedDown: step }];
    }
    const inFields = searchableAttributes.map((field, weight) => ({
      cost: weight * length,
      isSatisfied: (doc: number) =>
        this.#matching.isPresent(field) && this.#places(doc, step).some((o) => o.field === field),
      handedDown: step,
    }));
    const never = {
      cost: (searchableAttributes.length - 1) * length,
      isSatisfied: () => false,
      handedDown: step,
    };
    return [...inFields, never];
  }

  /** Occurrences of the step's words; a phrase stands where its first word is. */
  #places(doc: number, step: Step): { field: string; position: number }[] {
    return this.#standing(doc, step).flatMap(({ slots }) =>
      this.#matching.corpus.of(doc, slots.find((slot) => slot !== null)!),
    );
  }

  #wordPosition(step: Step): Option[] {
    const { length, start } = step.node;
    return Array.from({ length: 10 * length + 1 }, (_, cost) => ({
      cost,
      isSatisfied: (doc: number) =>
        this.#places(doc, step).some(
          ({ position }) => positionCost(Math.abs(bucketed(position) - start), length) === cost,
        ),
      handedDown: step,
    }));
  }

  #wordExactness(step: Step): Option[] {
    const exact = step.levels.includes(0) ? step.node.derivations.filter((d) => d.isExact) : [];
    return [
      {
        cost: 0,
        isSatisfied: (doc) => exact.some((d) => this.#matching.holds(doc, d)),
        handedDown: { ...step, exactOnly: true },
      },
      { cost: step.node.length, isSatisfied: this.#matches(step), handedDown: step },
    ];
  }

  #attributeExactness(state: RuleState): Bucket[] {
    const terms = exactTerms(state.graph);
    const rankOf = (doc: number): number => (terms ? this.#exactRank(doc, terms) : 1);
    return [3, 2, 1].flatMap((rank) => {
      const docs = state.docs.filter((doc) => rankOf(doc) === rank);
      return docs.length > 0 ? [{ docs, graph: state.graph, rank, max: 3 }] : [];
    });
  }

  #exactRank(doc: number, terms: readonly OracleNode[]): number {
    const { corpus } = this.#matching;
    const words = terms.flatMap((term) =>
      exactOf(term)!.slots.flatMap((text, slot) =>
        text === null ? [] : [{ text, position: term.start + slot }],
      ),
    );
    const isPlaced = words.every(({ text, position }) =>
      corpus.of(doc, text).some((o) => bucketed(o.position) === bucketed(position)),
    );
    const fields = [...new Set(corpus.all(doc).map((o) => o.field))].filter(
      (field) =>
        this.#matching.isPresent(field) &&
        words.every(({ text }) => corpus.of(doc, text).some((o) => o.field === field)),
    );
    if (!isPlaced || fields.length === 0) return 1;
    const length = terms.reduce((n, { start, end }) => n + end - start + 1, 0);
    return length <= 30 && fields.some((field) => corpus.wordCount(doc, field) === length) ? 3 : 2;
  }
}

const isBefore = (group: number, other: number): boolean => group > 0 && group < other;

const exactOf = (node: OracleNode): Derivation | undefined =>
  node.derivations.find((d) => d.isExact);

/** The first exact term of each term id; null when they leave a hole. */
function exactTerms(graph: readonly GraphNode[]): OracleNode[] | null {
  const steps = (nodes: readonly GraphNode[]): Step[] =>
    nodes.flatMap(({ step, next }) => [step, ...steps(next)]);
  const found = steps(graph).filter(({ node, levels }) => exactOf(node) && levels.includes(0));
  const ids = [...new Set(found.map(({ node }) => node.firstId))].sort((a, b) => a - b);
  if (ids.length === 0 || ids.some((id, i) => id !== i)) return null;
  return ids.map((id) => found.find(({ node }) => node.firstId === id)!.node);
}

function highestLevel({ node, levels, exactOnly }: Step): number {
  if (node.isPhrase) return 0;
  if (levels.length < 3) return Math.max(...levels);
  return exactOnly ? (node.budget === 0 ? 1 : 0) : Math.max(1, node.budget);
}

function largestCost(graph: readonly GraphNode[], options: Options, previous: Step | null): number {
  return Math.max(
    ...graph.map(({ step, next }) => {
      const own = Math.max(...options(step, previous).map((o) => o.cost));
      return own + (next.length === 0 ? 0 : largestCost(next, options, step));
    }),
  );
}

/** The distinct readings in order, branching at their first nodes only. */
function graphOf(readings: readonly (readonly Step[])[]): GraphNode[] {
  const key = (reading: readonly Step[]): string =>
    reading.map(({ node, levels, exactOnly }) => `${node.number}:${levels}:${exactOnly}`).join(' ');
  const distinct = new Map(readings.toReversed().map((reading) => [key(reading), reading]));
  const inOrder = [...new Set(readings.map(key))].map((k) => distinct.get(k)!);
  return inOrder.map((reading) => chain(reading)[0]!);
}

const chain = (reading: readonly Step[]): GraphNode[] =>
  reading.reduceRight<GraphNode[]>((next, step) => [{ step, next }], []);

function byPath(a: Instantiation, b: Instantiation): number {
  for (let i = 0; i < Math.min(a.path.length, b.path.length); i++) {
    if (a.path[i] !== b.path[i]) return a.path[i]! - b.path[i]!;
  }
  return a.path.length - b.path.length;
}

export function bucketed(position: number): number {
  if (position < 16) return position;
  return position < 24 ? 24 : Math.min(65535, 2 ** Math.ceil(Math.log2(position)));
}

function positionCost(distance: number, length: number): number {
  const limits = [0, 1, 4, 7, 11, 16, 24, 64, 256, 1024, Number.POSITIVE_INFINITY];
  let cost = 0;
  for (let i = 0; i < length; i++) cost += limits.findIndex((limit) => distance + i <= limit);
  return cost;
}

/**
 * The sum of relevance.md 3.15 for a document, spelled out: every word, every class, every
 * occurrence, in numbers of 64 bits.
 */
import type { Settings } from '../../src/model/settings.ts';
import type { SourceDocument } from './build-snapshot.ts';
import { type Occurrence, OracleCorpus } from './oracle-corpus.ts';
import {
  buildNodes,
  type Derivation,
  locateTerms,
  type OracleNode,
  type OracleQuery,
  type Term,
} from './oracle-query.ts';
import { OracleMatching } from './search-oracle.ts';

export interface RelevanceCase {
  readonly documents: readonly SourceDocument[];
  readonly settings: Settings;
  readonly query: OracleQuery;
  /** Fields in which words count; null = all. */
  readonly searchOn: readonly string[] | null;
}

/** A word of the query with how often it is there. */
interface Unit {
  readonly text: string;
  readonly node: OracleNode | null;
  readonly times: number;
}

interface Class {
  readonly share: number;
  readonly derivations: readonly Derivation[];
  /** Documents that the information is taken from. */
  readonly having: number;
}

const SHARES = { completion: 0.8, synonym: 1, oneTypo: 0.3, twoTypos: 0.15, joined: 0.8 };

/** Rank by document, for those that strategy `any` finds. */
export function oracleRelevance({
  documents,
  settings,
  query,
  searchOn,
}: RelevanceCase): Map<number, number> {
  return new RelevanceOracle(new OracleCorpus(documents, settings), searchOn).ranks(query);
}

class RelevanceOracle {
  readonly #corpus: OracleCorpus;
  readonly #matching: OracleMatching;

  constructor(corpus: OracleCorpus, searchOn: readonly string[] | null) {
    this.#corpus = corpus;
    this.#matching = new OracleMatching(corpus, searchOn);
  }

  ranks(query: OracleQuery): Map<number, number> {
    const { terms, excluded } = locateTerms(query, this.#corpus);
    const nodes = buildNodes(terms, this.#corpus);
    const allowed = this.#corpus.ids.filter(
      (doc) => !excluded.some((text) => this.#matching.holdsWord(doc, text)),
    );
    const found = this.#universe(allowed, nodes);
    const units = unitsOf(terms, nodes);
    const joined = nodes.filter(({ length }) => length > 1);
    const pairs = this.#pairs(terms, units);
    const most =
      units.reduce((sum, unit) => sum + 2.5 * this.#said(unit) * repetition(unit.times), 0) +
      pairs.reduce((sum, pair) => sum + pair.most, 0);
    const ranks = new Map<number, number>();
    for (const doc of found) {
      const words = units.reduce((sum, unit) => sum + this.#score(doc, unit), 0);
      const asOne = joined
        .filter((node) => !this.#isProtected(textOf(node, terms)))
        .reduce((sum, node) => sum + this.#joinedScore(doc, node, terms), 0);
      const near = pairs.reduce((sum, pair) => sum + pair.most * this.#nearness(doc, pair), 0);
      const missing = most > 0 ? 1 - Math.min((words + asOne + near) / most, 1) : 1;
      const step = Math.max(1, Math.ceil(5000 * (1 - missing ** 3) - 1e-9));
      ranks.set(doc, this.#holdsEvery(doc, nodes, terms.length) ? 15_000 + step : 3 * step);
    }
    return ranks;
  }

  get #documents(): number {
    return this.#corpus.ids.length;
  }

  #isProtected(text: string): boolean {
    return this.#corpus.settings.typoTolerance.disableOnNumbers && /^[0-9]+$/.test(text);
  }

  #saysNothing(having: number): boolean {
    return this.#documents < 10 ? having === this.#documents : having > this.#documents / 2;
  }

  #matches(doc: number, node: OracleNode, levels = [0, 1, 2]): boolean {
    return this.#matching.matches(doc, { node, levels, exactOnly: false });
  }

  #count(holds: (doc: number) => boolean): number {
    return this.#corpus.ids.filter(holds).length;
  }

  #universe(allowed: readonly number[], nodes: readonly OracleNode[]): readonly number[] {
    const phrases = nodes.filter(({ isPhrase }) => isPhrase);
    if (phrases.length > 0)
      return allowed.filter((doc) => phrases.every((node) => this.#matches(doc, node)));
    const telling = nodes.filter(
      (node) => !this.#saysNothing(this.#count((doc) => this.#matches(doc, node))),
    );
    const found = allowed.filter((doc) => telling.some((node) => this.#matches(doc, node)));
    return found.length > 0
      ? found
      : allowed.filter((doc) => nodes.some((node) => this.#matches(doc, node)));
  }

  #holdsEvery(doc: number, nodes: readonly OracleNode[], termCount: number): boolean {
    const holds = (id: number, each: number): boolean =>
      nodes.some((node) => node.firstId <= id && id <= node.lastId && this.#matches(each, node));
    const ids = Array.from({ length: termCount }, (_, id) => id);
    const telling = ids.filter((id) => !this.#saysNothing(this.#count((each) => holds(id, each))));
    return (telling.length > 0 ? telling : ids).every((id) => holds(id, doc));
  }

  #classes(unit: Unit): Class[] {
    if (unit.node === null) {
      const alone = word(unit.text);
      return [
        { share: 1, derivations: [alone], having: this.#count((d) => this.#holds(d, alone)) },
      ];
    }
    return this.#classesOf(unit.node, unit.text);
  }

  #classesOf(node: OracleNode, text: string): Class[] {
    const isJoined = node.length > 1;
    const at = (level: number): Derivation[] =>
      node.derivations.filter((d) => d.level === level && !d.isSynonym);
    const typed = at(0).filter((d) => d.slots[0] === text);
    const within = (levels: number[]) => this.#count((doc) => this.#matches(doc, node, levels));
    const completions = at(0).filter((d) => d.slots[0] !== text);
    const having = isJoined
      ? within([0])
      : this.#count((d) => typed.some((t) => this.#holds(d, t)));
    const classes = [
      { share: 1, derivations: typed, having },
      { share: SHARES.completion, derivations: completions, having: within([0]) },
      {
        share: SHARES.synonym,
        derivations: node.derivations.filter((d) => d.isSynonym),
        having: within([0]),
      },
      { share: SHARES.oneTypo, derivations: at(1), having: within([0, 1]) },
      { share: SHARES.twoTypos, derivations: at(2), having: within([0, 1, 2]) },
    ];
    return (isJoined ? classes.slice(0, 3) : classes).filter((c) => c.derivations.length > 0);
  }

  #information(having: number): number {
    const n = this.#documents;
    return Math.log(1 + (n - having + 0.5) / (having + 0.5));
  }

  #said(unit: Unit): number {
    return this.#information(this.#classes(unit)[0]?.having ?? 0);
  }

  #score(doc: number, unit: Unit): number {
    return this.#best(doc, this.#classes(unit)) * repetition(unit.times);
  }

  #joinedScore(doc: number, node: OracleNode, terms: readonly Term[]): number {
    return SHARES.joined * this.#best(doc, this.#classesOf(node, textOf(node, terms)));
  }

  #best(doc: number, classes: readonly Class[]): number {
    const given = classes.flatMap(({ share, derivations, having }) =>
      derivations.map((d) => share * this.#information(having) * this.#saturated(doc, d)),
    );
    return Math.max(0, ...given);
  }

  #holds(doc: number, derivation: Derivation): boolean {
    return this.#matching.holds(doc, derivation);
  }

  #saturated(doc: number, derivation: Derivation): number {
    if (!this.#holds(doc, derivation)) return 0;
    const { slots, tolerantOnly } = derivation;
    const weights = this.#places(doc, slots.find((slot) => slot !== null)!, tolerantOnly).map((o) =>
      this.#weight(doc, o),
    );
    const t = slots.length > 1 ? Math.max(...weights) : weights.reduce((sum, w) => sum + w, 0);
    return (2.5 * t) / (t + 1.5);
  }

  #places(doc: number, text: string, tolerantOnly: boolean): Occurrence[] {
    return this.#corpus
      .of(doc, text)
      .filter(
        (o) => this.#matching.isPresent(o.field) && (!tolerantOnly || this.#corpus.isTolerant(o)),
      );
  }

  #weight(doc: number, { field }: Occurrence): number {
    const { searchableAttributes } = this.#corpus.settings;
    const place = searchableAttributes.indexOf(field);
    const last = searchableAttributes.length - 1;
    const weight = place < 0 || last === 0 ? 1 : 3 - (2 * place) / last;
    const lengths = this.#corpus.ids.flatMap((d) => this.#corpus.wordCount(d, field) || []);
    const average = lengths.reduce((sum, n) => sum + n, 0) / lengths.length;
    return weight / (0.25 + (0.75 * this.#corpus.wordCount(doc, field)) / average);
  }

  #pairs(terms: readonly Term[], units: readonly Unit[]): Pair[] {
    const places = terms.flatMap(({ slots, start }) => {
      const first = slots.findIndex((slot) => slot !== null);
      return slots.flatMap((text, i) => (text === null ? [] : [{ text, at: start + i - first }]));
    });
    const pairs = new Map<string, Pair>();
    places.forEach(({ text, at }, i) => {
      const next = places[i + 1];
      if (!next || next.at !== at + 1 || next.text === text) return;
      const both = [text, next.text].map((t) => units.find((unit) => unit.text === t)!);
      const classes = both.map((unit) => this.#classes(unit)[0]);
      if (classes.some((c) => c === undefined || this.#saysNothing(c.having))) return;
      const most = 0.5 * Math.min(...classes.map((c) => this.#information(c!.having)));
      pairs.set(`${text} ${next.text}`, { left: both[0]!, right: both[1]!, most });
    });
    return [...pairs.values()];
  }

  #nearness(doc: number, { left, right }: Pair): number {
    const distances = this.#standing(doc, left).flatMap((a) =>
      this.#standing(doc, right).flatMap((b) => {
        const gap = b.position - a.position;
        if (a.field !== b.field || gap === 0) return [];
        return gap > 0 ? gap : 1 - gap;
      }),
    );
    return Math.max(0, (5 - Math.min(5, ...distances)) / 4);
  }

  /** Places of the word and its completions. */
  #standing(doc: number, unit: Unit): Occurrence[] {
    const typed = unit.node
      ? unit.node.derivations.filter((d) => d.level === 0 && !d.isSynonym)
      : [word(unit.text)];
    return typed.flatMap(({ slots, tolerantOnly }) => this.#places(doc, slots[0]!, tolerantOnly));
  }
}

interface Pair {
  readonly left: Unit;
  readonly right: Unit;
  readonly most: number;
}

const repetition = (times: number): number => (8 * times) / (times + 7);

const word = (text: string): Derivation => ({
  slots: [text],
  isPhrase: false,
  level: 0,
  tolerantOnly: false,
  isExact: true,
  isSynonym: false,
});

const textOf = ({ firstId, lastId }: OracleNode, terms: readonly Term[]): string =>
  terms
    .slice(firstId, lastId + 1)
    .map(({ slots }) => slots[0])
    .join('');

/** Distinct words; of several alike the one that may be completed, or else one that is no phrase's. */
function unitsOf(terms: readonly Term[], nodes: readonly OracleNode[]): Unit[] {
  const words = terms.flatMap(({ slots, isPhrase, isPrefix }, id) =>
    slots.flatMap((text) => {
      if (text === null) return [];
      const node = isPhrase ? null : nodes.find((n) => n.length === 1 && n.firstId === id)!;
      return [{ text, node, rank: node === null ? 0 : isPrefix ? 2 : 1 }];
    }),
  );
  return [...new Set(words.map(({ text }) => text))].map((text) => {
    const alike = words.filter((each) => each.text === text);
    const [best] = [...alike].sort((a, b) => b.rank - a.rank);
    return { text, node: best!.node, times: alike.length };
  });
}

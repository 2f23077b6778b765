/**
 * Units of a query for relevance: each distinct word once, with classes of words that stand for it,
 * and the pairs of adjacent words (relevance.md 3.15).
 */
import { saysNothing } from '../matching/any-word.ts';
import type { MatchSets } from '../matching/match-sets.ts';
import { ALL_TYPOS } from '../matching/readings.ts';
import { isTerm, type QueryGraph, type QueryNode } from '../query/query-node.ts';
import { DocSet } from '../sets/doc-set.ts';
import type { Phrase, Word, WordRanges } from '../snapshot/derivations.ts';
import type { FieldScope } from '../snapshot/field-scope.ts';
import { information, NEAR_SHARE, repetition, SATURATED_MAX, SHARE } from './bm25f.ts';

/** Words of the index that stand for a query word, with a common weight. */
export interface WordClass {
  /** Score of one saturated occurrence. */
  readonly weight: number;
  readonly words: readonly Word[];
  /** Inflections, whose occurrences are added to the occurrences of the words. */
  readonly relatives: readonly Word[];
  /** Completions, without the word as typed. */
  readonly ranges: WordRanges | null;
  readonly except: Word | null;
  readonly phrases: readonly Phrase[];
  /** Fields where the words count; a phrase counts in the fields of its words. */
  readonly scope: FieldScope;
}

/** Documents that match a unit by words of some of its classes. */
export interface Holders {
  readonly docs: DocSet;
  readonly classes: readonly WordClass[];
  /** Score bound of these documents for the unit. */
  readonly most: number;
}

/** A word of the query. */
export interface QueryUnit {
  /** A document gets the score of its best class. Empty when the index has no matching word. */
  readonly holders: readonly Holders[];
  /**
   * True if the first holders match the word as typed; proximity to adjacent words applies to them.
   */
  readonly isMetAsTyped: boolean;
  /** Maximum score for the unit. */
  readonly most: number;
  /** Inverse document frequency, without the weight of repetition. */
  readonly information: number;
  readonly saysNothing: boolean;
}

/** Two adjacent words of the query. */
export interface UnitPair {
  readonly left: QueryUnit;
  readonly right: QueryUnit;
  /** Score of adjacent occurrences. */
  readonly most: number;
}

export interface QueryPart {
  readonly unit: QueryUnit;
  /** Pairs of the unit with earlier units. */
  readonly pairs: readonly UnitPair[];
}

export interface WeighedQuery {
  /** Processing order of the scores. */
  readonly parts: readonly QueryPart[];
  /** Upper bound of the score of any document, without joined words. */
  readonly most: number;
}

/**
 * Completions are not used when the documents with the prefix are too many to score and it has more
 * than this number of completions.
 */
const COMPLETIONS_MAX = 1000;

interface Counted {
  readonly node: QueryNode | null;
  readonly word: Word | null;
  times: number;
}

export function weighQuery({ nodes }: QueryGraph, sets: MatchSets): WeighedQuery {
  const byText = new Map<string, Counted>();
  const places: { readonly text: string; readonly at: number }[] = [];
  const count = (text: string, at: number, node: QueryNode | null, word: Word | null): void => {
    const known = byText.get(text);
    const isBetter = !known?.node?.derivations.completions && node !== null;
    byText.set(
      text,
      known && !isBetter
        ? { ...known, times: known.times + 1 }
        : { node, word, times: (known?.times ?? 0) + 1 },
    );
    places.push({ text, at });
  };
  for (const node of inOrder(nodes)) {
    if (node.kind === 'word') count(node.text, node.start, node, null);
    else {
      const slots = node.derivations.phrase?.slots ?? [];
      const first = slots.findIndex((word) => word !== null);
      slots.forEach((word, i) => {
        if (word) count(word.text, node.start + i - first, null, word);
      });
    }
  }
  const units = new Map(
    [...byText].map(([text, { node, word, times }]) => [
      text,
      node ? unitOfNode(node, times, 1, sets) : unitOfWord(word!, times, sets),
    ]),
  );
  const joined = nodes
    .filter(({ kind, text }) => kind === 'ngram' && !sets.isProtected(text))
    .map((node) => unitOfNode(node, 1, SHARE.joined, sets));
  const pairs = pairsOf(places, units);
  const all = [...units.values(), ...joined].filter(({ holders }) => holders.length > 0);
  return {
    parts: partsOf(all, pairs),
    most:
      [...units.values()].reduce((sum, unit) => sum + unit.most, 0) +
      pairs.reduce((sum, pair) => sum + pair.most, 0),
  };
}

/** Units with the highest score first. */
function partsOf(units: QueryUnit[], pairs: readonly UnitPair[]): QueryPart[] {
  const before = new Set<QueryUnit>();
  return units
    .sort((a, b) => b.most - a.most)
    .map((unit) => {
      before.add(unit);
      return {
        unit,
        pairs: pairs.filter(
          ({ left, right }) =>
            (left === unit && before.has(right)) || (right === unit && before.has(left)),
        ),
      };
    });
}

/** Words and phrases in query order. */
const inOrder = (nodes: readonly QueryNode[]): QueryNode[] =>
  nodes.filter(isTerm).sort((a, b) => a.firstId - b.firstId);

function pairsOf(
  places: readonly { readonly text: string; readonly at: number }[],
  units: ReadonlyMap<string, QueryUnit>,
): UnitPair[] {
  const pairs = new Map<string, UnitPair>();
  for (let i = 1; i < places.length; i++) {
    const [before, after] = [places[i - 1]!, places[i]!];
    if (before.at + 1 !== after.at || before.text === after.text) continue;
    const left = units.get(before.text)!;
    const right = units.get(after.text)!;
    if ([left, right].some((unit) => unit.saysNothing || unit.holders.length === 0)) continue;
    const most = NEAR_SHARE * Math.min(left.information, right.information);
    pairs.set(`${before.text}\u0000${after.text}`, { left, right, most });
  }
  return [...pairs.values()];
}

/** A word of a phrase, without alternatives. */
function unitOfWord(word: Word, times: number, sets: MatchSets): QueryUnit {
  const docs = sets.word(word);
  const having = docs.count;
  const scope = sets.scopes.present;
  const said = information(having, sets.live.count);
  const weight = said * repetition(times);
  const most = weight * SATURATED_MAX;
  return {
    holders: [{ docs, classes: [wordClass({ words: [word], scope }, weight)], most }],
    isMetAsTyped: true,
    most,
    information: said,
    saysNothing: saysNothing(having, sets.live.count),
  };
}

/** Content of a class; the scope is not empty. */
type ClassContent = Partial<Omit<WordClass, 'weight' | 'scope'>> & Pick<WordClass, 'scope'>;

const wordClass = (
  { words = [], relatives = [], ranges = null, except = null, phrases = [], scope }: ClassContent,
  weight: number,
): WordClass => ({ weight, words, relatives, ranges, except, phrases, scope });

/** @param share factor of the score: below 1 for joined words, which have no typos */
function unitOfNode(node: QueryNode, times: number, share: number, sets: MatchSets): QueryUnit {
  const documents = sets.live.count;
  const isWord = node.kind === 'word';
  const classes: WordClass[] = [];
  let having = 0;
  let said = 0;
  const add = (own: number, docs: () => number, what: ClassContent): void => {
    const lists = [what.words, what.relatives, what.phrases];
    const isEmpty = !what.ranges && lists.every((list) => (list ?? []).length === 0);
    if (isEmpty) return;
    const count = docs();
    const information_ = information(count, documents);
    if (classes.length === 0) {
      having = count;
      said = information_;
    }
    const weight = own * share * information_ * repetition(times);
    classes.push(wordClass(what, weight));
  };
  const { exact, completions, synonyms, relatives, oneTypo, split, twoTypos } = node.derivations;
  const typedScope = node.reachesExactFields ? sets.scopes.present : sets.scopes.tolerant;
  const { tolerant } = sets.scopes;
  const typed = exact ? [exact] : [];
  const asTyped = (): number => sets.withTypos(node, 0).count;
  const inflected = DocSet.unionOf(
    [...typed, ...relatives].map((word) => sets.word(word)),
    sets.live.bitsetLength,
  );
  add(1, () => (isWord ? inflected.count : asTyped()), {
    words: typed,
    relatives,
    scope: typedScope,
  });
  const ranges = completions && isCounted(completions, asTyped(), documents) ? completions : null;
  add(SHARE.completion, asTyped, { ranges, except: exact, scope: typedScope });
  add(SHARE.synonym, asTyped, {
    scope: sets.scopes.present,
    phrases: synonyms.slice(0, synonyms.length - relatives.length),
  });
  const typedCount = classes.length;
  if (isWord) {
    add(SHARE.oneTypo, () => sets.withAnyTypos(node, 0b011).count, {
      words: oneTypo,
      phrases: split ? [split] : [],
      scope: tolerant,
    });
    add(SHARE.twoTypos, () => sets.withAnyTypos(node, ALL_TYPOS).count, {
      words: twoTypos,
      scope: tolerant,
    });
  }
  if (classes.length === 0) said = information(0, documents);
  const isAlone = isWord && exact !== null && !ranges;
  const firstCount = isAlone ? 1 : typedCount;
  const docs = isAlone ? inflected : sets.withTypos(node, 0);
  const otherTypos = firstCount < typedCount ? ALL_TYPOS : ALL_TYPOS - 1;
  return {
    holders: [
      ...holdersOf(classes.slice(0, firstCount), () => docs),
      ...holdersOf(classes.slice(firstCount), () => sets.withAnyTypos(node, otherTypos)),
    ],
    isMetAsTyped: typedCount > 0,
    most: said * share * repetition(times) * SATURATED_MAX,
    information: said,
    saysNothing: saysNothing(having, documents),
  };
}

function holdersOf(classes: readonly WordClass[], docs: () => DocSet): Holders[] {
  const weight = classes.reduce((most, own) => Math.max(most, own.weight), 0);
  return classes.length === 0 ? [] : [{ docs: docs(), classes, most: weight * SATURATED_MAX }];
}

function isCounted({ bounds }: WordRanges, having: number, documents: number): boolean {
  let words = 0;
  for (let i = 0; i < bounds.length; i += 2) words += bounds[i + 1]! - bounds[i]!;
  return words > 0 && (words <= COMPLETIONS_MAX || !saysNothing(having, documents));
}

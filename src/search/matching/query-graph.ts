/**
 * Builds the nodes of a query: terms, bigrams and trigrams of neighbouring words, and parts of chunks,
 * each with its derivations (relevance.md 2.2–2.6, 2.9).
 */

import type { Deadline } from '../../core/deadline.ts';
import { flatText } from '../../core/flat-text.ts';
import { HASH_SEED, hashBytes, hashFinish, hashStep } from '../../core/hash.ts';
import { limits } from '../../core/limits.ts';
import { sumOf } from '../../core/sum.ts';
import { encodeUtf8 } from '../../engine/bytes/utf8.ts';
import { chunksContaining } from '../query/chunks-containing.ts';
import type { QueryGraph, QueryNode } from '../query/query-node.ts';
import type { LocatedTerm, ParsedQuery, PhraseText } from '../query/query-parser.ts';
import { relativesOf } from '../query/relatives.ts';
import type { Vocabulary } from '../query/vocabulary.ts';
import { CACHE_KINDS } from '../snapshot/cache-kinds.ts';
import type {
  Derivations,
  NodeContent,
  Phrase,
  Word,
  WordRanges,
} from '../snapshot/derivations.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { limitSynonyms, type SynonymTable, synonymKey } from '../snapshot/synonym-table.ts';
import type { MatchSets } from './match-sets.ts';

/**
 * Largest number of neighbouring words in an ngram; a query never has more nodes than
 * `queryTermsMax`.
 */
const NGRAM_WORDS_MAX = 3;
/** No index contains longer words, so they have no derivations, and ngrams are not longer. */
const WORD_BYTES_MAX = limits.wordBytesMax;

/** One list for all: most words have no similar words, and their derivations are cached. */
const NONE: readonly never[] = [];

const orNone = <Item>(items: readonly Item[]): readonly Item[] =>
  items.length === 0 ? NONE : items;

const NO_DERIVATIONS: Derivations = {
  exact: null,
  completions: null,
  synonyms: NONE,
  unknownSynonyms: NONE,
  relatives: NONE,
  phrase: null,
  oneTypo: NONE,
  split: null,
  twoTypos: NONE,
  chunks: null,
};

interface GraphBuilding {
  readonly snapshot: IndexSnapshot;
  readonly vocabulary: Vocabulary;
  readonly sets: MatchSets;
  readonly synonyms: SynonymTable;
  /** Normalised `disableOnWords`. */
  readonly protectedWords: ReadonlySet<string>;
  /** Languages with stemming. */
  readonly inflections: readonly string[];
  /** Only a curb matters. */
  readonly deadline: Deadline;
}

/** Typo budget of a word (2.2). */
function typoBudget(text: string, { snapshot, protectedWords }: GraphBuilding): 0 | 1 | 2 {
  const { enabled, minWordSizeForTypos } = snapshot.manifest.settings.typoTolerance;
  let length = 0;
  for (const _ of text) length++;
  if (!enabled || length < minWordSizeForTypos.oneTypo || protectedWords.has(text)) return 0;
  return length < minWordSizeForTypos.twoTypos ? 1 : 2;
}

/** The words of a phrase, or null when one of them is not in the index. */
export function phraseOf(texts: PhraseText, vocabulary: Vocabulary): Phrase | null {
  const slots: (Word | null)[] = [];
  for (const text of texts) {
    const word = text === null ? null : vocabulary.find(text);
    if (text !== null && word === null) return null;
    slots.push(word);
  }
  return { slots };
}

export function buildQueryGraph(
  { terms, parts }: Pick<ParsedQuery, 'terms' | 'parts'>,
  building: GraphBuilding,
): QueryGraph {
  const nodes: QueryNode[] = [];
  const wordsMax = terms.length > limits.queryTermsMax ? 1 : NGRAM_WORDS_MAX;
  for (let last = 0; last < terms.length; last++) {
    for (let length = 1; length <= wordsMax && length <= last + 1; length++) {
      const covered = terms.slice(last - length + 1, last + 1);
      if (length > 1 && !formsNgram(covered)) break;
      nodes.push(buildNode(nodes.length, last - length + 1, covered, building));
    }
  }
  for (const part of parts) {
    const { text, firstId, lastId } = part;
    const content = partContent(text, building);
    if (content.derivations.chunks === null) continue;
    const own = {
      kind: 'part',
      number: nodes.length,
      firstId,
      text,
      reachesExactFields: true,
    } as const;
    nodes.push(queryNode(own, terms.slice(firstId, lastId + 1), content));
  }
  const phraseWordCount = sumOf(
    terms.map(({ phrase }) => phrase?.filter((word) => word !== null).length ?? 0),
  );
  return { nodes, termCount: terms.length, phraseWordCount };
}

function formsNgram(terms: readonly LocatedTerm[]): boolean {
  if (terms.some((t) => t.word === null)) return false;
  if (terms.some((t, i) => i > 0 && terms[i - 1]!.end + 1 !== t.start)) return false;
  return Buffer.byteLength(terms.map((t) => t.word).join('')) <= WORD_BYTES_MAX;
}

function buildNode(
  number: number,
  firstId: number,
  terms: readonly LocatedTerm[],
  building: GraphBuilding,
): QueryNode {
  building.deadline.check();
  const { phrase } = terms[0]!;
  const words = terms.map((t) => t.word!);
  const isOneTerm = terms.length === 1;
  const content = phrase
    ? phraseContent(phrase, building)
    : cachedContent(words, terms.at(-1)!.isPrefix, building);
  const kind = phrase ? 'phrase' : isOneTerm ? 'word' : 'ngram';
  const text = phrase ? phrase.join(' ') : words.join('');
  return queryNode({ kind, number, firstId, text, reachesExactFields: isOneTerm }, terms, content);
}

/** @param terms the covered ones */
const queryNode = (
  own: Pick<QueryNode, 'kind' | 'number' | 'firstId' | 'text' | 'reachesExactFields'>,
  terms: readonly LocatedTerm[],
  content: NodeContent,
): QueryNode => ({
  kind: own.kind,
  number: own.number,
  firstId: own.firstId,
  lastId: own.firstId + terms.length - 1,
  length: terms.length,
  start: terms[0]!.start,
  end: terms.at(-1)!.end,
  text: own.text,
  key: content.key,
  typoKey: content.typoKey,
  budget: content.budget,
  isFrequentPrefix: content.isFrequentPrefix,
  reachesExactFields: own.reachesExactFields,
  derivations: content.derivations,
});

/** From the query cache, or computed and cached. */
function partContent(text: string, { snapshot, deadline }: GraphBuilding): NodeContent {
  const name = `\u0002${text}`;
  return snapshot.queryCache.getOrMake(CACHE_KINDS.nodeContent, name, () => {
    deadline.check();
    const chunks = chunksContaining(encodeUtf8(text), snapshot, deadline);
    const key = flatText(chunks?.last ? `${name}\u0000<${chunks.last}` : name);
    const derivations = { ...NO_DERIVATIONS, chunks };
    return { key, typoKey: key, budget: 2, isFrequentPrefix: false, derivations };
  });
}

/** By attribute, derivations are not cached: looking up a split or a phrase affects later pairs. */
const cachesDerivations = ({ snapshot }: GraphBuilding): boolean =>
  snapshot.manifest.settings.proximityPrecision !== 'byAttribute';

function phraseContent(texts: PhraseText, building: GraphBuilding): NodeContent {
  const key = cachesDerivations(building)
    ? `\u0000${texts.map((word) => word ?? '').join('\u0000')}`
    : null;
  return {
    key,
    typoKey: key,
    budget: 0,
    isFrequentPrefix: false,
    derivations: { ...NO_DERIVATIONS, phrase: phraseOf(texts, building.vocabulary) },
  };
}

/**
 * Content from the query cache, or computed and cached. While a user types, all words except the
 * last stay the same.
 */
function cachedContent(
  words: readonly string[],
  isPrefix: boolean,
  building: GraphBuilding,
): NodeContent {
  if (!cachesDerivations(building)) return wordContent(null, words, isPrefix, building);
  const languages = building.inflections.map((language) => `\u0001${language}`).join('');
  const key = `${words.join('\u0000')}${isPrefix ? '*' : ''}${languages}`;
  return building.snapshot.queryCache.getOrMake(CACHE_KINDS.nodeContent, key, () =>
    wordContent(key, words, isPrefix, building),
  );
}

function wordContent(
  key: string | null,
  words: readonly string[],
  isPrefix: boolean,
  building: GraphBuilding,
): NodeContent {
  const text = words.join('');
  if (Buffer.byteLength(text) > WORD_BYTES_MAX)
    return { key, typoKey: key, budget: 0, isFrequentPrefix: false, derivations: NO_DERIVATIONS };
  const budget = Math.max(0, typoBudget(text, building) - (words.length - 1)) as 0 | 1 | 2;
  const isFrequentPrefix = isPrefix && building.vocabulary.isFrequentPrefix(text);
  const derivations = deriveWord({ words, text, budget, isPrefix, isFrequentPrefix }, building);
  if (key === null) return { key, typoKey: key, budget, isFrequentPrefix, derivations };
  const exactKey = flatText(`${key}${isFrequentPrefix ? '!' : ''}${nameOfExact(derivations)}`);
  const typoKey = flatText(`${exactKey}${nameOfTypos(derivations)}`);
  return { key: exactKey, typoKey, budget, isFrequentPrefix, derivations };
}

/** Identifies the chosen words of the index: equal names mean equal words. */
function nameOfExact({ completions, synonyms }: Derivations): string {
  const last = completions?.last ?? null;
  return `${last === null ? '' : `<${last}`}${nameOfPhrases(synonyms)}`;
}

const nameOfTypos = ({ oneTypo, split, twoTypos }: Derivations): string =>
  ` ${nameOfPhrases([{ slots: oneTypo }, ...(split ? [split] : []), { slots: twoTypos }])}`;

/** Hash of a list of phrases; '' for none. */
function nameOfPhrases(phrases: readonly Phrase[]): string {
  if (phrases.length === 0) return '';
  const texts = phrases.map(({ slots }) => slots.map((word) => word?.text).join('\u0000'));
  const bytes = Buffer.from(texts.join('\u0001'));
  let reversed = HASH_SEED;
  for (let i = bytes.length; i-- > 0; ) reversed = hashStep(reversed, bytes[i]!);
  return ` ${bytes.length} ${hashBytes(bytes, 0, bytes.length)} ${hashFinish(reversed)}`;
}

/** A word of the query, or several words joined. */
interface WrittenWord {
  readonly words: readonly string[];
  /** The words joined. */
  readonly text: string;
  /** Allowed typos. */
  readonly budget: 0 | 1 | 2;
  readonly isPrefix: boolean;
  readonly isFrequentPrefix: boolean;
}

function deriveWord(written: WrittenWord, building: GraphBuilding): Derivations {
  const { words, text, budget, isPrefix } = written;
  const { vocabulary } = building;
  const similar =
    budget === 0
      ? { oneTypo: NONE, twoTypos: NONE }
      : vocabulary.similar({ text, budget, isPrefix });
  const relatives = words.length === 1 ? relativesOf(text, building.inflections, vocabulary) : NONE;
  const synonyms = synonymsOf(words, text, building);
  return {
    exact: vocabulary.find(text),
    completions: isPrefix ? completionsOf(written, vocabulary) : null,
    synonyms: orNone([
      ...synonyms.flatMap((synonym) => phraseOf(synonym, vocabulary) ?? []),
      ...relatives.map((word): Phrase => ({ slots: [word] })),
    ]),
    unknownSynonyms: orNone(synonyms.filter((synonym) => phraseOf(synonym, vocabulary) === null)),
    relatives: orNone(relatives),
    phrase: null,
    oneTypo: orNone(similar.oneTypo),
    split: bestSplit(words, text, building),
    twoTypos: orNone(similar.twoTypos),
    chunks: null,
  };
}

const completionsOf = (
  { text, isFrequentPrefix }: WrittenWord,
  vocabulary: Vocabulary,
): WordRanges =>
  isFrequentPrefix ? vocabulary.allStartingWith(text) : vocabulary.firstStartingWith(text);

function synonymsOf(
  words: readonly string[],
  text: string,
  { synonyms }: GraphBuilding,
): readonly (readonly string[])[] {
  if (synonyms.size === 0) return NONE;
  const single = limitSynonyms(synonyms.get(synonymKey([text])) ?? []);
  const several = words.length > 1 ? (synonyms.get(synonymKey(words)) ?? []) : [];
  return [...several, ...single];
}

/**
 * The split into two words that most documents contain next to each other (2.3); null if no
 * document does.
 */
function bestSplit(
  words: readonly string[],
  text: string,
  { vocabulary, sets, snapshot }: GraphBuilding,
): Phrase | null {
  // The pair of the typed words beats a split and is never a split itself; field neighbours rely on
  // its look-up.
  const asksOwnPair = snapshot.manifest.settings.proximityPrecision === 'byAttribute';
  const cuts = cutsOf(text, vocabulary, sets);
  const own = words.length === 2 ? cuts.find(({ at }) => at === words[0]!.length) : undefined;
  const best = mostFrequentCut(
    cuts.filter((cut) => cut !== own),
    sets,
  );
  if (own && (best || asksOwnPair)) {
    const counted = countedCut(own, sets);
    if (best && isBetter(counted, best)) return null;
  }
  return best ? { slots: [best.left, best.right] } : null;
}

/** The splits of the text into two words of the index. */
function cutsOf(text: string, vocabulary: Vocabulary, sets: MatchSets): Cut[] {
  const cuts: Cut[] = [];
  let at = 0;
  for (const character of text) {
    at += character.length;
    if (at >= text.length) break;
    const left = vocabulary.find(text.slice(0, at));
    const right = left && vocabulary.find(text.slice(at));
    if (left && right) cuts.push({ left, right, at, bound: sets.neighbourBound(left, right) });
  }
  return cuts;
}

/** null if no document contains the words of any split next to each other. */
function mostFrequentCut(cuts: readonly Cut[], sets: MatchSets): CountedCut | null {
  let best: CountedCut | null = null;
  for (const cut of [...cuts].sort((a, b) => b.bound - a.bound || a.at - b.at)) {
    if (cut.bound < (best?.count ?? 1)) break;
    const counted = countedCut(cut, sets);
    if (counted.count > 0 && (best === null || isBetter(counted, best))) best = counted;
  }
  return best;
}

const countedCut = (cut: Cut, sets: MatchSets): CountedCut => ({
  ...cut,
  count: sets.neighbourCount(cut.left, cut.right),
});

/** Of two equally frequent splits, the one further left is better. */
const isBetter = (a: CountedCut, b: CountedCut): boolean =>
  a.count > b.count || (a.count === b.count && a.at < b.at);

interface Cut {
  readonly left: Word;
  readonly right: Word;
  /** Length of the left word in the text. */
  readonly at: number;
  /** Upper bound of the number of documents that contain both words next to each other. */
  readonly bound: number;
}

interface CountedCut extends Cut {
  /** Number of documents that contain both words next to each other. */
  readonly count: number;
}

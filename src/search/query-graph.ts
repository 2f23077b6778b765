/** Builds the nodes of a query: its terms and the bigrams and trigrams of neighbouring words, each with its derivations (relevance.md 2.2–2.6). */
import { limits } from '../core/limits.ts';
import type { IndexSnapshot } from './index-snapshot.ts';
import type { MatchSets } from './match-sets.ts';
import type { Derivations, Phrase, QueryGraph, QueryNode } from './query-node.ts';
import type { LocatedTerm, PhraseText } from './query-parser.ts';
import { limitSynonyms, type SynonymTable, synonymKey } from './synonym-table.ts';
import type { Vocabulary, Word } from './vocabulary.ts';

/** Neighbouring words that are joined to one. */
const NGRAM_WORDS_MAX = 3;
/** A longer word is in no index, so nothing stands for it; neighbours are not joined beyond it. */
const WORD_BYTES_MAX = limits.wordBytesMax;

const NO_DERIVATIONS: Derivations = {
  exact: null,
  completions: null,
  synonyms: [],
  phrase: null,
  oneTypo: [],
  split: null,
  twoTypos: [],
};

export interface GraphBuilding {
  readonly snapshot: IndexSnapshot;
  readonly vocabulary: Vocabulary;
  readonly sets: MatchSets;
  readonly synonyms: SynonymTable;
  /** Normalised `disableOnWords`. */
  readonly protectedWords: ReadonlySet<string>;
}

/** Typo budget of a word (2.2). */
export function typoBudget(text: string, { snapshot, protectedWords }: GraphBuilding): 0 | 1 | 2 {
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

export function buildQueryGraph(terms: readonly LocatedTerm[], building: GraphBuilding): QueryGraph {
  const nodes: QueryNode[] = [];
  for (let last = 0; last < terms.length; last++) {
    for (let length = 1; length <= NGRAM_WORDS_MAX && length <= last + 1; length++) {
      const covered = terms.slice(last - length + 1, last + 1);
      if (length > 1 && !formsNgram(covered)) break;
      nodes.push(buildNode(nodes.length, last - length + 1, covered, building));
    }
  }
  const phraseWordCount = terms.reduce((n, t) => n + (t.phrase?.filter((w) => w !== null).length ?? 0), 0);
  return { nodes, termCount: terms.length, phraseWordCount };
}

function formsNgram(terms: readonly LocatedTerm[]): boolean {
  if (terms.some((t) => t.word === null)) return false;
  if (terms.some((t, i) => i > 0 && terms[i - 1]!.end + 1 !== t.start)) return false;
  return Buffer.byteLength(terms.map((t) => t.word).join('')) <= WORD_BYTES_MAX;
}

function buildNode(number: number, firstId: number, terms: readonly LocatedTerm[], building: GraphBuilding): QueryNode {
  const first = terms[0]!;
  const last = terms[terms.length - 1]!;
  const { phrase } = first;
  const words = terms.map((t) => t.word!);
  const content = phrase ? phraseContent(phrase, building) : keptContent(words, last.isPrefix, building);
  const isOneTerm = terms.length === 1;
  return {
    kind: phrase ? 'phrase' : isOneTerm ? 'word' : 'ngram',
    number,
    firstId,
    lastId: firstId + terms.length - 1,
    length: terms.length,
    start: first.start,
    end: last.end,
    text: phrase ? phrase.join(' ') : words.join(''),
    key: content.key,
    budget: content.budget,
    isFrequentPrefix: content.isFrequentPrefix,
    reachesExactFields: isOneTerm,
    derivations: content.derivations,
  };
}

/** What the words of a node lead to; the same for all searches of a generation. */
type NodeContent = Pick<QueryNode, 'key' | 'budget' | 'isFrequentPrefix' | 'derivations'>;

/** By attribute nothing is kept: looking a split or a phrase up has an effect on later pairs there. */
const keepsDerivations = ({ snapshot }: GraphBuilding): boolean =>
  snapshot.manifest.settings.proximityPrecision !== 'byAttribute';

function phraseContent(texts: PhraseText, building: GraphBuilding): NodeContent {
  return {
    key: keepsDerivations(building) ? `\u0000${texts.map((word) => word ?? '').join('\u0000')}` : null,
    budget: 0,
    isFrequentPrefix: false,
    derivations: { ...NO_DERIVATIONS, phrase: phraseOf(texts, building.vocabulary) },
  };
}

/**
 * The content found by an earlier search of the generation, or by this one for later ones: while somebody types, all words but the
 * last stay the same.
 */
function keptContent(words: readonly string[], isPrefix: boolean, building: GraphBuilding): NodeContent {
  const { cache, cacheKey } = building.snapshot;
  if (!keepsDerivations(building)) return wordContent(null, words, isPrefix, building);
  const key = `${words.join('\u0000')}${isPrefix ? '*' : ''}`;
  return cache.getOrMake(`${cacheKey} derivations ${key}`, () => wordContent(key, words, isPrefix, building), bytesOf);
}

const CONTENT_BYTES = 512;
const WORD_BYTES = 128;

/** Roughly the memory a content holds. */
function bytesOf({ key, derivations: { oneTypo, twoTypos, synonyms, completions } }: NodeContent): number {
  const wordCount = oneTypo.length + twoTypos.length + synonyms.reduce((n, { slots }) => n + slots.length, 0);
  return CONTENT_BYTES + 2 * (key?.length ?? 0) + wordCount * WORD_BYTES + (completions?.bounds.byteLength ?? 0);
}

function wordContent(
  key: string | null,
  words: readonly string[],
  isPrefix: boolean,
  building: GraphBuilding,
): NodeContent {
  const text = words.join('');
  if (Buffer.byteLength(text) > WORD_BYTES_MAX)
    return { key, budget: 0, isFrequentPrefix: false, derivations: NO_DERIVATIONS };
  const budget = Math.max(0, typoBudget(text, building) - (words.length - 1)) as 0 | 1 | 2;
  const isFrequentPrefix = isPrefix && building.vocabulary.isFrequentPrefix(text);
  const derivations = deriveWord(words, text, budget, isPrefix, isFrequentPrefix, building);
  return { key, budget, isFrequentPrefix, derivations };
}

function deriveWord(
  words: readonly string[],
  text: string,
  budget: 0 | 1 | 2,
  isPrefix: boolean,
  isFrequentPrefix: boolean,
  building: GraphBuilding,
): Derivations {
  const { vocabulary } = building;
  const similar = budget === 0 ? { oneTypo: [], twoTypos: [] } : vocabulary.similar(text, budget, isPrefix);
  return {
    exact: vocabulary.find(text),
    completions: isPrefix ? vocabulary.startingWith(text, isFrequentPrefix) : null,
    synonyms: synonymPhrases(words, text, building),
    phrase: null,
    oneTypo: similar.oneTypo,
    split: bestSplit(words, text, building),
    twoTypos: similar.twoTypos,
  };
}

function synonymPhrases(words: readonly string[], text: string, { synonyms, vocabulary }: GraphBuilding): Phrase[] {
  if (synonyms.size === 0) return [];
  const single = limitSynonyms(synonyms.get(synonymKey([text])) ?? []);
  const several = words.length > 1 ? (synonyms.get(synonymKey(words)) ?? []) : [];
  return [...several, ...single].flatMap((phrase) => phraseOf(phrase, vocabulary) ?? []);
}

/** The cut into two words that most documents hold side by side (2.3); null when none does. */
function bestSplit(
  words: readonly string[],
  text: string,
  { vocabulary, sets, snapshot }: GraphBuilding,
): Phrase | null {
  // The typed words' own pair beats a cut, never is one; field neighbours rely on its having been asked for.
  const asksOwnPair = snapshot.manifest.settings.proximityPrecision === 'byAttribute';
  const cuts: Cut[] = [];
  let own: Cut | null = null;
  let at = 0;
  for (const character of text) {
    at += character.length;
    if (at >= text.length) break;
    const left = vocabulary.find(text.slice(0, at));
    const right = left && vocabulary.find(text.slice(at));
    if (!left || !right) continue;
    const cut = { left, right, at, bound: sets.togetherBound(left, right) };
    if (words.length === 2 && at === words[0]!.length) own = cut;
    else cuts.push(cut);
  }
  cuts.sort((a, b) => b.bound - a.bound || a.at - b.at);
  let best: (Cut & { readonly count: number }) | null = null;
  for (const cut of cuts) {
    if (cut.bound < (best?.count ?? 1)) break;
    const count = sets.neighbourCount(cut.left, cut.right);
    if (count > (best?.count ?? 0) || (best && count === best.count && cut.at < best.at)) best = { ...cut, count };
  }
  if (own && (best || asksOwnPair)) {
    const count = sets.neighbourCount(own.left, own.right);
    if (best && (count > best.count || (count === best.count && own.at < best.at))) return null;
  }
  return best ? { slots: [best.left, best.right] } : null;
}

interface Cut {
  readonly left: Word;
  readonly right: Word;
  /** Length of the left word in the text. */
  readonly at: number;
  /** Upper bound of the documents that hold the two side by side. */
  readonly bound: number;
}

/**
 * Matches of a query in a text: its phrases, and for each token the part that a term of the query
 * matches (relevance.md 6.3).
 */
import { compareCodePoints } from '../../../core/compare-text.ts';
import { getOrCompute } from '../../../core/get-or-compute.ts';
import type { LemmaFilter } from '../../../engine/analysis/tokens/display-tokens.ts';
import { encodeUtf8 } from '../../../engine/bytes/utf8.ts';
import type { QueryGraph, QueryNode } from '../../query/query-node.ts';
import type { Phrase, WordRanges } from '../../snapshot/derivations.ts';
import type { IndexSnapshot } from '../../snapshot/index-snapshot.ts';
import { characterCount, MatchingParts } from './matching-parts.ts';
import { TextBeginnings } from './text-beginnings.ts';
import type { QueryPlace } from './text-match.ts';

export interface MatchingPhrase {
  /** Lemmas of consecutive words. */
  readonly words: readonly string[];
  readonly place: QueryPlace;
}

/** A term of the query and how it matches one lemma. */
export interface WordMatch {
  readonly place: QueryPlace;
  /** Characters of the lemma that match, from its start; null = the whole token. */
  readonly characters: number | null;
}

interface MatchingTerm {
  /** Each lemma that matches starts with one of these strings. */
  readonly starts: readonly string[];
  readonly isPrefix: boolean;
  readonly length: number;
  readonly place: QueryPlace;
  /** Undefined when the term does not match; else as `WordMatch.characters`. */
  charactersOf(lemma: string): number | null | undefined;
}

const NO_PHRASES: readonly MatchingPhrase[] = [];

export class MatchingWords implements LemmaFilter {
  readonly #phrases = new Map<string, MatchingPhrase[]>();
  readonly #terms: readonly MatchingTerm[];
  readonly #words = new Map<string, WordMatch | null>();
  readonly #beginnings: TextBeginnings;
  /** First UTF-16 units of all possible matches: they rule out most tokens. */
  readonly #firstUnits = new Set<number>();
  /** Parts of the query that match inside and across words. */
  readonly parts: MatchingParts;

  /** @param query null for a placeholder search, which has no matches */
  constructor(snapshot: IndexSnapshot, query: QueryGraph | null) {
    const nodes = query?.nodes ?? [];
    this.parts = new MatchingParts(snapshot.analyzer, nodes);
    for (const node of nodes) this.#addPhrases(node);
    const terms = nodes
      .filter(({ kind }) => kind === 'word' || kind === 'ngram')
      .map((node) => termOf(snapshot, node));
    this.#terms = terms.sort(
      (a, b) => Number(a.isPrefix) - Number(b.isPrefix) || b.length - a.length,
    );
    const starts = [...this.#phrases.keys(), ...this.#terms.flatMap((term) => term.starts)];
    for (const start of starts) this.#firstUnits.add(start.charCodeAt(0));
    this.#beginnings = new TextBeginnings(starts);
  }

  get isEmpty(): boolean {
    return this.#firstUnits.size === 0 && this.parts.isEmpty;
  }

  /**
   * False when no token of this text can match. Reads bytes only; returns true for a text that is
   * not plain ASCII.
   */
  mayOccurIn(utf8: Uint8Array, start: number, end: number): boolean {
    return this.#beginnings.mayOccurIn(utf8, start, end);
  }

  /** False when no match can begin with `lemma`. */
  passes(lemma: string): boolean {
    return this.#firstUnits.has(lemma.charCodeAt(0));
  }

  /** As `passes`, for an ASCII word in either case. */
  passesAscii(utf8: Uint8Array, start: number, end: number): boolean {
    return this.#beginnings.beginsAt(utf8, start, end);
  }

  /** Phrases whose first word is `lemma`, in the order of the attempts. */
  phrasesFrom(lemma: string): readonly MatchingPhrase[] {
    return this.#phrases.get(lemma) ?? NO_PHRASES;
  }

  word(lemma: string): WordMatch | null {
    let match = this.#words.get(lemma);
    if (match === undefined) {
      match = this.#find(lemma);
      this.#words.set(lemma, match);
    }
    return match;
  }

  #find(lemma: string): WordMatch | null {
    for (const term of this.#terms) {
      const characters = term.charactersOf(lemma);
      if (characters !== undefined) return { place: term.place, characters };
    }
    return null;
  }

  #addPhrases({ derivations, start, end }: QueryNode): void {
    const { phrase, synonyms, unknownSynonyms, split } = derivations;
    const place = { start, end };
    const add = (words: readonly string[]): void => {
      getOrCompute(this.#phrases, words[0] ?? '', () => []).push({ words, place });
    };
    const addKnown = ({ slots }: Phrase): void => {
      const words = slots.flatMap((word) => (word === null ? [] : [word.text]));
      // A gap stands for a stop word, and no token of a displayed text is one.
      if (words.length === slots.length) add(words);
    };
    if (phrase !== null) addKnown(phrase);
    synonyms.forEach(addKnown);
    unknownSynonyms.forEach(add);
    if (split !== null) addKnown(split);
  }
}

function termOf(snapshot: IndexSnapshot, node: QueryNode): MatchingTerm {
  const { exact, completions, oneTypo, twoTypos } = node.derivations;
  const place = { start: node.start, end: node.end };
  const typos = [...oneTypo, ...twoTypos].map(({ text }) => text).sort(compareCodePoints);
  if (completions === null) {
    const words = new Set(exact ? [exact.text, ...typos] : typos);
    const charactersOf = (lemma: string): null | undefined => (words.has(lemma) ? null : undefined);
    return { isPrefix: false, length: node.length, place, starts: [...words], charactersOf };
  }
  const typed = node.text;
  const typedCharacters = characterCount(typed);
  // Completions of a frequent prefix are not listed.
  const ranges = node.isFrequentPrefix ? null : completions;
  const charactersOf = (lemma: string): number | undefined => {
    if (
      lemma.startsWith(typed) &&
      (exact || (ranges && startsWithCompletion(snapshot, ranges, typed, lemma)))
    ) {
      return typedCharacters;
    }
    const typo = typos.find((text) => lemma.startsWith(text));
    return typo === undefined ? undefined : Math.min(typedCharacters, characterCount(typo));
  };
  return { isPrefix: true, length: node.length, place, starts: [typed, ...typos], charactersOf };
}

/** True if a live word of the ranges, longer than `typed`, is a prefix of the lemma. */
function startsWithCompletion(
  { segments, dead }: IndexSnapshot,
  { bounds }: WordRanges,
  typed: string,
  lemma: string,
): boolean {
  const utf8 = encodeUtf8(lemma);
  const typedBytes = encodeUtf8(typed).length;
  for (let length = utf8.length; length > typedBytes; length--) {
    if (length < utf8.length && isContinuation(utf8[length]!)) continue;
    const start = utf8.subarray(0, length);
    for (let s = 0; s < segments.length; s++) {
      const ordinal = segments[s]!.terms.find(start);
      if (ordinal < bounds[2 * s]! || ordinal >= bounds[2 * s + 1]!) continue;
      if (segments[s]!.postings.hasLiveDocument(ordinal, dead[s]!)) return true;
    }
  }
  return false;
}

const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80;

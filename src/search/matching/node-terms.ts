/** The single words that stand for a query node, and the permitted uses of their occurrences. */
import type { QueryNode } from '../query/query-node.ts';
import type { Chunks, Derivations, Phrase, Word, WordRanges } from '../snapshot/derivations.ts';
import { OccurrenceClass } from './occurrence-records.ts';

/** Of a word that is no part of a phrase. */
export const PLAIN =
  OccurrenceClass.left | OccurrenceClass.right | OccurrenceClass.reversed | OccurrenceClass.place;

/** Terms `[lo, hi)` of a segment, whose occurrences get a class. */
export interface TermsOfClass {
  readonly lo: number;
  readonly hi: number;
  readonly recordClass: number;
}

/** A phrase that stands for a node, and the class that its words get. */
export interface PhraseOfClass {
  readonly phrase: Phrase;
  readonly recordClass: number;
}

/** Terms by segment. */
export type NodeTerms = readonly (readonly TermsOfClass[])[];

function noTerms(segmentCount: number): TermsOfClass[][] {
  const terms: TermsOfClass[][] = [];
  for (let s = 0; s < segmentCount; s++) terms.push([]);
  return terms;
}

/** Words with the allowed numbers of typos, by segment. */
export function nodeTerms(node: QueryNode, typoMask: number, segmentCount: number): NodeTerms {
  const terms = noTerms(segmentCount);
  const { exact, completions, oneTypo } = node.derivations;
  if (typoMask & 1) {
    if (exact) addWord(exact, PLAIN | (node.kind === 'word' ? OccurrenceClass.exact : 0), terms);
    if (completions) addCompletions(node, completions, terms);
  }
  if (typoMask & 2) for (const word of oneTypo) addWord(word, 1 | PLAIN, terms);
  if (typoMask & 4) addTwoTypos(node.derivations, terms);
  return terms;
}

function addCompletions(
  { isFrequentPrefix, derivations: { exact } }: QueryNode,
  { bounds }: WordRanges,
  to: readonly TermsOfClass[][],
): void {
  const recordClass = isFrequentPrefix
    ? (PLAIN & ~OccurrenceClass.reversed) | OccurrenceClass.frequent
    : PLAIN;
  to.forEach((own, s) => {
    const bound = bounds[2 * s]!;
    // The prefix itself is the first word of its range; its own records are already there.
    const lo = exact?.ordinals[s] === bound ? bound + 1 : bound;
    own.push({ lo, hi: bounds[2 * s + 1]!, recordClass });
  });
}

function addTwoTypos({ twoTypos, chunks }: Derivations, to: readonly TermsOfClass[][]): void {
  for (const word of twoTypos) addWord(word, 2 | PLAIN, to);
  if (chunks) addChunks(chunks, to);
}

/** Successive ordinals are one range. */
function addChunks({ ordinals }: Chunks, to: readonly TermsOfClass[][]): void {
  ordinals.forEach((own, s) => {
    for (let i = 0; i < own.length; ) {
      const lo = own[i]!;
      let hi = lo;
      while (i < own.length && own[i] === hi) {
        hi++;
        i++;
      }
      to[s]!.push({ lo, hi, recordClass: 2 | PLAIN });
    }
  });
}

/** Phrases with the allowed numbers of typos; synonyms stand for a node whatever it is narrowed to. */
export function nodePhrases({ derivations }: QueryNode, typoMask: number): PhraseOfClass[] {
  const { synonyms, phrase, split } = derivations;
  const found = synonyms.map((synonym) => ({
    phrase: synonym,
    recordClass: OccurrenceClass.synonym as number,
  }));
  if (phrase && typoMask & 1) found.push({ phrase, recordClass: OccurrenceClass.exact });
  if (split && typoMask & 2) found.push({ phrase: split, recordClass: 1 });
  return found;
}

/** The word that tells the place of a phrase. */
export const firstWordOf = ({ slots }: Phrase): Word => slots.find((word) => word !== null)!;

/**
 * The words by which a phrase stands next to its neighbours, in documents that match it: its first
 * word to the left one and for its place, its last word to the right one.
 */
export function phraseTerms({ phrase, recordClass }: PhraseOfClass): NodeTerms[] {
  const { slots } = phrase;
  const { left, right, place } = OccurrenceClass;
  if (slots.length === 1) return [wordTerms(slots[0]!, recordClass | left | right | place)];
  const rightClass = slots[0] ? OccurrenceClass.right : 0;
  const first = wordTerms(firstWordOf(phrase), recordClass | OccurrenceClass.place | rightClass);
  const last = slots[slots.length - 1];
  return last ? [first, wordTerms(last, recordClass | OccurrenceClass.left)] : [first];
}

/**
 * The terms that stand for a node in documents that match it, but none of its `addedPhrases`; null
 * when these depend on the document: the words of a phrase count only where the phrase matches.
 */
export function termsInMatches(
  node: QueryNode,
  typoMask: number,
  segmentCount: number,
): NodeTerms | null {
  // The kernel does not find the distance of a chunk, which stands behind the words of its value.
  if (node.kind === 'part') return null;
  const terms = nodeTerms(node, typoMask, segmentCount);
  const phrases = nodePhrases(node, typoMask);
  const isOfWords = hasWords(node, typoMask);
  if (!isOfWords && phrases.length > 1) return null;
  const added = (isOfWords ? phrases.filter(isOneWord) : phrases).flatMap(phraseTerms);
  return terms.map((own, s) => [...own, ...added.flatMap((more) => more[s]!)]);
}

/** Phrases of several words that stand for the node in addition to words. */
export function addedPhrases(node: QueryNode, typoMask: number): Phrase[] {
  if (!hasWords(node, typoMask)) return [];
  return nodePhrases(node, typoMask)
    .filter((phrase) => !isOneWord(phrase))
    .map(({ phrase }) => phrase);
}

function hasWords({ derivations }: QueryNode, typoMask: number): boolean {
  const { exact, completions, oneTypo, twoTypos, chunks, synonyms } = derivations;
  return (
    ((typoMask & 1) !== 0 && (exact !== null || completions !== null)) ||
    ((typoMask & 2) !== 0 && oneTypo.length > 0) ||
    ((typoMask & 4) !== 0 && (twoTypos.length > 0 || chunks !== null)) ||
    synonyms.some(({ slots }) => slots.length === 1)
  );
}

/** Matches wherever its word is. */
const isOneWord = ({ phrase: { slots } }: PhraseOfClass): boolean => slots.length === 1;

export function wordTerms(word: Word, recordClass: number): NodeTerms {
  const terms = noTerms(word.ordinals.length);
  addWord(word, recordClass, terms);
  return terms;
}

function addWord({ ordinals }: Word, recordClass: number, to: readonly TermsOfClass[][]): void {
  for (let s = 0; s < ordinals.length; s++) {
    const ordinal = ordinals[s]!;
    if (ordinal >= 0) to[s]!.push({ lo: ordinal, hi: ordinal + 1, recordClass });
  }
}

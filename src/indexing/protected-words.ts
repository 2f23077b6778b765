/**
 * Lists of words in the form in which they are compared: `typoTolerance.disableOnWords` normalised,
 * `stopWords` decomposed.
 */
import { compareCodePoints } from '../core/compare-text.ts';
import { createAnalyzer, joinedLemmas } from '../engine/analysis/analyzer.ts';
import { decompose } from '../engine/analysis/characters/decomposition.ts';
import type { Settings } from '../model/settings.ts';

const sortedSet = (words: readonly string[]): readonly string[] =>
  [...new Set(words)].sort(compareCodePoints);

/** `next` with the lists that differ from the stored ones in that form, sorted and distinct. */
export function withNormalizedWords(next: Settings, stored: Settings): Settings {
  const { typoTolerance } = next;
  const stopWords =
    next.stopWords === stored.stopWords ? next.stopWords : sortedSet(next.stopWords.map(decompose));
  const given = typoTolerance.disableOnWords;
  if (given === stored.typoTolerance.disableOnWords || given.length === 0)
    return { ...next, stopWords };
  const analyzer = createAnalyzer(next);
  const disableOnWords = sortedSet(given.map((word) => joinedLemmas(analyzer, word)));
  return { ...next, stopWords, typoTolerance: { ...typoTolerance, disableOnWords } };
}

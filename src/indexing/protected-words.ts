/** The words of `typoTolerance.disableOnWords`, in the form in which queries are compared with them. */
import { compareCodePoints } from '../core/compare-text.ts';
import { createAnalyzer, joinedLemmas } from '../engine/analysis/analyzer.ts';
import type { Settings } from '../model/settings.ts';

/** `next` with normalised, sorted and distinct words, when they differ from the stored ones. */
export function withNormalizedWords(next: Settings, stored: Settings): Settings {
  const { typoTolerance } = next;
  const given = typoTolerance.disableOnWords;
  if (given === stored.typoTolerance.disableOnWords || given.length === 0) return next;
  const analyzer = createAnalyzer(next);
  const words = new Set(given.map((word) => joinedLemmas(analyzer, word)));
  const disableOnWords = [...words].sort(compareCodePoints);
  return { ...next, typoTolerance: { ...typoTolerance, disableOnWords } };
}

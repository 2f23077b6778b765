/** Synonyms of several words at once. Pure. */
import type { Settings } from '../../model/settings.ts';
import { withAdded } from './field-names.ts';

export type Synonyms = Settings['synonyms'];

/** Each of the words with all others as its synonyms. */
export const mutualSynonyms = (words: readonly string[]): Synonyms =>
  Object.fromEntries(words.map((word) => [word, words.filter((other) => other !== word)]));

/** Both, with the synonyms of a word in one list. */
export const mergedSynonyms = (first: Synonyms, second: Synonyms): Synonyms => ({
  ...first,
  ...Object.fromEntries(
    Object.entries(second).map(([word, others]) => [word, withAdded(first[word] ?? [], others)]),
  ),
});

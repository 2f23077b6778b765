/**
 * Synonyms of an index in normalised form: key words → phrases (relevance.md 2.5). Built once per
 * snapshot.
 */
import { compareCodePoints } from '../../core/compare-text.ts';
import { limits } from '../../core/limits.ts';
import type { Analyzer } from '../../engine/analysis/analyzer.ts';
import { TokenKind } from '../../engine/analysis/tokens/token.ts';

const { synonymPhrasesPerWordMax: PHRASES_MAX, synonymWordsPerWordMax: WORDS_MAX } = limits;

export type SynonymTable = ReadonlyMap<string, readonly (readonly string[])[]>;

/** `\u0000` occurs in no lemma, so it can join the words of a key. */
export const synonymKey = (words: readonly string[]): string => words.join('\u0000');

/** Keys with the same normalised form share their phrases. */
export function buildSynonymTable(
  synonyms: Readonly<Record<string, readonly string[]>>,
  analyzer: Analyzer,
): SynonymTable {
  const raw = new Map<string, Set<string>>();
  for (const [key, values] of Object.entries(synonyms)) {
    const words = wordsOf(key, analyzer);
    if (words.length === 0) continue;
    const merged = raw.get(synonymKey(words)) ?? new Set<string>();
    for (const value of values) merged.add(value);
    raw.set(synonymKey(words), merged);
  }
  const table = new Map<string, readonly (readonly string[])[]>();
  for (const [key, values] of raw) {
    const phrases = [...values].sort(compareCodePoints).map((v) => wordsOf(v, analyzer));
    table.set(
      key,
      phrases.filter((p) => p.length > 0),
    );
  }
  return table;
}

/** The synonyms that a single-word key offers to a query word. */
export function limitSynonyms(
  phrases: readonly (readonly string[])[],
): readonly (readonly string[])[] {
  let words = 0;
  return phrases.slice(0, PHRASES_MAX).filter((phrase) => {
    if (words + phrase.length > WORDS_MAX) return false;
    words += phrase.length;
    return true;
  });
}

function wordsOf(text: string, analyzer: Analyzer): string[] {
  const tokens = analyzer.tokenize(text, null);
  return tokens.flatMap((t) => (t.kind === TokenKind.word && t.lemma.length > 0 ? [t.lemma] : []));
}

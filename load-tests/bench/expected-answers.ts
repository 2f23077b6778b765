/** Queries of the benchmark data with what is expected of their answers, and who is right. */
import { join } from 'node:path';
import { readJson } from './data-files.ts';

type Id = number | string;

export const ANSWER_KINDS = [
  'exact',
  'prefix',
  'one_typo',
  'two_typo',
  'multi_word',
  'phrase',
  'negative',
] as const;
export type AnswerKind = (typeof ANSWER_KINDS)[number];

export interface ExpectedAnswer {
  readonly qid: string;
  readonly category: AnswerKind;
  readonly params: Readonly<Record<string, unknown>>;
  /** The document that the query was made of, and those with the same title. */
  readonly same_title_ids?: readonly Id[];
  readonly all_words_ids?: readonly Id[];
  readonly phrase_ids?: readonly Id[];
  readonly forbidden_ids?: readonly Id[];
  readonly matching_after_exclusion?: number;
}

const TOP = 10;

export function readExpectedAnswers(dataDir: string, corpus: string): ExpectedAnswer[] {
  const file = readJson(join(dataDir, 'queries', `${corpus}.json.gz`)) as {
    readonly queries: readonly ExpectedAnswer[];
  };
  return file.queries.filter(
    ({ category, phrase_ids }) =>
      ANSWER_KINDS.includes(category) && (category !== 'phrase' || (phrase_ids ?? []).length > 0),
  );
}

/**
 * One of the documents with the title is among ten; nothing excluded is there, and something if
 * there should be; the first ten, or all of fewer, hold all words; one of the first twenty holds the
 * phrase.
 */
export function isRight(expected: ExpectedAnswer, ids: readonly Id[]): boolean {
  const { category, same_title_ids, all_words_ids, phrase_ids, forbidden_ids } = expected;
  const isAmong = (list: readonly Id[] | undefined, some: readonly Id[]): boolean =>
    some.some((id) => list?.includes(id));
  if (category === 'negative')
    return (
      !isAmong(forbidden_ids, ids) &&
      ids.length > 0 === (expected.matching_after_exclusion ?? 0) > 0
    );
  if (category === 'phrase') return isAmong(phrase_ids, ids);
  if (category !== 'multi_word') return isAmong(same_title_ids, ids.slice(0, TOP));
  const wanted = Math.min(TOP, all_words_ids?.length ?? 0);
  return ids.slice(0, wanted).filter((id) => all_words_ids?.includes(id)).length === wanted;
}

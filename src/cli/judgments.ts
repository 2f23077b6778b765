/** Judgments of relevance in files, and how two runs differ. Pure. */
import { isObject, objectOf, parseJson } from '../core/json.ts';
import type { Judgment, QueryVerdict } from '../model/judgment.ts';
import { CommandFailure, EXIT } from './command-failure.ts';

export interface VerdictChange extends QueryVerdict {
  /** `ndcg` of the earlier run. */
  readonly before: number;
}

/**
 * Parses NDJSON: `{"q": "…", "wanted": ["id", …]}`, or an object with grades by id.
 * @throws CommandFailure that names the line
 */
export function parseJudgments(text: string): Judgment[] {
  const lines = text.split('\n').map((line, i) => ({ line: line.trim(), number: i + 1 }));
  return lines
    .filter(({ line }) => line !== '')
    .map(({ line, number }) => judgmentOf(line, number));
}

function judgmentOf(line: string, number: number): Judgment {
  const wrong = (what: string) => new CommandFailure(`line ${number}: ${what}`, EXIT.usage);
  const value = parseJson(line);
  if (value === undefined) throw wrong('not valid JSON');
  const { q, wanted } = objectOf(value);
  if (typeof q !== 'string') throw wrong('`q` must be the query, a string');
  if (Array.isArray(wanted)) return { q, wanted: Object.fromEntries(wanted.map((id) => [id, 1])) };
  if (!isObject(wanted))
    throw wrong('`wanted` must be a list of ids, or an object with grades by id');
  const grades = Object.entries(wanted);
  const bad = grades.find(([, grade]) => typeof grade !== 'number' || !(grade >= 0));
  if (bad !== undefined) throw wrong(`the grade of \`${bad[0]}\` must be a number of at least 0`);
  return { q, wanted: wanted as Judgment['wanted'] };
}

/** Queries whose nDCG differs from the earlier run, greatest losses first. */
export function changesOf(
  now: readonly QueryVerdict[],
  before: readonly QueryVerdict[],
): VerdictChange[] {
  const earlier = new Map(before.map(({ q, ndcg }) => [q, ndcg]));
  return now
    .flatMap((verdict) => {
      const known = earlier.get(verdict.q);
      const isSame = known === undefined || Math.abs(known - verdict.ndcg) < 1e-9;
      return isSame ? [] : [{ ...verdict, before: known }];
    })
    .sort((a, b) => a.ndcg - a.before - (b.ndcg - b.before));
}

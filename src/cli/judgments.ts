/** Files of `judge` and `compare`: queries, judgments of relevance, results; how two runs differ. */
import { writeFileSync } from 'node:fs';
import { isObject, objectOf, parseJson } from '../core/json.ts';
import type { Judgment, QueryVerdict } from '../model/judgment.ts';
import { type GivenOptions, textOption } from './command.ts';
import { CommandFailure, EXIT } from './command-failure.ts';
import { readTextFile } from './documents/file-parts.ts';

/** @throws CommandFailure if there is no such file, or no query in it */
export function queriesIn<Query>(file: string, parse: (text: string) => Query[]): Query[] {
  const queries = parse(readTextFile(file));
  if (queries.length > 0) return queries;
  throw new CommandFailure(`${file} has no queries`, EXIT.usage);
}

/** Writes the results into the file of `--save`, if it is given. */
export function saveResults(options: GivenOptions, results: unknown): void {
  const file = textOption(options, 'save');
  if (file !== null) writeFileSync(file, `${JSON.stringify(results)}\n`);
}

/** The results in a file of `--save`. @throws CommandFailure */
export function savedVerdicts(file: string): QueryVerdict[] {
  const results = parseJson(readTextFile(file));
  if (Array.isArray(results)) return results as QueryVerdict[];
  throw new CommandFailure(`${file} has no results of \`gannet judge --save\``, EXIT.usage);
}

interface VerdictChange extends QueryVerdict {
  /** `ndcg` of the earlier run. */
  readonly before: number;
}

/**
 * Parses NDJSON: `{"q": "…", "wanted": ["id", …]}`, or an object with grades by id.
 * @throws CommandFailure that names the line
 */
export const parseJudgments = (text: string): Judgment[] =>
  linesIn(text).map((line) => {
    const { q, wanted, wrong } = parsedLine(line);
    return { q, wanted: gradesIn(wanted, wrong) };
  });

export interface StoredQuery {
  readonly q: string;
  readonly wanted?: Judgment['wanted'];
  /** JSON form of a filter. */
  readonly filter?: unknown;
}

/**
 * Parses one query a line: its text, or NDJSON as `parseJudgments` with `wanted` and `filter`
 * optional.
 * @throws CommandFailure that names the line
 */
export const parseQueries = (text: string): StoredQuery[] =>
  linesIn(text).map((line) => {
    if (!line.text.startsWith('{')) return { q: line.text };
    const { q, wanted, filter, wrong } = parsedLine(line);
    return {
      q,
      ...(wanted !== undefined && { wanted: gradesIn(wanted, wrong) }),
      ...(filter !== undefined && { filter }),
    };
  });

interface Line {
  readonly text: string;
  /** From 1. */
  readonly number: number;
}

const linesIn = (text: string): Line[] =>
  text
    .split('\n')
    .map((line, i) => ({ text: line.trim(), number: i + 1 }))
    .filter((line) => line.text !== '');

type Wrong = (what: string) => CommandFailure;

function parsedLine({ text, number }: Line) {
  const wrong: Wrong = (what) => new CommandFailure(`line ${number}: ${what}`, EXIT.usage);
  const value = parseJson(text);
  if (value === undefined) throw wrong('not valid JSON');
  const { q, wanted, filter } = objectOf(value);
  if (typeof q !== 'string') throw wrong('`q` must be the query, a string');
  return { q, wanted, filter, wrong };
}

function gradesIn(wanted: unknown, wrong: Wrong): Judgment['wanted'] {
  if (Array.isArray(wanted)) return Object.fromEntries(wanted.map((id) => [id, 1]));
  if (!isObject(wanted))
    throw wrong('`wanted` must be a list of ids, or an object with grades by id');
  const grades = Object.entries(wanted);
  const bad = grades.find(([, grade]) => typeof grade !== 'number' || !(grade >= 0));
  if (bad !== undefined) throw wrong(`the grade of \`${bad[0]}\` must be a number of at least 0`);
  return wanted as Judgment['wanted'];
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

/** How well lists of hits agree with what people wanted of a query. Pure. */
import { CommandFailure, EXIT } from './command-failure.ts';

export interface Judgment {
  readonly q: string;
  /** Grades of documents by id; greater is better, 0 = not wanted. */
  readonly wanted: Readonly<Record<string, number>>;
}

/** Of one query. */
export interface QueryVerdict {
  readonly q: string;
  /** 0 to 1: gain of the first `k` hits by place, as a share of the best order's. */
  readonly ndcg: number;
  /** 0 to 1: share of the wanted documents among the first `k` hits. */
  readonly recall: number;
}

export interface VerdictChange extends QueryVerdict {
  /** The earlier value of `ndcg`. */
  readonly before: number;
}

/**
 * Lines of JSON: `{"q": "…", "wanted": ["id", …]}`, or an object with grades by id.
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
  let value: { q?: unknown; wanted?: unknown };
  try {
    value = JSON.parse(line) as typeof value;
  } catch {
    throw wrong('this is not JSON');
  }
  const { q, wanted } = value;
  if (typeof q !== 'string') throw wrong('`q` is the query, a text');
  if (Array.isArray(wanted)) return { q, wanted: Object.fromEntries(wanted.map((id) => [id, 1])) };
  if (typeof wanted !== 'object' || wanted === null)
    throw wrong('`wanted` is a list of ids, or an object with grades by id');
  const grades = Object.entries(wanted);
  const bad = grades.find(([, grade]) => typeof grade !== 'number' || !(grade >= 0));
  if (bad !== undefined) throw wrong(`the grade of \`${bad[0]}\` is a number from 0 on`);
  return { q, wanted: wanted as Judgment['wanted'] };
}

const gainOf = (grades: readonly number[]): number =>
  grades.reduce((sum, grade, place) => sum + (2 ** grade - 1) / Math.log2(place + 2), 0);

/** @param ids of the hits, best first */
export function judge({ q, wanted }: Judgment, ids: readonly string[], k: number): QueryVerdict {
  const first = ids.slice(0, k);
  const grades = Object.values(wanted).filter((grade) => grade > 0);
  const best = gainOf([...grades].sort((a, b) => b - a).slice(0, k));
  const found = first.filter((id) => (wanted[id] ?? 0) > 0).length;
  return {
    q,
    ndcg: best === 0 ? 1 : gainOf(first.map((id) => wanted[id] ?? 0)) / best,
    recall: grades.length === 0 ? 1 : found / grades.length,
  };
}

export const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

/** Queries whose nDCG is another than before, worst losses first. */
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

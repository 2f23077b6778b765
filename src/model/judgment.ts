/** Judgments of relevance: which documents are wanted for a query, and how good a list of hits is. */

export interface Judgment {
  readonly q: string;
  /** Grades of documents by id; greater is better, 0 = not relevant. */
  readonly wanted: Readonly<Record<string, number>>;
}

export interface QueryVerdict {
  readonly q: string;
  /** 0 to 1: discounted gain of the first `k` hits, divided by that of the ideal order. */
  readonly ndcg: number;
  /** 0 to 1: fraction of the relevant documents among the first `k` hits. */
  readonly recall: number;
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

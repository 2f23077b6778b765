/** How the answers of two indexes to the same queries differ. Pure. */
import { type Judgment, judge, mean } from './judgment.ts';

/** Ids of the first hits of both indexes, best first, and milliseconds of both searches. */
export interface ComparedQuery {
  readonly q: string;
  /** JSON form of its own filter; null = none. */
  readonly filter: unknown;
  readonly base: readonly string[];
  readonly candidate: readonly string[];
  readonly baseMs: number;
  readonly candidateMs: number;
  /** null = not judged. */
  readonly wanted: Judgment['wanted'] | null;
}

interface Both<T> {
  readonly base: T;
  readonly candidate: T;
}

export interface QueryChange extends Both<readonly string[]> {
  readonly q: string;
  /** Present if the query has a filter of its own. */
  readonly filter?: unknown;
  readonly overlap: number;
  readonly ndcg?: Both<number>;
}

interface Latency {
  readonly p50: number;
  readonly p95: number;
}

export interface IndexComparison {
  readonly queries: number;
  /** Queries with a filter of their own that one of the indexes refuses; in no other figure. */
  readonly refusedQueries: number;
  readonly changedLists: number;
  readonly changedFirstHits: number;
  /** 0 to 1, mean of all queries. */
  readonly overlap: number;
  readonly judgedQueries: number;
  /** Means of the judged queries; null without any. */
  readonly ndcg: Both<number> | null;
  readonly latencyMs: Both<Latency>;
  /** Queries that differ: judged ones with the greatest loss first, then the least overlap. */
  readonly changes: readonly QueryChange[];
}

/** Changed queries of one report. */
export const CHANGES_SHOWN = 100;

/** Collects the answers; keeps the hits of a bounded number of queries. */
export class ComparisonReport {
  readonly #k: number;
  readonly #overlaps: number[] = [];
  readonly #verdicts: Both<number>[] = [];
  readonly #ms = { base: [] as number[], candidate: [] as number[] };
  #refused = 0;
  #changedLists = 0;
  #changedFirstHits = 0;
  #changes: QueryChange[] = [];

  /** @param k hits of each list that count */
  constructor(k: number) {
    this.#k = k;
  }

  refuse(): void {
    this.#refused += 1;
  }

  add({ q, filter, base, candidate, baseMs, candidateMs, wanted }: ComparedQuery): void {
    const overlap = overlapOf(base, candidate);
    const verdict = wanted === null ? null : this.#judged({ q, wanted }, base, candidate);
    this.#overlaps.push(overlap);
    this.#ms.base.push(baseMs);
    this.#ms.candidate.push(candidateMs);
    if (verdict !== null) this.#verdicts.push(verdict);
    if (base.length === candidate.length && base.every((id, at) => id === candidate[at])) return;
    this.#changedLists += 1;
    if (base[0] !== candidate[0]) this.#changedFirstHits += 1;
    this.#changes.push({
      q,
      ...(filter !== null && { filter }),
      overlap,
      base,
      candidate,
      ...(verdict !== null && { ndcg: verdict }),
    });
    if (this.#changes.length >= 2 * CHANGES_SHOWN) this.#changes = worstOf(this.#changes);
  }

  result(): IndexComparison {
    const { base, candidate } = this.#ms;
    return {
      queries: this.#overlaps.length,
      refusedQueries: this.#refused,
      changedLists: this.#changedLists,
      changedFirstHits: this.#changedFirstHits,
      overlap: mean(this.#overlaps),
      judgedQueries: this.#verdicts.length,
      ndcg:
        this.#verdicts.length === 0
          ? null
          : {
              base: mean(this.#verdicts.map((verdict) => verdict.base)),
              candidate: mean(this.#verdicts.map((verdict) => verdict.candidate)),
            },
      latencyMs: { base: latencyOf(base), candidate: latencyOf(candidate) },
      changes: worstOf(this.#changes),
    };
  }

  #judged(judgment: Judgment, base: readonly string[], candidate: readonly string[]): Both<number> {
    const ndcgOf = (ids: readonly string[]) => judge(judgment, ids, this.#k).ndcg;
    return { base: ndcgOf(base), candidate: ndcgOf(candidate) };
  }
}

/** Common ids, divided by the length of the longer list; 1 for two empty lists. */
function overlapOf(a: readonly string[], b: readonly string[]): number {
  const longer = Math.max(a.length, b.length);
  if (longer === 0) return 1;
  const ids = new Set(a);
  return b.filter((id) => ids.has(id)).length / longer;
}

const gain = ({ ndcg }: QueryChange): number =>
  ndcg === undefined ? 0 : ndcg.candidate - ndcg.base;

const worstFirst = (a: QueryChange, b: QueryChange): number =>
  gain(a) - gain(b) || a.overlap - b.overlap;

const worstOf = (changes: readonly QueryChange[]): QueryChange[] =>
  [...changes].sort(worstFirst).slice(0, CHANGES_SHOWN);

/**
 * The report over the queries of several ones, with all their changes. Percentiles of latency are
 * means of those of the reports, by number of queries.
 */
export function mergedComparison(reports: readonly IndexComparison[]): IndexComparison {
  type Figure = (report: IndexComparison) => number;
  const sum = (of: Figure): number => reports.reduce((total, report) => total + of(report), 0);
  const meanBy = (weight: Figure, of: Figure): number => {
    const whole = sum(weight);
    return whole === 0 ? 0 : sum((report) => weight(report) * of(report)) / whole;
  };
  const queries: Figure = (report) => report.queries;
  const judged: Figure = (report) => report.judgedQueries;
  const ndcgOf = (side: 'base' | 'candidate') =>
    meanBy(judged, ({ ndcg }) => (ndcg === null ? 0 : ndcg[side]));
  const latency = (side: 'base' | 'candidate') => ({
    p50: meanBy(queries, ({ latencyMs }) => latencyMs[side].p50),
    p95: meanBy(queries, ({ latencyMs }) => latencyMs[side].p95),
  });
  const judgedQueries = sum(judged);
  return {
    queries: sum(queries),
    refusedQueries: sum((report) => report.refusedQueries),
    changedLists: sum((report) => report.changedLists),
    changedFirstHits: sum((report) => report.changedFirstHits),
    overlap: meanBy(queries, (report) => report.overlap),
    judgedQueries,
    ndcg: judgedQueries === 0 ? null : { base: ndcgOf('base'), candidate: ndcgOf('candidate') },
    latencyMs: { base: latency('base'), candidate: latency('candidate') },
    changes: reports.flatMap(({ changes }) => changes).sort(worstFirst),
  };
}

function latencyOf(milliseconds: readonly number[]): Latency {
  const sorted = [...milliseconds].sort((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: at(0.5), p95: at(0.95) };
}

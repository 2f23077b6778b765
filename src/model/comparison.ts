/** How the answers of two indexes to the same queries differ. Pure. */
import { type Judgment, judge, mean } from './judgment.ts';

/** Ids of the first hits of both indexes, best first, and milliseconds of both searches. */
export interface ComparedQuery {
  readonly q: string;
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

interface QueryChange extends Both<readonly string[]> {
  readonly q: string;
  readonly overlap: number;
  /** Of a judged query. */
  readonly ndcg?: Both<number>;
}

interface Latency {
  readonly p50: number;
  readonly p95: number;
}

export interface IndexComparison {
  readonly queries: number;
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

const CHANGES_SHOWN = 100;

/** Collects the answers; keeps the hits of a bounded number of queries. */
export class ComparisonReport {
  readonly #k: number;
  readonly #overlaps: number[] = [];
  readonly #verdicts: Both<number>[] = [];
  readonly #ms = { base: [] as number[], candidate: [] as number[] };
  #changedLists = 0;
  #changedFirstHits = 0;
  #changes: QueryChange[] = [];

  /** @param k hits of each list that count */
  constructor(k: number) {
    this.#k = k;
  }

  add({ q, base, candidate, baseMs, candidateMs, wanted }: ComparedQuery): void {
    const overlap = overlapOf(base, candidate);
    const verdict = wanted === null ? null : this.#judged({ q, wanted }, base, candidate);
    this.#overlaps.push(overlap);
    this.#ms.base.push(baseMs);
    this.#ms.candidate.push(candidateMs);
    if (verdict !== null) this.#verdicts.push(verdict);
    if (base.length === candidate.length && base.every((id, at) => id === candidate[at])) return;
    this.#changedLists += 1;
    if (base[0] !== candidate[0]) this.#changedFirstHits += 1;
    this.#changes.push({ q, overlap, base, candidate, ...(verdict !== null && { ndcg: verdict }) });
    if (this.#changes.length >= 2 * CHANGES_SHOWN) this.#changes = worstOf(this.#changes);
  }

  result(): IndexComparison {
    const { base, candidate } = this.#ms;
    return {
      queries: this.#overlaps.length,
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

const worstOf = (changes: readonly QueryChange[]): QueryChange[] =>
  [...changes].sort((a, b) => gain(a) - gain(b) || a.overlap - b.overlap).slice(0, CHANGES_SHOWN);

function latencyOf(milliseconds: readonly number[]): Latency {
  const sorted = [...milliseconds].sort((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: at(0.5), p95: at(0.95) };
}

/** How lists of hits of two indexes differ, over many queries. */
import { describe, expect, it } from 'vitest';
import {
  type ComparedQuery,
  ComparisonReport,
  mergedComparison,
} from '../../../src/model/comparison.ts';

const query = (more: Partial<ComparedQuery>): ComparedQuery => ({
  q: 'q',
  filter: null,
  base: ['1', '2'],
  candidate: ['1', '2'],
  baseMs: 1,
  candidateMs: 2,
  wanted: null,
  ...more,
});

function reportOf(k: number, ...queries: readonly Partial<ComparedQuery>[]) {
  const report = new ComparisonReport(k);
  for (const one of queries) report.add(query(one));
  return report.result();
}

describe('a comparison', () => {
  it('of no query is empty', () => {
    expect(reportOf(10)).toEqual({
      queries: 0,
      refusedQueries: 0,
      changedLists: 0,
      changedFirstHits: 0,
      overlap: 0,
      judgedQueries: 0,
      ndcg: null,
      latencyMs: { base: { p50: 0, p95: 0 }, candidate: { p50: 0, p95: 0 } },
      changes: [],
    });
  });

  it('counts changed lists and first hits, and shows those that differ most', () => {
    const found = reportOf(
      10,
      {},
      { q: 'order', candidate: ['2', '1'] },
      { q: 'other', candidate: ['1', '3'] },
      { q: 'none', candidate: [] },
      { q: 'both none', base: [], candidate: [] },
    );
    expect(found).toMatchObject({ queries: 5, changedLists: 3, changedFirstHits: 2 });
    expect(found.overlap).toBeCloseTo((1 + 1 + 0.5 + 0 + 1) / 5);
    expect(found.changes.map(({ q, overlap }) => [q, overlap])).toEqual([
      ['none', 0],
      ['other', 0.5],
      ['order', 1],
    ]);
  });

  it('judges the first k hits, and shows the greatest losses first', () => {
    const found = reportOf(
      1,
      { q: 'loss', candidate: ['2', '1'], wanted: { 1: 1 } },
      { q: 'gain', base: ['2', '1'], candidate: ['1', '2'], wanted: { 1: 1 } },
      { q: 'unjudged', candidate: [] },
      { q: 'same', wanted: { 1: 1 } },
    );
    expect(found.judgedQueries).toBe(3);
    expect(found.ndcg?.base).toBeCloseTo(2 / 3);
    expect(found.ndcg?.candidate).toBeCloseTo(2 / 3);
    expect(found.changes.map(({ q, ndcg }) => [q, ndcg])).toEqual([
      ['loss', { base: 1, candidate: 0 }],
      ['unjudged', undefined],
      ['gain', { base: 0, candidate: 1 }],
    ]);
  });

  it('shows the filters of queries, and counts refused ones', () => {
    const report = new ComparisonReport(10);
    report.add(query({ q: 'sea', filter: ['year > 1950'], candidate: [] }));
    report.refuse();
    expect(report.result()).toMatchObject({
      queries: 1,
      refusedQueries: 1,
      changes: [{ q: 'sea', filter: ['year > 1950'] }],
    });
  });

  it('of parts is that of all their queries, but for the percentiles', () => {
    const queries: readonly Partial<ComparedQuery>[] = [
      { q: 'gain', base: ['2'], candidate: ['1'], wanted: { 1: 1 } },
      { q: 'none', candidate: [] },
      { q: 'loss', candidate: ['2', '1'], wanted: { 1: 1 } },
      { q: 'same' },
      { q: 'half', candidate: ['1', '3'], baseMs: 5, candidateMs: 6 },
    ];
    const whole = reportOf(10, ...queries);
    for (const cut of [1, 2, 4]) {
      const parts = [reportOf(10, ...queries.slice(0, cut)), reportOf(10, ...queries.slice(cut))];
      const { latencyMs, overlap, ndcg, ...counts } = mergedComparison(parts);
      const { latencyMs: _, overlap: expected, ndcg: judged, ...expectedCounts } = whole;
      expect(counts).toEqual(expectedCounts);
      expect(overlap).toBeCloseTo(expected);
      expect(ndcg?.base).toBeCloseTo(judged?.base ?? 0);
      expect(ndcg?.candidate).toBeCloseTo(judged?.candidate ?? 0);
      const { p50 } = latencyMs.base;
      const [a, b] = parts.map((part) => part.latencyMs.base.p50 * part.queries);
      expect(p50).toBeCloseTo(((a ?? 0) + (b ?? 0)) / queries.length);
    }
    expect(mergedComparison([reportOf(10)])).toEqual(reportOf(10));
  });

  it('shows a bounded number of queries, the worst of all', () => {
    const queries = Array.from({ length: 1000 }, (_, n) => ({
      q: String(n),
      candidate: n === 999 ? [] : ['2', '1'],
      baseMs: n,
      candidateMs: 2 * n,
    }));
    const { changes, changedLists, latencyMs } = reportOf(10, ...queries);
    expect(changes).toHaveLength(100);
    expect(changes[0]?.q).toBe('999');
    expect(changedLists).toBe(1000);
    expect(latencyMs).toEqual({
      base: { p50: 500, p95: 950 },
      candidate: { p50: 1000, p95: 1900 },
    });
  });
});

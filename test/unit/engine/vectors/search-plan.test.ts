import { describe, expect, it } from 'vitest';
import { planSearch, type SearchSizes } from '../../../../src/engine/vectors/search-plan.ts';

const LARGE: SearchSizes = {
  clusters: 447,
  vectors: 50_000,
  documents: 50_000,
  matching: 50_000,
  k: 10,
  effort: 1,
};

describe('the plan of a search', () => {
  it('compares everything where there are no codes', () => {
    expect(planSearch({ ...LARGE, clusters: 0, vectors: 0, documents: 0 })).toEqual({
      kind: 'compare',
    });
  });

  it('compares everything at infinite effort', () => {
    expect(planSearch({ ...LARGE, effort: Number.POSITIVE_INFINITY })).toEqual({ kind: 'compare' });
  });

  it('compares a few matching documents, looks up some, probes for many', () => {
    const kinds = [1, 50, 500, 5_000, 50_000].map(
      (matching) => planSearch({ ...LARGE, matching }).kind,
    );
    expect(kinds).toEqual(['compare', 'compare', 'lookUp', 'probe', 'probe']);
  });

  it('estimates all of a file of 10,000', () => {
    const sizes = { ...LARGE, clusters: 200, vectors: 10_000, documents: 10_000, matching: 10_000 };
    expect(planSearch(sizes)).toMatchObject({ kind: 'probe', probes: 200 });
  });

  it('probes as many clusters beside files with one cluster as without them', () => {
    const beside = planSearch({ ...LARGE, vectors: 90_000, inOneCluster: 40_000 });
    const alone = planSearch(LARGE);
    if (beside.kind !== 'probe' || alone.kind !== 'probe') throw new Error('both are large');
    expect(beside.probes).toBe(alone.probes);
  });

  it('probes no cluster where each file has one', () => {
    const sizes = { ...LARGE, clusters: 0, inOneCluster: LARGE.vectors };
    expect(planSearch(sizes)).toMatchObject({ kind: 'probe', probes: 0 });
  });

  it('probes more clusters when fewer documents match', () => {
    const few = planSearch({ ...LARGE, matching: 4_000 });
    const all = planSearch(LARGE);
    if (few.kind !== 'probe' || all.kind !== 'probe') throw new Error('both are large');
    expect(few.probes).toBeGreaterThan(all.probes);
  });

  it('compares at least three candidates for each wanted document, times its vectors', () => {
    const sizes = { ...LARGE, documents: 25_000, matching: 25_000, k: 200 };
    expect(planSearch(sizes)).toMatchObject({ kind: 'probe', candidates: 1_200 });
  });

  it('grows with the effort', () => {
    const usual = planSearch(LARGE);
    const double = planSearch({ ...LARGE, effort: 2 });
    if (usual.kind !== 'probe' || double.kind !== 'probe') throw new Error('both are large');
    expect(double.probes).toBeGreaterThanOrEqual(usual.probes * 2 - 1);
    expect(double.candidates).toBeGreaterThanOrEqual(usual.candidates * 2 - 1);
  });
});

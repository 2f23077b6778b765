import { describe, expect, it } from 'vitest';
import { planSearch, type SearchSizes } from '../../../../src/engine/vectors/search-plan.ts';

const LARGE: SearchSizes = {
  files: [{ clusters: 447, vectors: 50_000 }],
  documents: 50_000,
  matching: 50_000,
  k: 10,
  effort: 1,
};

describe('the plan of a search', () => {
  it('compares everything where there are no codes', () => {
    expect(planSearch({ ...LARGE, files: [], documents: 0 })).toEqual({
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

  it('estimates all of 10,000', () => {
    const files = [
      { clusters: 80, vectors: 8_000 },
      { clusters: 1, vectors: 2_000 },
    ];
    const sizes = { ...LARGE, files, documents: 10_000, matching: 10_000 };
    expect(planSearch(sizes)).toMatchObject({ kind: 'probe', probes: [80, 1] });
  });

  it('probes the same share of each file, but ten clusters of small ones', () => {
    const files = [
      { clusters: 2_000, vectors: 1_000_000 },
      { clusters: 50, vectors: 5_000 },
      { clusters: 1, vectors: 5_000 },
    ];
    const sizes = { ...LARGE, files, documents: 1_010_000, matching: 1_010_000 };
    expect(planSearch(sizes)).toMatchObject({ kind: 'probe', probes: [40, 10, 1] });
  });

  it('probes more clusters when fewer documents match', () => {
    const few = planSearch({ ...LARGE, matching: 4_000 });
    const all = planSearch(LARGE);
    if (few.kind !== 'probe' || all.kind !== 'probe') throw new Error('both are large');
    expect(few.probes[0]).toBeGreaterThan(all.probes[0]!);
  });

  it('compares at least three candidates for each wanted document, times its vectors', () => {
    const sizes = { ...LARGE, documents: 25_000, matching: 25_000, k: 200 };
    expect(planSearch(sizes)).toMatchObject({ kind: 'probe', candidates: 1_200 });
  });

  it('grows with the effort', () => {
    const usual = planSearch(LARGE);
    const double = planSearch({ ...LARGE, effort: 2 });
    if (usual.kind !== 'probe' || double.kind !== 'probe') throw new Error('both are large');
    expect(double.probes[0]).toBeGreaterThanOrEqual(usual.probes[0]! * 2 - 1);
    expect(double.candidates).toBeGreaterThanOrEqual(usual.candidates * 2 - 1);
  });
});

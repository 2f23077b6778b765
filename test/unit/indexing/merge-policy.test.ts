/**
 * The merge policy on simulated histories: how many segments are searched, how often a document is
 * rewritten, how many dead stay.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DEFAULT_MERGE_POLICY,
  liveBytes,
  planMerge,
  type WriteActivity,
} from '../../../src/indexing/files/merge-policy.ts';
import { fileBytesOf, type SegmentEntry } from '../../../src/model/index-manifest.ts';
import { amount } from '../../support/run-length.ts';
import { documentsFileOf } from '../../support/segment-entry.ts';

const MB = 1024 ** 2;
let serial = 0;
const segment = (bytes: number, deadRatio = 0): SegmentEntry => {
  const documentCount = Math.max(1, Math.round(bytes / 600));
  return {
    id: `s${serial++}`,
    documentCount,
    deadCount: Math.floor(documentCount * deadRatio),
    tombstones: null,
    files: [documentsFileOf('s', bytes)],
  };
};

class Simulation {
  segments: SegmentEntry[] = [];
  addedBytes = 0;
  mergedBytes = 0;
  countMax = 0;
  readonly #activity: WriteActivity;

  constructor(activity: WriteActivity = 'writing') {
    this.#activity = activity;
  }

  add(bytes: number): void {
    this.segments.push(segment(bytes));
    this.addedBytes += bytes;
    this.settle();
  }

  /** Kills a share of each segment's documents. */
  kill(share: number): void {
    this.segments = this.segments
      .map((one) => ({
        ...one,
        deadCount: Math.min(
          one.documentCount,
          one.deadCount + Math.ceil(one.documentCount * share),
        ),
      }))
      .filter(({ documentCount, deadCount }) => deadCount < documentCount);
    this.settle();
  }

  settle(): void {
    for (let merges = 0; ; merges++) {
      expect(merges).toBeLessThan(50);
      const ids = planMerge(this.segments, DEFAULT_MERGE_POLICY, this.#activity);
      if (ids === null) break;
      const inputs = this.segments.filter(({ id }) => ids.includes(id));
      expect(inputs).toHaveLength(ids.length);
      const bytes = Math.max(1, Math.round(inputs.reduce((sum, one) => sum + liveBytes(one), 0)));
      this.mergedBytes += bytes;
      this.segments = [...this.segments.filter(({ id }) => !ids.includes(id)), segment(bytes)];
    }
    const small = this.segments.filter(
      (one) => liveBytes(one) <= DEFAULT_MERGE_POLICY.mergedBytesMax / 2,
    );
    this.countMax = Math.max(this.countMax, small.length);
  }
}

describe('planMerge', () => {
  it('makes no segment whose files could be too long to be mapped', () => {
    const withVectors = (count: number, bytes: number): SegmentEntry[] =>
      Array.from({ length: count }, () => {
        const one = segment(20 * MB);
        return {
          ...one,
          files: [...one.files, { ...one.files[0]!, component: 'vectors', name: 'v', bytes }],
        };
      });
    expect(planMerge(withVectors(4, 900 * MB))).toHaveLength(4);
    expect(planMerge(withVectors(5, 900 * MB))).toHaveLength(4);
    expect(planMerge(withVectors(6, 2000 * MB))).toBeNull();
    expect(planMerge(withVectors(3, 1400 * MB), DEFAULT_MERGE_POLICY, 'settled')).toHaveLength(2);
    expect(planMerge(withVectors(3, 1000 * MB), DEFAULT_MERGE_POLICY, 'settled')).toHaveLength(3);
  });

  it('leaves few, clean segments alone', () => {
    expect(planMerge([])).toBeNull();
    expect(planMerge([segment(10 * MB), segment(11 * MB), segment(100_000)])).toBeNull();
    expect(planMerge([segment(300 * MB), segment(400 * MB), segment(500 * MB)])).toBeNull();
  });

  it('rewrites a segment of which more than three tenths are dead, small or large, alone', () => {
    const heavy = segment(400 * MB, 0.31);
    expect(planMerge([segment(400 * MB), heavy])).toEqual([heavy.id]);
    expect(planMerge([segment(MB, 0.29), segment(400 * MB, 0.29)])).toBeNull();
  });

  it('makes one clean segment of those of a settled index that fit, when that pays', () => {
    const settled = (segments: SegmentEntry[]) =>
      planMerge(segments, DEFAULT_MERGE_POLICY, 'settled');
    const imported = [segment(8 * MB), segment(6 * MB)];
    expect(planMerge(imported)).toBeNull();
    expect(settled(imported)).toEqual(imported.map(({ id }) => id));
    const dead = segment(20 * MB, 0.1);
    expect(settled([dead])).toEqual([dead.id]);
    expect(settled([segment(20 * MB)])).toBeNull();
    expect(settled([segment(20 * MB), segment(MB)])).toBeNull();
    expect(settled([segment(60 * MB), segment(10 * MB)])).toBeNull();
    expect(settled([segment(60 * MB), segment(31 * MB)])).toHaveLength(2);
    const parts = [segment(550 * MB), segment(550 * MB), segment(550 * MB), segment(500 * MB)];
    expect(settled(parts)).toHaveLength(3);
    expect(planMerge(parts)).toBeNull();
    expect(settled([segment(360 * MB), segment(160 * MB)])).toBeNull();
  });

  it('rewrites a small index that settles after every update at most about as often as it grows by a sixteenth', () => {
    const simulation = new Simulation('settled');
    simulation.add(20 * MB);
    simulation.mergedBytes = 0;
    simulation.addedBytes = 0;
    for (let i = 0; i < 500; i++) simulation.add(60_000);
    expect(simulation.mergedBytes / simulation.addedBytes).toBeLessThan(
      2 * DEFAULT_MERGE_POLICY.gatherRatio,
    );
    expect(simulation.countMax).toBeLessThanOrEqual(DEFAULT_MERGE_POLICY.factor + 1);
  });

  it('merges a full tier with what is smaller, in the order of the segments, but not with the smallest', () => {
    const segments = [
      segment(20 * MB),
      segment(100_000),
      segment(30 * MB),
      segment(9 * MB),
      segment(40 * MB),
      segment(50 * MB),
      segment(400 * MB),
    ];
    const [large, lately, ...others] = segments.map(({ id }) => id);
    expect(planMerge(segments)).toEqual([large, ...others.slice(0, 4)]);
    expect(others).not.toContain(lately);
    const small = Array.from({ length: 4 }, () => segment(100_000));
    expect(planMerge([segment(50 * MB), ...small])).toEqual(small.map(({ id }) => id));
  });

  it('keeps the number of segments and the rewriting small while 2,000 small updates arrive', () => {
    const simulation = new Simulation();
    for (let i = 0; i < 2000; i++) simulation.add(60_000);
    expect(simulation.countMax).toBeLessThanOrEqual(DEFAULT_MERGE_POLICY.segmentsMax);
    // Four tiers from 1 MB to 120 MB, and the rewriting while the updates fill the lowest one.
    expect(simulation.mergedBytes / simulation.addedBytes).toBeLessThan(16);
  });

  it('rewrites an import of 10 GB a few times and never beyond the largest merge', () => {
    const simulation = new Simulation();
    for (let i = 0; i < 320; i++) simulation.add(32 * MB);
    expect(simulation.mergedBytes / simulation.addedBytes).toBeLessThan(3);
    expect(Math.max(...simulation.segments.map(fileBytesOf))).toBeLessThanOrEqual(
      DEFAULT_MERGE_POLICY.mergedBytesMax,
    );
    expect(simulation.segments.length).toBeLessThan(40);
  });

  it('ends, bounds the count and leaves no segment heavy with dead after any history', () => {
    const step = fc.oneof(
      fc.record({ add: fc.integer({ min: 1000, max: 64 * MB }) }),
      fc.record({ kill: fc.double({ min: 0.01, max: 0.6, noNaN: true }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const simulation = new Simulation();
        for (const one of steps) {
          if ('add' in one) simulation.add(one.add);
          else simulation.kill(one.kill);
        }
        expect(simulation.countMax).toBeLessThanOrEqual(DEFAULT_MERGE_POLICY.segmentsMax);
        for (const { deadCount, documentCount } of simulation.segments) {
          expect(deadCount / documentCount).toBeLessThanOrEqual(DEFAULT_MERGE_POLICY.deadRatioMax);
        }
      }),
      { numRuns: amount(100, 300) },
    );
  });
});

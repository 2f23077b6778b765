/** How hits of several queries compare and merge (relevance.md 7.3, 7.6). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compareScores,
  DistinctHits,
  type FederatedHit,
  isComparable,
  mergeHits,
  type ScoreElement,
  type WeightedScore,
} from '../../../src/model/federation.ts';

const score = (value: number): ScoreElement => ({ kind: 'score', value });
const asc = (value: number | string | null): ScoreElement => ({
  kind: 'field',
  direction: 'asc',
  value,
});
const desc = (value: number | string | null): ScoreElement => ({
  kind: 'field',
  direction: 'desc',
  value,
});
const near = (metres: number | null): ScoreElement => ({ kind: 'geo', direction: 'asc', metres });
const far = (metres: number | null): ScoreElement => ({ kind: 'geo', direction: 'desc', metres });
const of = (elements: readonly ScoreElement[], total = 1): WeightedScore => ({ elements, total });

/** 'first', 'second' or 'equal', the same when the two change places. */
function winner(a: WeightedScore, b: WeightedScore): string {
  const name = (order: number): string => (order > 0 ? 'first' : order < 0 ? 'second' : 'equal');
  const [order, turned] = [compareScores(a, b), compareScores(b, a)];
  expect(Math.sign(order) + Math.sign(turned)).toBe(0);
  return name(order);
}

describe('comparing two hits', () => {
  it('prefers the larger number', () => {
    expect(winner(of([score(0.9)]), of([score(0.8)]))).toBe('first');
    expect(winner(of([score(0)]), of([score(0.1)]))).toBe('second');
  });

  it('takes numbers that differ by rounding alone for equal and looks at what follows', () => {
    const almost = 0.3 + 2 ** -54;
    expect(winner(of([score(0.1 + 0.2), asc(1)]), of([score(almost), asc(2)]))).toBe('first');
  });

  it('prefers the better value of a sort: the smaller one ascending, the larger one descending', () => {
    expect(winner(of([asc(1)]), of([asc(2)]))).toBe('first');
    expect(winner(of([desc(1)]), of([desc(2)]))).toBe('second');
    expect(winner(of([asc('a')]), of([asc('b')]))).toBe('first');
    expect(winner(of([desc('a')]), of([desc('b')]))).toBe('second');
  });

  it('puts numbers before strings before nothing in both directions', () => {
    for (const sort of [asc, desc]) {
      expect(winner(of([sort(1e9)]), of([sort('a')]))).toBe('first');
      expect(winner(of([sort('z')]), of([sort(null)]))).toBe('first');
      expect(winner(of([sort(null)]), of([sort(null)]))).toBe('equal');
    }
  });

  it('compares strings by their UTF-8 bytes', () => {
    expect(winner(of([asc('\uff5e')]), of([asc('\u{1f600}')]))).toBe('first');
    expect(winner(of([asc('a')]), of([asc('ab')]))).toBe('first');
  });

  it('puts the farther place first in both directions, and no place last', () => {
    for (const sort of [near, far]) {
      expect(winner(of([sort(5)]), of([sort(1)]))).toBe('first');
      expect(winner(of([sort(0)]), of([sort(null)]))).toBe('first');
    }
  });

  it('lets a missing element lose', () => {
    expect(winner(of([score(1)]), of([score(1), asc(null)]))).toBe('second');
  });

  it('lets the side with more elements win where kinds or directions differ, then the larger total', () => {
    expect(winner(of([score(0.1), asc(1)]), of([asc(1)]))).toBe('first');
    expect(winner(of([asc(1)], 0.2), of([desc(1)], 0.3))).toBe('second');
    expect(winner(of([near(1)], 0.3), of([asc(1)], 0.2))).toBe('first');
    expect(winner(of([score(1)], 0.3), of([near(1)], 0.3))).toBe('equal');
  });

  it('is a sort order within one kind of ranking', () => {
    const hit = fc.record({
      s: fc.integer({ min: 0, max: 3 }),
      v: fc.option(fc.integer({ min: 0, max: 3 })),
    });
    fc.assert(
      fc.property(fc.array(hit, { maxLength: 8 }), (hits) => {
        const scores = hits.map(({ s, v }) => of([score(s / 3), desc(v)]));
        const sorted = [...scores].sort((a, b) => compareScores(b, a));
        for (let i = 0; i < sorted.length; i++) {
          for (const later of sorted.slice(i)) {
            expect(compareScores(sorted[i] ?? of([]), later)).toBeGreaterThanOrEqual(0);
          }
        }
      }),
    );
  });
});

const hit = (
  position: number,
  elements: readonly ScoreElement[],
  distinctValues: string[] = [],
): FederatedHit => ({
  position,
  score: of(elements, 1),
  pin: null,
  isSemantic: false,
  distinctValues,
  group: null,
  start: 0,
  end: 0,
});

describe('merging ordered lists', () => {
  it('takes the better head each time, the lower query first among equals', () => {
    const a = [hit(0, [score(0.9)]), hit(0, [score(0.5)])];
    const b = [hit(1, [score(0.9)]), hit(1, [score(0.7)])];
    const merged = [...mergeHits([b, a])];
    expect(merged.map(({ position, score: { elements } }) => [position, elements[0]])).toEqual([
      [0, score(0.9)],
      [1, score(0.9)],
      [1, score(0.7)],
      [0, score(0.5)],
    ]);
  });

  it('keeps the order inside each list also where it contradicts the comparison, as with distances', () => {
    const first = [hit(0, [near(1)]), hit(0, [near(5)])];
    const second = [hit(1, [near(2)]), hit(1, [near(8)])];
    const metres = [...mergeHits([first, second])].map(({ score: { elements } }) => elements[0]);
    expect(metres).toEqual([near(2), near(8), near(1), near(5)]);
  });

  it('returns every hit once', () => {
    const list = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 6 });
    fc.assert(
      fc.property(fc.array(list, { maxLength: 4 }), (lists) => {
        const hits = lists.map((values, q) => values.map((value) => hit(q, [score(value)])));
        expect(new Set(mergeHits(hits))).toEqual(new Set(hits.flat()));
        expect([...mergeHits(hits)]).toHaveLength(hits.flat().length);
      }),
    );
  });

  it('keeps one hit for each value of a distinct field and all hits without one', () => {
    const hits = [
      hit(0, [], ['a', 'b']),
      hit(1, [], ['b']),
      hit(2, []),
      hit(3, []),
      hit(4, [], ['c']),
      hit(5, [], ['a']),
    ];
    const distinct = new DistinctHits();
    const kept = hits.filter((each) => distinct.add(each));
    expect(kept.map(({ position }) => position)).toEqual([0, 2, 3, 4]);
  });
});

describe('rankings that may be merged', () => {
  it('agree at every place that both have', () => {
    expect(isComparable(['relevancy'], ['relevancy', 'field:asc', 'relevancy'])).toBe(true);
    expect(isComparable([], ['field:asc'])).toBe(true);
    expect(isComparable(['field:asc'], ['field:desc'])).toBe(false);
    expect(isComparable(['field:asc'], ['relevancy', 'field:asc'])).toBe(false);
    expect(isComparable(['geo:asc'], ['field:asc'])).toBe(false);
    expect(isComparable(['geo:asc'], ['geo:desc'])).toBe(false);
  });
});

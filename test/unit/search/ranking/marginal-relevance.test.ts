/** Maximal marginal relevance: agreement with its definition, and its bounds. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { marginalRelevanceOrder } from '../../../../src/search/ranking/marginal-relevance.ts';

interface Case {
  readonly relevance: readonly number[];
  readonly strength: number;
  readonly fixed: readonly boolean[];
  readonly table: readonly (readonly number[])[];
}

/** By definition: for each place all remaining items against all chosen ones. */
function naiveOrder({ relevance, strength, fixed, table }: Case): number[] {
  const order: number[] = [];
  while (order.length < relevance.length) {
    const place = order.length;
    const rest = [...relevance.keys()].filter((item) => !order.includes(item) && !fixed[item]);
    const worths = rest.map((item) => {
      const nearest = Math.max(0, ...order.map((other) => table[item]![other]!));
      return { item, worth: (1 - strength) * relevance[item]! - strength * nearest };
    });
    const best = Math.max(...worths.map(({ worth }) => worth));
    order.push(fixed[place] ? place : worths.find(({ worth }) => worth === best)!.item);
  }
  return order;
}

/** Few values, so that many items are equal. */
const part = fc.integer({ min: 0, max: 4 }).map((n) => n / 4);
const cases: fc.Arbitrary<Case> = fc.integer({ min: 0, max: 12 }).chain((size) => {
  const list = <T>(of: fc.Arbitrary<T>) => fc.array(of, { minLength: size, maxLength: size });
  return fc
    .record({
      relevance: list(part),
      strength: part,
      fixed: list(fc.boolean()),
      values: list(list(part)),
    })
    .map(({ values, ...same }) => ({
      ...same,
      table: values.map((row, a) => row.map((_, b) => values[Math.min(a, b)]![Math.max(a, b)]!)),
    }));
});
const orderOf = ({ relevance, strength, fixed, table }: Case): readonly number[] =>
  marginalRelevanceOrder({
    relevance,
    strength,
    isFixed: (item) => fixed[item]!,
    similarity: (a, b) => table[a]![b]!,
  });

describe('marginalRelevanceOrder', () => {
  it('is the order of the definition', () => {
    fc.assert(
      fc.property(cases, (one) => {
        expect(orderOf(one)).toEqual(naiveOrder(one));
      }),
    );
  });

  it('spreads similar items, and keeps the order at strength 0', () => {
    const kinds = ['a', 'a', 'a', 'b', 'c'];
    const orderAt = (strength: number) =>
      marginalRelevanceOrder({
        relevance: [0.9, 0.85, 0.8, 0.7, 0.2],
        strength,
        isFixed: () => false,
        similarity: (a, b) => (kinds[a] === kinds[b] ? 1 : 0),
      });
    expect(orderAt(0)).toEqual([0, 1, 2, 3, 4]);
    expect(orderAt(0.5)).toEqual([0, 3, 4, 1, 2]);
    expect(orderAt(1)).toEqual([0, 3, 4, 1, 2]);
  });

  it('compares each pair once, and checks the time for each item', () => {
    const pairs = new Set<string>();
    let checks = 0;
    marginalRelevanceOrder(
      {
        relevance: [1, 1, 1, 1, 1],
        strength: 0.5,
        isFixed: () => false,
        similarity: (a, b) => {
          const pair = [a, b].sort().join();
          expect(pairs.has(pair)).toBe(false);
          pairs.add(pair);
          return 0.5;
        },
      },
      () => {
        checks++;
      },
    );
    expect([pairs.size, checks]).toEqual([10, 5]);
  });
});

/**
 * Sort of universes too large to be read at once: the values are walked in steps, over several
 * segments.
 */
import { describe, expect, it } from 'vitest';
import { Deadline } from '../../../../../src/core/deadline.ts';
import { executeSearch } from '../../../../../src/search/execute-search.ts';
import { buildSnapshot } from '../../../../support/build-snapshot.ts';
import { searchRequest } from '../../../../support/search-request.ts';

type Value = number | string | boolean | null | readonly (number | string)[] | undefined;

interface Sorted {
  readonly id: number;
  readonly v: Value;
}

type Snapshot = ReturnType<typeof buildSnapshot>;

const COUNT = 5000;

/** A fixed pseudo-random sequence. */
function* noise(): Generator<number> {
  for (let state = 7; ; state = (state * 1103515245 + 12345) % 2147483648) yield state;
}

function makeDocuments(makeValue: (random: () => number) => Value): Sorted[] {
  const numbers = noise();
  const random = (): number => numbers.next().value as number;
  return Array.from({ length: COUNT }, (_, id) => ({ id, v: makeValue(random) }));
}

/** Numbers, then strings, each by its best value for the direction; null = neither. */
function keyOf(value: Value, isAscending: boolean): number | string | null {
  const leaves = [value]
    .flat()
    .filter((leaf) => leaf !== null && leaf !== undefined && leaf !== '');
  const numbers = leaves.filter((leaf) => typeof leaf === 'number').sort((a, b) => a - b);
  if (numbers.length > 0) return (isAscending ? numbers[0] : numbers.at(-1)) ?? null;
  const texts = leaves.map(String).sort();
  return (isAscending ? texts[0] : texts.at(-1)) ?? null;
}

function orderByHand(documents: readonly Sorted[], isAscending: boolean): number[] {
  const rank = (key: number | string | null): number =>
    key === null ? 2 : typeof key === 'string' ? 1 : 0;
  const keyed = documents.map(({ id, v }) => ({ id, key: keyOf(v, isAscending) }));
  keyed.sort((a, b) => {
    if (rank(a.key) !== rank(b.key)) return rank(a.key) - rank(b.key);
    if (a.key === null || b.key === null || a.key === b.key) return a.id - b.id;
    return a.key < b.key === isAscending ? -1 : 1;
  });
  return keyed.map(({ id }) => id);
}

const snapshotOf = (documents: readonly Sorted[]): Snapshot =>
  buildSnapshot({
    documents: documents.map((document) => ({ ...document })),
    settings: { sortableAttributes: ['v'], pagination: { maxTotalHits: COUNT } },
    segmentCount: 3,
  });

function sortedIds(snapshot: Snapshot, direction: string, limit: number): number[] {
  const request = searchRequest({ sort: [`v:${direction}`], limit });
  return executeSearch(snapshot, request, Deadline.never()).documents.map(({ doc }) => doc);
}

const CASES: Record<string, (random: () => number) => Value> = {
  'few numbers': (random) => random() % 7,
  'many numbers': (random) => (random() % 100_000) / 8,
  'few strings': (random) => `kind ${random() % 5}`,
  'many strings': (random) => `name ${random() % 50_000}`,
  'lists of numbers': (random) => Array.from({ length: random() % 4 }, () => random() % 900),
  'everything mixed': (random) =>
    [
      random() % 40,
      `t${random() % 60}`,
      null,
      undefined,
      true,
      [random() % 9, `m${random() % 9}`],
      '',
    ][random() % 7] as Value,
};

describe('a sort of a large universe', () => {
  for (const [name, makeValue] of Object.entries(CASES)) {
    const documents = makeDocuments(makeValue);
    let snapshot: Snapshot | null = null;
    for (const direction of ['asc', 'desc']) {
      it(`orders ${name} ${direction} like a reference sort, for any limit`, () => {
        snapshot ??= snapshotOf(documents);
        const wanted = orderByHand(documents, direction === 'asc');
        expect(sortedIds(snapshot, direction, COUNT)).toEqual(wanted);
        expect(sortedIds(snapshot, direction, 20)).toEqual(wanted.slice(0, 20));
      });
    }
  }
});

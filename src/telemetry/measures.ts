/**
 * The ways in which a figure of usage is added up: over requests, threads, processes and time. A
 * state is JSON data of bounded size, whatever is added to it.
 */
import { hashText } from '../core/hash.ts';
import type { ToldFigure } from '../model/usage-report.ts';

export interface Measure<State, Value> {
  readonly start: () => State;
  /** The state with one more value; may change and return the given one. */
  readonly add: (state: State, value: Value) => State;
  readonly merge: (state: State, other: State) => State;
  readonly show: (state: State) => ToldFigure;
}

type Counts = Record<string, number>;

/** Distinct names that a state holds; more are not told apart. */
const NAMES_MAX = 64;
const HASHES_MAX = 1024;

const addCount = (counts: Counts, name: string, count: number, namesMax: number): Counts => {
  const known = counts[name];
  if (known !== undefined) counts[name] = known + count;
  else if (Object.keys(counts).length < namesMax) counts[name] = count;
  return counts;
};

const mergeCounts = (counts: Counts, others: Counts, namesMax: number): Counts => {
  for (const [name, count] of Object.entries(others)) addCount(counts, name, count, namesMax);
  return counts;
};

const countsOf = (namesMax: number) => ({
  start: (): Counts => ({}),
  add: (counts: Counts, name: string) => addCount(counts, name, 1, namesMax),
  merge: (counts: Counts, others: Counts) => mergeCounts(counts, others, namesMax),
});

const HUNDREDTHS = 100;
const rounded = (value: number): number => Math.round(value * HUNDREDTHS) / HUNDREDTHS;

export const total: Measure<number, number> = {
  start: () => 0,
  add: (sum, value) => sum + value,
  merge: (sum, other) => sum + other,
  show: (sum) => sum,
};

export const maximum: Measure<number, number> = {
  start: () => 0,
  add: Math.max,
  merge: Math.max,
  show: (greatest) => greatest,
};

/** Whether it was ever so. */
export const ever: Measure<boolean, boolean> = {
  start: () => false,
  add: (was, is) => was || is,
  merge: (was, is) => was || is,
  show: (was) => was,
};

interface Sum {
  readonly sum: number;
  readonly count: number;
}

export const average: Measure<Sum, number> = {
  start: () => ({ sum: 0, count: 0 }),
  add: ({ sum, count }, value) => ({ sum: sum + value, count: count + 1 }),
  merge: (one, other) => ({ sum: one.sum + other.sum, count: one.count + other.count }),
  show: ({ sum, count }) => (count === 0 ? null : rounded(sum / count)),
};

/** The name that came most often, of a few that this server knows. */
export const mostUsed: Measure<Counts, string> = {
  ...countsOf(NAMES_MAX),
  show: (counts) => {
    const [first] = Object.entries(counts).sort(([, a], [, b]) => b - a);
    return first?.[0] ?? null;
  },
};

/** All names that came, of those that this server knows. */
export const seen: Measure<Counts, readonly string[]> = {
  ...countsOf(NAMES_MAX),
  add: (counts, names) => {
    for (const name of names) addCount(counts, name, 1, NAMES_MAX);
    return counts;
  },
  show: (counts) => Object.keys(counts).sort(),
};

/** How many texts came that are not the same; kept as hashes, from which none can be read. */
export const distinctTexts: Measure<Counts, readonly string[]> = {
  ...countsOf(HASHES_MAX),
  add: (counts, texts) => {
    for (const text of texts) addCount(counts, hashOf(text), 1, HASHES_MAX);
    return counts;
  },
  show: (counts) => Object.keys(counts).length,
};

const HASHED_MAX = 256;

const hashOf = (text: string): string => (hashText(text.slice(0, HASHED_MAX)) >>> 0).toString(36);

/** The value that came last; null before the first. */
export const latest: Measure<ToldFigure, ToldFigure> = {
  start: () => null,
  add: (_, value) => value,
  merge: (before, after) => after ?? before,
  show: (value) => value,
};

/** Each class of times is so much longer than the one before. */
const CLASS_GROWTH = 1.1;
const SHORTEST_MS = 0.01;
const CLASSES_MAX = 256;
const SHARE = 0.99;

const classOf = (ms: number): number =>
  Math.min(
    CLASSES_MAX - 1,
    Math.max(0, Math.ceil(Math.log(ms / SHORTEST_MS) / Math.log(CLASS_GROWTH))),
  );

/** Milliseconds within which 99 of a hundred stayed, a tenth more at most. */
export const percentile99: Measure<Counts, number> = {
  ...countsOf(CLASSES_MAX),
  add: (counts, ms) => addCount(counts, String(classOf(ms)), 1, CLASSES_MAX),
  show: (counts) => {
    const classes = Object.entries(counts).sort(([a], [b]) => Number(a) - Number(b));
    let left = SHARE * classes.reduce((sum, [, count]) => sum + count, 0);
    for (const [position, count] of classes) {
      left -= count;
      if (left <= 0) return rounded(SHORTEST_MS * CLASS_GROWTH ** Number(position));
    }
    return null;
  },
};

/** A figure of what `Fact` says; `undefined` adds nothing. */
export interface Figure<Fact> {
  readonly measure: Measure<unknown, unknown>;
  readonly of: (fact: Fact) => unknown;
}

export const figure = <Fact, State, Value>(
  measure: Measure<State, Value>,
  of: (fact: Fact) => Value | undefined,
): Figure<Fact> => ({ measure: measure as Measure<unknown, unknown>, of });

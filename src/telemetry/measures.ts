/** How usage figures add up over requests, processes and time. */
import { hashText } from '../core/hash.ts';
import type { Counts, FigureValue } from '../model/usage-report.ts';

/** A figure of facts about requests. Its state is empty at first and of bounded size. */
export interface Figure<Fact> {
  /** State of one fact; undefined = adds nothing. */
  readonly of: (fact: Fact) => Counts | undefined;
  /** May change and return the first state. */
  readonly merge: (state: Counts, other: Counts) => Counts;
  readonly show: (state: Counts) => FigureValue;
}

type Measure<Value> = <Fact>(of: (fact: Fact) => Value | undefined) => Figure<Fact>;

const measure =
  <Value>(
    toState: (value: Value) => Counts | undefined,
    merge: Figure<unknown>['merge'],
    show: Figure<unknown>['show'],
  ): Measure<Value> =>
  (of) => ({
    of: (fact) => {
      const value = of(fact);
      return value === undefined ? undefined : toState(value);
    },
    merge,
    show,
  });

/** @param namesMax distinct names of a state; more are ignored */
const sums =
  (namesMax: number) =>
  (state: Counts, other: Counts): Counts => {
    for (const name in other) {
      const known = state[name];
      const count = other[name] as number;
      if (known !== undefined) state[name] = known + count;
      else if (Object.keys(state).length < namesMax) state[name] = count;
    }
    return state;
  };
const NAMES_MAX = 64;
const HASHES_MAX = 1024;

const one = (name: string): Counts => ({ [name]: 1 });
const all = (names: readonly string[]): Counts =>
  Object.fromEntries(names.map((name) => [name, 1]));
const rounded = (value: number): number => Math.round(value * 100) / 100;
const countIn = ({ count = 0 }: Counts): number => count;

export const total = measure(
  (count: number) => (count === 0 ? undefined : { count }),
  (state, other) => ({ count: countIn(state) + countIn(other) }),
  countIn,
);
export const maximum = measure(
  (count: number) => ({ count }),
  (state, other) => ({ count: Math.max(countIn(state), countIn(other)) }),
  countIn,
);
/** Whether any fact was true. */
export const ever = measure(
  (is: boolean) => (is ? one('count') : undefined),
  (state) => state,
  (state) => countIn(state) > 0,
);
export const average = measure(
  (sum: number) => ({ sum, count: 1 }),
  sums(2),
  ({ sum = 0, count = 0 }) => (count === 0 ? null : rounded(sum / count)),
);
/** The most frequent name. */
export const mostUsed = measure(one, sums(NAMES_MAX), (state) => {
  const [first] = Object.entries(state).sort(([, a], [, b]) => b - a);
  return first?.[0] ?? null;
});
export const seen = measure(all, sums(NAMES_MAX), (state) => Object.keys(state).sort());
/** Number of distinct texts, of which only hashes are kept. */
export const distinct = measure(
  (texts: readonly string[]) =>
    all(texts.map((text) => (hashText(text.slice(0, 256)) >>> 0).toString(36))),
  sums(HASHES_MAX),
  (state) => Object.keys(state).length,
);
/** The last value; null before the first. */
export const latest = measure(
  (value: FigureValue) => one(JSON.stringify(value)),
  (_, other) => other,
  (state) => JSON.parse(Object.keys(state)[0] ?? 'null'),
);

/** Upper bound of each class of durations, relative to the class before. */
const GROWTH = 1.1;
const SHORTEST_MS = 0.01;
const CLASSES_MAX = 256;
const classOf = (ms: number): number =>
  Math.min(CLASSES_MAX - 1, Math.max(0, Math.ceil(Math.log(ms / SHORTEST_MS) / Math.log(GROWTH))));

/** Milliseconds that 99 percent did not exceed, rounded up by at most a tenth. */
export const percentile99 = measure(
  (ms: number) => one(String(classOf(ms))),
  sums(CLASSES_MAX),
  (state) => {
    const classes = Object.entries(state).sort(([a], [b]) => Number(a) - Number(b));
    let left = 0.99 * classes.reduce((sum, [, count]) => sum + count, 0);
    for (const [position, count] of classes) {
      left -= count;
      if (left <= 0) return rounded(SHORTEST_MS * GROWTH ** Number(position));
    }
    return null;
  },
);

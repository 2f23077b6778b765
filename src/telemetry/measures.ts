/** How usage figures add up over requests, processes and time. */
import { hashText } from '../core/hash.ts';
import type { Counts, FigureValue } from '../model/usage-report.ts';

/** Reads a value of a fact; undefined = adds nothing. */
export interface Read<Fact, Value> {
  (fact: Fact): Value | undefined;
  /** Member of the request without which a fact adds nothing. */
  readonly member?: string;
}

/** A figure of facts about requests. Its state is empty at first and of bounded size. */
export interface Figure<Fact> {
  /** As that of `Read`. */
  readonly member: string | undefined;
  /** Adds a fact to the state. */
  readonly add: (state: Counts, fact: Fact) => void;
  /** Adds another state to the state. */
  readonly merge: (state: Counts, other: Counts) => void;
  readonly show: (state: Counts) => FigureValue;
}

type Measure<Value> = <Fact>(of: Read<Fact, Value>) => Figure<Fact>;

const measure =
  <Value>(
    add: (state: Counts, value: Value) => void,
    merge: Figure<unknown>['merge'],
    show: Figure<unknown>['show'],
  ): Measure<Value> =>
  (of) => ({
    member: of.member,
    add: (state, fact) => {
      const value = of(fact);
      if (value !== undefined) add(state, value);
    },
    merge,
    show,
  });

/** Distinct names of a state; more are ignored. */
const NAMES_MAX = 64;
const HASHES_MAX = 1024;

function count(state: Counts, name: string, namesMax: number, by = 1): void {
  const known = state[name];
  if (known !== undefined) state[name] = known + by;
  else if (Object.keys(state).length < namesMax) state[name] = by;
}

const sums =
  (namesMax: number) =>
  (state: Counts, other: Counts): void => {
    for (const name in other) count(state, name, namesMax, other[name]);
  };
const rounded = (value: number): number => Math.round(value * 100) / 100;
const countIn = ({ count = 0 }: Counts): number => count;
const hashOf = (text: string): string => (hashText(text.slice(0, 256)) >>> 0).toString(36);

function addTo(state: Counts, value: number): void {
  if (value !== 0) state['count'] = countIn(state) + value;
}
function raise(state: Counts, value: number): void {
  state['count'] = Math.max(countIn(state), value);
}
const raiseTo = (state: Counts, other: Counts): void => raise(state, countIn(other));

export const total = measure(addTo, (state, other) => addTo(state, countIn(other)), countIn);
export const maximum = measure(raise, raiseTo, countIn);
/** Whether any fact was true. */
export const ever = measure(
  (state, is: boolean) => {
    if (is) raise(state, 1);
  },
  raiseTo,
  (state) => countIn(state) > 0,
);
export const average = measure(
  (state, value: number) => {
    state['sum'] = (state['sum'] ?? 0) + value;
    addTo(state, 1);
  },
  sums(2),
  ({ sum = 0, count = 0 }) => (count === 0 ? null : rounded(sum / count)),
);
/** The most frequent name. */
export const mostUsed = measure(
  (state, name: string) => count(state, name, NAMES_MAX),
  sums(NAMES_MAX),
  (state) => {
    const [first] = Object.entries(state).sort(([, a], [, b]) => b - a);
    return first?.[0] ?? null;
  },
);
export const seen = measure(
  (state, names: readonly string[]) => {
    for (const name of names) count(state, name, NAMES_MAX);
  },
  sums(NAMES_MAX),
  (state) => Object.keys(state).sort(),
);
/** Number of distinct texts, of which only hashes are kept. */
export const distinct = measure(
  (state, texts: readonly string[]) => {
    for (const text of texts) count(state, hashOf(text), HASHES_MAX);
  },
  sums(HASHES_MAX),
  (state) => Object.keys(state).length,
);
/** The name of `other`, if it has one, becomes the only one of the state. */
function replace(state: Counts, other: Counts): void {
  for (const name in other) {
    for (const former in state) delete state[former];
    state[name] = 1;
  }
}

/** The last value; null before the first. */
export const latest = measure(
  (state, value: FigureValue) => replace(state, { [JSON.stringify(value)]: 1 }),
  replace,
  (state) => JSON.parse(Object.keys(state)[0] ?? 'null'),
);

/** Upper bound of each class of durations, relative to the class before. */
const GROWTH = 1.1;
const SHORTEST_MS = 0.01;
const CLASSES_MAX = 256;
const LOG_GROWTH = Math.log(GROWTH);
const classOf = (ms: number): number =>
  Math.min(CLASSES_MAX - 1, Math.max(0, Math.ceil(Math.log(ms / SHORTEST_MS) / LOG_GROWTH)));

/** Milliseconds that 99 percent did not exceed, rounded up by at most a tenth. */
export const percentile99 = measure(
  (state, ms: number) => count(state, String(classOf(ms)), CLASSES_MAX),
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

/** How usage figures add up over requests, processes and time. */
import { hashText } from '../core/hash.ts';
import type { Counts, FigureValue } from '../model/usage-report.ts';

/** The state of a figure is empty at first and of bounded size. */
export interface Measure {
  readonly add: (state: Counts, value: unknown) => void;
  /** Adds another state to the state. */
  readonly merge: (state: Counts, other: Counts) => void;
  readonly show: (state: Counts) => FigureValue;
}

/** Numbers of a state; further names are ignored. */
const NAMES_MAX = 512;

function count(state: Counts, name: string, by = 1): void {
  const known = state[name];
  if (known !== undefined) state[name] = known + by;
  else if (Object.keys(state).length < NAMES_MAX) state[name] = by;
}
const sum: Measure['merge'] = (state, other) => {
  for (const name in other) count(state, name, other[name]);
};
const raise: Measure['merge'] = (state, { count = 0 }) => {
  state['count'] = Math.max(state['count'] ?? 0, count);
};
/** The name of `other`, if it has one, becomes the only one of the state. */
const replace: Measure['merge'] = (state, other) => {
  for (const name in other) {
    for (const former in state) delete state[former];
    state[name] = 1;
  }
};

/** A number or boolean itself, else the length of a list or the number of members. */
function amountOf(value: unknown): number {
  if (typeof value === 'number' || typeof value === 'boolean') return Number(value);
  return typeof value === 'object' ? Object.keys(value ?? {}).length : 0;
}
const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
const rounded = (value: number): number => Math.round(value * 100) / 100;
const countIn = ({ count = 0 }: Counts): number => count;

/** Counts the texts among the values of a list. */
const ofNames = (show: Measure['show'], nameOf = (text: string) => text): Measure => ({
  add: (state, value) => {
    for (const text of Array.isArray(value) ? value : [value])
      if (typeof text === 'string') count(state, nameOf(text));
  },
  merge: sum,
  show,
});

/** Upper bound of each class of durations, relative to the class before. */
const GROWTH = 1.1;
const SHORTEST_MS = 0.01;

function percentileIn(state: Counts): number | null {
  // Names that are whole numbers come in ascending order.
  const classes = Object.entries(state);
  let left = 0.99 * classes.reduce((all, [, count]) => all + count, 0);
  for (const [growths, count] of classes) {
    left -= count;
    if (left <= 0) return rounded(SHORTEST_MS * GROWTH ** Number(growths));
  }
  return null;
}

const MEASURES = {
  total: {
    add: (state, value) => count(state, 'count', amountOf(value)),
    merge: sum,
    show: countIn,
  },
  maximum: {
    add: (state, value) => raise(state, { count: amountOf(value) }),
    merge: raise,
    show: countIn,
  },
  /** Whether a value was ever given that is neither false nor an empty list. */
  ever: {
    add: (state, value) =>
      raise(state, { count: Number((value ?? false) !== false && !isEmptyList(value)) }),
    merge: raise,
    show: (state) => countIn(state) > 0,
  },
  /** Over values that are no text. */
  average: {
    add: (state, value) => {
      if (typeof value !== 'string') sum(state, { sum: amountOf(value), count: 1 });
    },
    merge: sum,
    show: ({ sum = 0, count = 0 }) => (count === 0 ? null : rounded(sum / count)),
  },
  /** The most frequent name. */
  mostUsed: ofNames((state) => Object.entries(state).sort(([, a], [, b]) => b - a)[0]?.[0] ?? null),
  seen: ofNames((state) => Object.keys(state).sort()),
  /** Number of distinct texts, of which only hashes are kept. */
  distinct: ofNames(
    (state) => Object.keys(state).length,
    (text) => (hashText(text.slice(0, 256)) >>> 0).toString(36),
  ),
  /** The last number, boolean or text; null before the first. */
  latest: {
    add: (state, value) => {
      if (typeof value !== 'object') replace(state, { [JSON.stringify(value)]: 1 });
    },
    merge: replace,
    show: (state) => JSON.parse(Object.keys(state)[0] ?? 'null'),
  },
  /** Milliseconds that 99 percent did not exceed, rounded up by at most a tenth. */
  percentile99: {
    add: (state, ms) => {
      const growths = Math.ceil(Math.log(Number(ms) / SHORTEST_MS) / Math.log(GROWTH));
      count(state, String(Math.max(0, growths)));
    },
    merge: sum,
    show: percentileIn,
  },
} as const satisfies Record<string, Measure>;

export const measureOf = (name: string): Measure => MEASURES[name as keyof typeof MEASURES];

/** How usage figures add up over requests, processes and time. */
import { hashText } from '../core/hash.ts';
import type { Counts, FigureValue } from '../model/usage-report.ts';

/** The counts of a figure are empty at first and of bounded size. */
export interface Measure {
  readonly add: (counts: Counts, value: unknown) => void;
  /** Adds other counts to the counts. */
  readonly merge: (counts: Counts, other: Counts) => void;
  readonly show: (counts: Counts) => FigureValue;
}

/** Names that are counted; further names are ignored. */
const NAMES_MAX = 512;

function count(counts: Counts, name: string, by = 1): void {
  const known = counts[name];
  if (known !== undefined) counts[name] = known + by;
  else if (Object.keys(counts).length < NAMES_MAX) counts[name] = by;
}
const sum: Measure['merge'] = (counts, other) => {
  for (const name in other) count(counts, name, other[name]);
};
const raise: Measure['merge'] = (counts, { count = 0 }) => {
  counts['count'] = Math.max(counts['count'] ?? 0, count);
};

/** A number or boolean itself, the length of a list or the number of members; 1 for a text. */
function amountOf(value: unknown): number {
  if (typeof value === 'number' || typeof value === 'boolean') return Number(value);
  return typeof value === 'string' ? 1 : Object.keys(value ?? {}).length;
}
const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
const rounded = (value: number): number => Math.round(value * 100) / 100;

/** Counts the texts among the values of a list. */
const ofNames = (show: Measure['show'], nameOf = (text: string) => text) => ({
  add: (counts: Counts, value: unknown) => {
    for (const text of Array.isArray(value) ? value : [value])
      if (typeof text === 'string') count(counts, nameOf(text));
  },
  show,
});

/** Upper bound of each class of durations, relative to the class before. */
const GROWTH = 1.1;
const SHORTEST_MS = 0.01;

function percentileIn(counts: Counts): number | null {
  // Names that are whole numbers come in ascending order.
  const classes = Object.entries(counts);
  let left = 0.99 * classes.reduce((all, [, count]) => all + count, 0);
  for (const [growths, count] of classes) {
    left -= count;
    if (left <= 0) return rounded(SHORTEST_MS * GROWTH ** Number(growths));
  }
  return null;
}

const MEASURES: Readonly<Record<string, Omit<Measure, 'merge'> & Partial<Measure>>> = {
  total: {
    add: (counts, value) => count(counts, 'count', amountOf(value)),
    show: ({ count = 0 }) => count,
  },
  maximum: {
    add: (counts, value) => raise(counts, { count: amountOf(value) }),
    merge: raise,
    show: ({ count = 0 }) => count,
  },
  /** Whether a value was ever given that is neither false nor an empty list. */
  ever: {
    add: (counts, value) => count(counts, 'count', Number(value !== false && !isEmptyList(value))),
    show: ({ count = 0 }) => count > 0,
  },
  /** Over values that are no text. */
  average: {
    add: (counts, value) => {
      if (typeof value !== 'string') sum(counts, { sum: amountOf(value), count: 1 });
    },
    show: ({ sum = 0, count = 0 }) => (count === 0 ? null : rounded(sum / count)),
  },
  /** The most frequent number, boolean or text; null before the first. */
  mostUsed: {
    add: (counts, value) => {
      if (typeof value !== 'object') count(counts, JSON.stringify(value));
    },
    show: (counts) =>
      JSON.parse(Object.entries(counts).sort(([, a], [, b]) => b - a)[0]?.[0] ?? 'null'),
  },
  seen: ofNames((counts) => Object.keys(counts).sort()),
  /** Number of distinct texts, of which only hashes are kept. */
  distinct: ofNames(
    (counts) => Object.keys(counts).length,
    (text) => (hashText(text.slice(0, 256)) >>> 0).toString(36),
  ),
  /** Milliseconds that 99 percent did not exceed, rounded up by at most a tenth. */
  percentile99: {
    add: (counts, ms) => {
      const growths = Math.ceil(Math.log(Number(ms) / SHORTEST_MS) / Math.log(GROWTH));
      count(counts, String(Math.max(0, growths)));
    },
    show: percentileIn,
  },
};

export function measureOf(name: string): Measure {
  const measure = MEASURES[name];
  if (measure === undefined) throw new Error(`no measure ${name}`);
  return { merge: sum, ...measure };
}

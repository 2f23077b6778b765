/** How usage figures add up over requests, processes and time. */
import { hashText } from '../core/hash.ts';
import type { Counts, FigureValue } from '../model/usage-report.ts';

export interface Measure {
  /** Counts of one value. */
  readonly of: (value: unknown) => Counts;
  readonly show: (counts: Counts) => FigureValue;
}

/** Names that a figure counts; further names are ignored. */
const NAMES_MAX = 512;

/** Adds other counts to the counts; of `max` the greater one stays. */
export function addCounts(counts: Counts, other: Counts): void {
  for (const name in other) {
    const [own, more] = [counts[name], other[name] ?? 0];
    if (own !== undefined) counts[name] = name === 'max' ? Math.max(own, more) : own + more;
    else if (Object.keys(counts).length < NAMES_MAX) counts[name] = more;
  }
}

/** A number or boolean itself, the length of a list or the number of members; 1 for a text. */
function amountOf(value: unknown): number {
  if (typeof value === 'number' || typeof value === 'boolean') return Number(value);
  return typeof value === 'string' ? 1 : Object.keys(value ?? {}).length;
}
const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
const rounded = (value: number): number => Math.round(value * 100) / 100;

/** One for each text of a list. */
function namesIn(value: unknown, nameOf = (text: string) => text): Counts {
  const texts = [value].flat().filter((item): item is string => typeof item === 'string');
  return Object.fromEntries(texts.map((text) => [nameOf(text), 1]));
}

/** Upper bound of each class of durations, relative to the class before. */
const GROWTH = 1.1;
const SHORTEST_MS = 0.01;

export const MEASURES: Readonly<Record<string, Measure>> = {
  total: { of: (value) => ({ sum: amountOf(value) }), show: ({ sum = 0 }) => sum },
  maximum: { of: (value) => ({ max: amountOf(value) }), show: ({ max = 0 }) => max },
  /** Whether a value was ever given that is neither false nor an empty list. */
  ever: {
    of: (value) => ({ sum: Number(value !== false && !isEmptyList(value)) }),
    show: ({ sum = 0 }) => sum > 0,
  },
  /** Over values that are no text. */
  average: {
    of: (value) => (typeof value === 'string' ? {} : { sum: amountOf(value), count: 1 }),
    show: ({ sum = 0, count = 0 }) => (count === 0 ? null : rounded(sum / count)),
  },
  /** The most frequent number, boolean or text; null before the first. */
  mostUsed: {
    of: (value) => (typeof value === 'object' ? {} : { [JSON.stringify(value)]: 1 }),
    show: (counts) =>
      JSON.parse(Object.entries(counts).sort(([, a], [, b]) => b - a)[0]?.[0] ?? 'null'),
  },
  seen: { of: (value) => namesIn(value), show: (counts) => Object.keys(counts).sort() },
  /** Number of distinct texts, of which only hashes are kept. */
  distinct: {
    of: (value) => namesIn(value, (text) => (hashText(text.slice(0, 256)) >>> 0).toString(36)),
    show: (counts) => Object.keys(counts).length,
  },
  /** Milliseconds that 99 percent did not exceed, rounded up by at most a tenth. */
  percentile99: {
    of: (ms) => {
      const growths = Math.ceil(Math.log(Number(ms) / SHORTEST_MS) / Math.log(GROWTH));
      return { [Math.max(0, growths)]: 1 };
    },
    show: (counts) => {
      let left = 0.99 * Object.values(counts).reduce((all, count) => all + count, 0);
      // Names that are whole numbers come in ascending order.
      for (const [growths, count] of Object.entries(counts)) {
        left -= count;
        if (left <= 0) return rounded(SHORTEST_MS * GROWTH ** Number(growths));
      }
      return null;
    },
  },
};

/**
 * A slow evaluator of the filter definitions, document by document, and random documents and
 * filters to hold against it.
 */

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type FilterDocument = { readonly id: number; readonly [key: string]: Json };

/** What filters see of one path of a document. */
interface PathValues {
  isNull: boolean;
  isEmpty: boolean;
  readonly numbers: number[];
  readonly strings: string[];
}

/** Visible values by path. A path that is there exists. */
export type Flat = ReadonlyMap<string, PathValues>;

const normalized = (text: string): string => text.trim().normalize('NFKD').toLowerCase();

export function flatten(document: FilterDocument): Flat {
  const flat = new Map<string, PathValues>();
  const addKeys = (object: { readonly [key: string]: Json }, prefix: string): void => {
    for (const [key, value] of Object.entries(object)) addKey(value, `${prefix}${key}`);
  };
  const addKey = (value: Json, path: string): void => {
    const known = flat.get(path) ?? { isNull: false, isEmpty: false, numbers: [], strings: [] };
    flat.set(path, known);
    if (value === null) known.isNull = true;
    const isContainer = typeof value === 'object' && value !== null;
    if (value === '' || (isContainer && Object.keys(value).length === 0)) known.isEmpty = true;
    addValue(value, path, known);
  };
  const addValue = (value: Json, path: string, known: PathValues): void => {
    if (typeof value === 'number') known.numbers.push(value);
    else if (typeof value === 'boolean') known.strings.push(String(value));
    else if (typeof value === 'string') {
      if (value !== '') known.strings.push(normalized(value));
    } else if (Array.isArray(value)) for (const item of value) addValue(item as Json, path, known);
    else if (value !== null) addKeys(value as { readonly [key: string]: Json }, `${path}.`);
  };
  addKeys(document, '');
  return flat;
}

/**
 * The same filter as text, as a test of a document, and whether it has to be put in parentheses
 * below an operator.
 */
export interface RandomFilter {
  readonly text: string;
  matches(flat: Flat): boolean;
}

export type Random = () => number;

const pick = <T>(random: Random, items: readonly T[]): T =>
  items[Math.floor(random() * items.length)] as T;

const STRINGS = [
  'a',
  'A',
  'ab',
  'abc',
  'Été',
  'ete',
  'b c',
  ' b ',
  'true',
  'false',
  '10',
  '2',
  '-1',
  'ß',
  'é',
  'z',
  '  ',
];
const NUMBERS = [0, 1, 2, 10, -1, -2.5, 0.5, 1e21, 3];
const FIELDS = ['x', 'y', 'o.a', 'o.b', 'o', 'seldom', 'never'];

export function randomDocument(random: Random, id: number): FilterDocument {
  const scalar = (): Json =>
    pick<() => Json>(random, [
      () => pick(random, STRINGS),
      () => pick(random, STRINGS),
      () => pick(random, NUMBERS),
      () => pick(random, NUMBERS),
      () => random() < 0.5,
      () => null,
      () => '',
    ])();
  const list = (item: () => Json): Json => Array.from({ length: Math.floor(random() * 4) }, item);
  const value = (): Json =>
    pick<() => Json>(random, [
      scalar,
      scalar,
      scalar,
      () => list(scalar),
      () => list(() => list(scalar)),
      () => ({}),
    ])();
  const object = (): Json => ({
    ...(random() < 0.7 && { a: value() }),
    ...(random() < 0.5 && { b: value() }),
  });
  return {
    id,
    ...(random() < 0.8 && { x: value() }),
    ...(random() < 0.6 && { y: value() }),
    ...(random() < 0.7 && { o: random() < 0.5 ? object() : list(object) }),
    ...(random() < 0.03 && { seldom: value() }),
  };
}

const quote = (text: string): string => (/^[\w.]+$/.test(text) ? text : JSON.stringify(text));

const numberOf = (text: string): number | null => {
  const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : null;
};

const compareBytes = (a: string, b: string): number =>
  Buffer.compare(Buffer.from(a), Buffer.from(b));

const NOTHING: PathValues = { isNull: false, isEmpty: false, numbers: [], strings: [] };

const equals = ({ numbers, strings }: PathValues, value: string): boolean =>
  strings.includes(normalized(value)) || numbers.some((number) => number === numberOf(value));

function compares({ numbers, strings }: PathValues, operator: string, value: string): boolean {
  const holds = (order: number): boolean =>
    operator === '<'
      ? order < 0
      : operator === '<='
        ? order <= 0
        : operator === '>'
          ? order > 0
          : order >= 0;
  const bound = numberOf(value);
  return (
    strings.some((text) => holds(compareBytes(text, normalized(value)))) ||
    (bound !== null && numbers.some((number) => holds(number - bound)))
  );
}

/** @param isSeen whether any document ever had the path */
export function randomCondition(random: Random, isSeen: (path: string) => boolean): RandomFilter {
  const path = pick(random, FIELDS);
  const value = (): string =>
    random() < 0.5 ? pick(random, STRINGS) : String(pick(random, NUMBERS));
  const at = (flat: Flat): PathValues => flat.get(path) ?? NOTHING;
  const one = value();
  const [from, to] = [value(), value()];
  const several = Array.from({ length: Math.floor(random() * 4) }, value);
  const operator = pick(random, ['<', '<=', '>', '>=']);
  const not = random() < 0.3;
  const kinds: readonly (() => RandomFilter)[] = [
    () => ({ text: `${path} = ${quote(one)}`, matches: (flat) => equals(at(flat), one) }),
    () => ({
      text: `${path} != ${quote(one)}`,
      matches: (flat) => isSeen(path) && !equals(at(flat), one),
    }),
    () => ({
      text: `${path} ${operator} ${quote(one)}`,
      matches: (flat) => compares(at(flat), operator, one),
    }),
    () => ({
      text: `${path} ${quote(from)} TO ${quote(to)}`,
      matches: (flat) => {
        const { numbers, strings } = at(flat);
        const [low, high] = [numberOf(from), numberOf(to)];
        const isBetween = (text: string): boolean =>
          compareBytes(text, normalized(from)) >= 0 && compareBytes(text, normalized(to)) <= 0;
        return (
          strings.some(isBetween) ||
          (low !== null && high !== null && numbers.some((n) => n >= low && n <= high))
        );
      },
    }),
    () => ({
      text: `${path} ${not ? 'NOT ' : ''}IN [${several.map(quote).join(', ')}]`,
      matches: (flat) => several.some((item) => equals(at(flat), item)) !== not,
    }),
    () => ({
      text: `${path} ${not ? 'NOT ' : ''}EXISTS`,
      matches: (flat) => flat.has(path) !== not,
    }),
    () => ({
      text: `${path} IS ${not ? 'NOT ' : ''}NULL`,
      matches: (flat) => at(flat).isNull !== not,
    }),
    () => ({
      text: `${path} IS ${not ? 'NOT ' : ''}EMPTY`,
      matches: (flat) => at(flat).isEmpty !== not,
    }),
    () => ({
      text: `${path} ${not ? 'NOT ' : ''}CONTAINS ${quote(one)}`,
      matches: (flat) => at(flat).strings.some((text) => text.includes(normalized(one))) !== not,
    }),
    () => ({
      text: `${path} ${not ? 'NOT ' : ''}STARTS WITH ${quote(one)}`,
      matches: (flat) => {
        const prefix = normalized(one);
        const found =
          prefix === '' ? flat.has(path) : at(flat).strings.some((text) => text.startsWith(prefix));
        return found !== not;
      },
    }),
  ];
  return pick(random, kinds)();
}

export function randomFilter(
  random: Random,
  isSeen: (path: string) => boolean,
  depth = 3,
): RandomFilter {
  if (depth === 0 || random() < 0.4) return randomCondition(random, isSeen);
  const child = (): RandomFilter => randomFilter(random, isSeen, depth - 1);
  if (random() < 0.2) {
    const inner = child();
    return { text: `NOT (${inner.text})`, matches: (flat) => !inner.matches(flat) };
  }
  const children = Array.from({ length: 2 + Math.floor(random() * 3) }, child);
  const isAnd = random() < 0.5;
  const text = children.map((item) => `(${item.text})`).join(isAnd ? ' AND ' : ' OR ');
  const matches = (flat: Flat): boolean =>
    isAnd
      ? children.every((item) => item.matches(flat))
      : children.some((item) => item.matches(flat));
  return { text, matches };
}

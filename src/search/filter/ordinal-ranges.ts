/**
 * Conditions on the values of one attribute as ranges of a column's ordinals; one pass reads the
 * ranges of many conditions.
 */
import {
  foldChineseVariants,
  formsOf,
  hasVariants,
} from '../../engine/analysis/languages/chinese-variants.ts';
import type { Column, NumberValues, StringValues } from '../../engine/columns/columns-reader.ts';
import { normalizeValue } from '../../engine/columns/normalize-value.ts';
import type { FilterClock } from '../../model/filter/filter-clock.ts';
import type { AttributeCondition } from '../../model/filter/filter-node.ts';
import { numberOfText } from '../../model/filter/number-of-text.ts';

/** Conditions that at least one value of the document must meet. */
export type RangeCondition = Extract<
  AttributeCondition,
  { kind: 'values' | 'comparison' | 'range' | 'text' }
>;

const utf8 = new TextEncoder();

/**
 * Above this number of condition values per column value, the column's values are looked up in the
 * condition instead of the reverse.
 */
const VALUES_PER_COLUMN_VALUE_MAX = 2;

/** Pairs of ordinals, each a range `[lo, hi)`. */
class RangeList {
  readonly #pairs: number[] = [];

  /** Extends the last range if the two touch, so that overlapping comparisons stay one range. */
  add(lo: number, hi: number): void {
    if (lo >= hi) return;
    const pairs = this.#pairs;
    const last = pairs.length - 2;
    if (last >= 0 && lo <= pairs[last + 1]! && hi >= pairs[last]!) {
      pairs[last] = Math.min(pairs[last]!, lo);
      pairs[last + 1] = Math.max(pairs[last + 1]!, hi);
    } else pairs.push(lo, hi);
  }

  /** Visits disjoint ranges, ascending. */
  forEachMerged(visit: (lo: number, hi: number) => void): void {
    const pairs = this.#pairs;
    if (pairs.length === 2) {
      visit(pairs[0]!, pairs[1]!);
      return;
    }
    const order = Array.from({ length: pairs.length / 2 }, (_, i) => i * 2).sort(
      (a, b) => pairs[a]! - pairs[b]!,
    );
    let [lo, hi] = [0, 0];
    for (const at of order) {
      if (pairs[at]! > hi) {
        if (lo < hi) visit(lo, hi);
        lo = pairs[at]!;
      }
      hi = Math.max(hi, pairs[at + 1]!);
    }
    if (lo < hi) visit(lo, hi);
  }
}

interface Ranges {
  readonly numbers: RangeList;
  readonly strings: RangeList;
}

type Adder = (column: Column, ranges: Ranges) => void;

/** Comparison of the strings of an attribute. */
export interface TextComparison {
  readonly clock: FilterClock;
  /** True if the variants of a Chinese character are equal. */
  readonly meetsVariants: boolean;
}

/**
 * Ors into `bits` the documents of a column that meet one of the conditions. Prepared once for all
 * columns of an attribute.
 */
export function documentsOfRanges(
  conditions: readonly RangeCondition[],
  comparison: TextComparison,
): (column: Column, bits: Uint32Array) => void {
  const { clock } = comparison;
  const adders = conditions.map((condition) => {
    clock.tick();
    return adderOf(condition, comparison);
  });
  return (column, bits) => {
    const ranges: Ranges = { numbers: new RangeList(), strings: new RangeList() };
    for (const add of adders) {
      clock.tick();
      add(column, ranges);
    }
    ranges.numbers.forEachMerged((lo, hi) => column.numbers.addDocuments(lo, hi, bits));
    ranges.strings.forEachMerged((lo, hi) => column.strings.addDocuments(lo, hi, bits));
  };
}

function adderOf(condition: RangeCondition, comparison: TextComparison): Adder {
  if (condition.kind === 'values') return valuesAdder(condition.values, comparison);
  if (condition.kind === 'range') return rangeAdder(condition.from, condition.to);
  if (condition.kind === 'comparison') return comparisonAdder(condition);
  return condition.operator === 'CONTAINS'
    ? containsAdder(condition.value, comparison)
    : prefixAdder(condition.value, comparison);
}

function valuesAdder(values: readonly string[], comparison: TextComparison): Adder {
  const { clock } = comparison;
  let numbers: ReadonlySet<number> | null = null;
  let texts: ReadonlySet<string> | null = null;
  return (column, ranges) => {
    if (column.numbers.count > 0) {
      numbers ??= numbersOf(values, clock);
      addNumbers(column.numbers, numbers, ranges.numbers, clock);
    }
    if (column.strings.count > 0) {
      texts ??= textsOf(values, comparison);
      addTexts(column.strings, texts, ranges.strings, comparison);
    }
  };
}

/** Numbers of the values without −0, which equals no number. */
function numbersOf(values: readonly string[], clock: FilterClock): Set<number> {
  const numbers = new Set<number>();
  for (const value of values) {
    clock.tick();
    const number = numberOfText(value);
    if (number !== null && !Object.is(number, -0)) numbers.add(number);
  }
  return numbers;
}

/** A normalised text in its compared form. */
const comparedForm = (text: string, { meetsVariants }: TextComparison): string =>
  meetsVariants ? foldChineseVariants(text) : text;

function textsOf(values: readonly string[], comparison: TextComparison): Set<string> {
  const texts = new Set<string>();
  for (const value of values) {
    comparison.clock.tick();
    texts.add(comparedForm(normalizeValue(value), comparison));
  }
  return texts;
}

/**
 * Prefixes of column values that equal a text in its compared form. Built character by character, so
 * that there are never more of them than column values.
 */
function spellingsOf(
  column: StringValues,
  text: string,
  { clock, meetsVariants }: TextComparison,
): readonly string[] {
  if (!meetsVariants || !hasVariants(text)) return [text];
  let spellings = [''];
  for (const character of text) {
    const forms = formsOf(character) ?? [character];
    const longer = spellings.flatMap((spelling) => forms.map((form) => spelling + form));
    spellings = longer.filter((spelling) => {
      clock.tick();
      return isBeginningOfValue(column, spelling);
    });
  }
  return spellings;
}

function isBeginningOfValue(column: StringValues, text: string): boolean {
  const beginning = utf8.encode(text);
  const ordinal = column.lowerBound(beginning);
  if (ordinal === column.count) return false;
  const value = column.bytesAt(ordinal);
  return beginning.every((byte, i) => value[i] === byte);
}

function addNumbers(
  column: NumberValues,
  numbers: ReadonlySet<number>,
  ranges: RangeList,
  clock: FilterClock,
): void {
  if (numbers.size > column.count * VALUES_PER_COLUMN_VALUE_MAX) {
    for (let i = 0; i < column.count; i++) {
      clock.tickValue();
      if (numbers.has(column.valueAt(i))) ranges.add(i, i + 1);
    }
    return;
  }
  for (const number of numbers) {
    clock.tick();
    const lo = column.lowerBound(number);
    if (lo < column.count && column.valueAt(lo) === number) ranges.add(lo, lo + 1);
  }
}

function addTexts(
  column: StringValues,
  texts: ReadonlySet<string>,
  ranges: RangeList,
  comparison: TextComparison,
): void {
  if (texts.size > column.count * VALUES_PER_COLUMN_VALUE_MAX) {
    for (let i = 0; i < column.count; i++) {
      comparison.clock.tickValue();
      if (texts.has(comparedForm(column.textAt(i), comparison))) ranges.add(i, i + 1);
    }
    return;
  }
  for (const text of texts) {
    comparison.clock.tick();
    for (const spelling of spellingsOf(column, text, comparison)) {
      const ordinal = column.find(utf8.encode(spelling));
      if (ordinal >= 0) ranges.add(ordinal, ordinal + 1);
    }
  }
}

/** First ordinal at or above a value. A filter's −0 ranks between 0 and the numbers above it. */
function firstNumber(column: NumberValues, value: number): number {
  return Object.is(value, -0) ? afterNumber(column, 0) : column.lowerBound(value);
}

/** First ordinal above a value. */
function afterNumber(column: NumberValues, value: number): number {
  const lo = column.lowerBound(value);
  return lo < column.count && column.valueAt(lo) === value ? lo + 1 : lo;
}

const afterText = (column: StringValues, bytes: Uint8Array): number => {
  const found = column.find(bytes);
  return found >= 0 ? found + 1 : column.lowerBound(bytes);
};

function comparisonAdder({
  operator,
  value,
}: Extract<RangeCondition, { kind: 'comparison' }>): Adder {
  const number = numberOfText(value);
  const bytes = utf8.encode(normalizeValue(value));
  const startsAfter = operator === '>' || operator === '<=';
  const isBelow = operator === '<' || operator === '<=';
  const addSide = (bound: number, count: number, ranges: RangeList): void =>
    isBelow ? ranges.add(0, bound) : ranges.add(bound, count);
  return ({ numbers, strings }, ranges) => {
    const text = startsAfter ? afterText(strings, bytes) : strings.lowerBound(bytes);
    addSide(text, strings.count, ranges.strings);
    if (number === null) return;
    const bound = startsAfter ? afterNumber(numbers, number) : firstNumber(numbers, number);
    addSide(bound, numbers.count, ranges.numbers);
  };
}

function rangeAdder(from: string, to: string): Adder {
  const [first, last] = [numberOfText(from), numberOfText(to)];
  const [fromBytes, toBytes] = [utf8.encode(normalizeValue(from)), utf8.encode(normalizeValue(to))];
  return ({ numbers, strings }, ranges) => {
    ranges.strings.add(strings.lowerBound(fromBytes), afterText(strings, toBytes));
    if (first === null || last === null) return;
    ranges.numbers.add(firstNumber(numbers, first), afterNumber(numbers, last));
  };
}

function containsAdder(value: string, comparison: TextComparison): Adder {
  const text = comparedForm(normalizeValue(value), comparison);
  const isFolded = comparison.meetsVariants && hasVariants(text);
  return ({ strings }, ranges) => {
    for (let i = 0; i < strings.count; i++) {
      comparison.clock.tickValue();
      const stored = strings.textAt(i);
      if ((isFolded ? foldChineseVariants(stored) : stored).includes(text))
        ranges.strings.add(i, i + 1);
    }
  };
}

/** The prefix must not be empty. */
function prefixAdder(value: string, comparison: TextComparison): Adder {
  const text = comparedForm(normalizeValue(value), comparison);
  return ({ strings }, ranges) => {
    for (const spelling of spellingsOf(strings, text, comparison)) {
      const first = utf8.encode(spelling);
      const past = first.slice();
      past[past.length - 1]! += 1;
      ranges.strings.add(strings.lowerBound(first), strings.lowerBound(past));
    }
  };
}

/**
 * Script values. Each array and map is stored in one place; storing it in a second place stores a
 * copy.
 */
import { floatText } from '../engine/json/number-text.ts';
import { editLimits } from './edit-limits.ts';
import type { Meter } from './meter.ts';
import type { Closure } from './syntax.ts';

/** One character; no string, but compares and concatenates with strings. */
export class Char {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Integers from `from` up to, not including, `end`. */
export class Range {
  readonly from: bigint;
  readonly end: bigint;
  constructor(from: bigint, end: bigint) {
    this.from = from;
    this.end = end;
  }
}

/** A closure with its captured variables. */
export class FunctionValue {
  readonly closure: Closure;
  readonly scope: unknown;
  constructor(closure: Closure, scope: unknown) {
    this.closure = closure;
    this.scope = scope;
  }
}

export type ScriptArray = Value[];
export type ScriptMap = Map<string, Value>;
/** null is `()`. Integers are `bigint` of 64 bits, floats `number`. */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Char
  | Range
  | FunctionValue
  | ScriptArray
  | ScriptMap;

export const INT_MIN = -(2n ** 63n);
export const INT_MAX = 2n ** 63n - 1n;

export function typeName(value: Value): string {
  if (value === null) return '()';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'i64';
  if (typeof value === 'number') return 'f64';
  if (typeof value === 'string') return 'string';
  if (value instanceof Char) return 'char';
  if (value instanceof Range) return 'range';
  if (value instanceof FunctionValue) return 'Fn';
  return Array.isArray(value) ? 'array' : 'map';
}

export const isContainer = (value: Value): value is ScriptArray | ScriptMap =>
  Array.isArray(value) || value instanceof Map;

/** The text of a string or character; null for other values. */
export function textOf(value: Value): string | null {
  if (typeof value === 'string') return value;
  return value instanceof Char ? value.text : null;
}

export const isNumber = (value: Value): value is bigint | number =>
  typeof value === 'bigint' || typeof value === 'number';

/**
 * Deep equality; integers equal floats of the same value, characters equal strings of one
 * character.
 */
export function equals(left: Value, right: Value, meter: Meter, at: number, depth = 0): boolean {
  meter.step(at);
  if (isNumber(left) && isNumber(right)) {
    // biome-ignore lint/suspicious/noDoubleEquals: the two numeric types compare by value
    return left == right;
  }
  const text = textOf(left);
  if (text !== null) {
    meter.walk(at, text.length);
    return text === textOf(right);
  }
  meter.depth(at, 'values', depth, 2 * editLimits.valueDepthMax);
  const same: Same = (a, b) => equals(a, b, meter, at, depth + 1);
  if (Array.isArray(left)) return Array.isArray(right) && equalItems(left, right, same);
  if (left instanceof Map) return right instanceof Map && equalMembers(left, right, same);
  if (left instanceof Range)
    return right instanceof Range && left.from === right.from && left.end === right.end;
  return left === right;
}

type Same = (left: Value, right: Value) => boolean;

const equalItems = (left: ScriptArray, right: ScriptArray, same: Same): boolean =>
  left.length === right.length && left.every((item, i) => same(item, right[i] as Value));

const equalMembers = (left: ScriptMap, right: ScriptMap, same: Same): boolean =>
  left.size === right.size &&
  [...left].every(([name, value]) => {
    const other = right.get(name);
    return other !== undefined && same(value, other);
  });

/** A copy that shares no array or map with the value. */
export function copied(value: Value, meter: Meter, at: number, depth = 0): Value {
  if (!isContainer(value)) return value;
  meter.depth(at, 'values', depth, editLimits.valueDepthMax);
  if (Array.isArray(value)) {
    meter.items(at, value.length, value.length);
    return value.map((item) => copied(item, meter, at, depth + 1));
  }
  meter.step(at, value.size);
  const copy: ScriptMap = new Map();
  for (const [name, item] of value) {
    meter.member(at, copy.size + 1);
    copy.set(name, copied(item, meter, at, depth + 1));
  }
  return copy;
}

/** A float as scripts and documents show it: whole floats with `.0`. */
export function numberShown(value: bigint | number): string {
  if (typeof value === 'bigint') return value.toString();
  if (Number.isFinite(value)) return floatText(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? 'inf' : '-inf';
}

/** The text used for concatenation and in templates. */
export function shown(value: Value, meter: Meter, at: number): string {
  const text = textOf(value);
  if (text !== null) return text;
  if (value === null) return '';
  if (isNumber(value)) return numberShown(value);
  if (typeof value === 'boolean') return String(value);
  return described(value, meter, at);
}

/** The text of a value inside another: strings in quotes. */
function described(value: Value, meter: Meter, at: number, depth = 0): string {
  meter.depth(at, 'values', depth, 2 * editLimits.valueDepthMax);
  meter.step(at);
  if (value === null) return '()';
  if (typeof value === 'string') return withinText(JSON.stringify(value), meter, at);
  if (value instanceof Char) return `'${value.text}'`;
  if (value instanceof Range) return `${value.from}..${value.end}`;
  if (value instanceof FunctionValue) return 'Fn';
  if (Array.isArray(value)) {
    return withinText(
      `[${value.map((item) => described(item, meter, at, depth + 1)).join(', ')}]`,
      meter,
      at,
    );
  }
  if (value instanceof Map) {
    const members = [...value].map(
      ([name, item]) => `${JSON.stringify(name)}: ${described(item, meter, at, depth + 1)}`,
    );
    return withinText(`#{${members.join(', ')}}`, meter, at);
  }
  return isNumber(value) ? numberShown(value) : String(value);
}

function withinText(text: string, meter: Meter, at: number): string {
  meter.text(at, text.length);
  return text;
}

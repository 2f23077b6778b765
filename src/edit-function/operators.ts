/** Operators for each pair of types. Integers are checked: a result outside 64 bits is an error. */
import { compareCodePoints } from '../core/compare-text.ts';
import type { Meter } from './meter.ts';
import { type ScriptError, scriptFailure } from './script-error.ts';
import type { Arithmetic, BinaryOperator } from './syntax.ts';
import {
  copied,
  equals,
  INT_MAX,
  INT_MIN,
  isNumber,
  Range,
  type ScriptArray,
  shown,
  textOf,
  typeName,
  type Value,
} from './values.ts';

interface Operands {
  readonly operator: BinaryOperator;
  readonly left: Value;
  readonly right: Value;
  readonly at: number;
  readonly meter: Meter;
}

export function operate(
  operator: BinaryOperator,
  left: Value,
  right: Value,
  at: number,
  meter: Meter,
): Value {
  const operands: Operands = { operator, left, right, at, meter };
  switch (operator) {
    case '==':
      return equals(left, right, meter, at);
    case '!=':
      return !equals(left, right, meter, at);
    case '<':
    case '<=':
    case '>':
    case '>=':
      return compares(operands);
    case 'in':
      return contains(right, left, at, meter);
    case '!in':
      return !contains(right, left, at, meter);
    case '..':
    case '..=':
      return range(operands);
    default:
      return calculate(operator, operands);
  }
}

function mismatch({ operator, left, right, at }: Operands): ScriptError {
  return scriptFailure(
    `\`${operator}\` does not take ${typeName(left)} and ${typeName(right)}`,
    at,
  );
}

function compares({ operator, left, right, at, meter }: Operands): boolean {
  const order = compareValues(left, right, meter, at);
  if (order === null) return false;
  if (operator === '<') return order < 0;
  if (operator === '<=') return order <= 0;
  return operator === '>' ? order > 0 : order >= 0;
}

/** null = at least one operand is not a number. */
function compareNumbers(left: bigint | number, right: bigint | number): number | null {
  if (left < right) return -1;
  if (left > right) return 1;
  return left >= right ? 0 : null;
}

/** null = the values have no order; every comparison is then false. */
export function compareValues(left: Value, right: Value, meter: Meter, at: number): number | null {
  if (isNumber(left) && isNumber(right)) return compareNumbers(left, right);
  const [a, b] = [textOf(left), textOf(right)];
  if (a !== null && b !== null) {
    meter.walk(at, Math.min(a.length, b.length));
    return compareCodePoints(a, b);
  }
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  return left === null && right === null ? 0 : null;
}

/**
 * True if a container has an item: an item of an array, a substring, a name of a map, a number of a
 * range.
 */
export function contains(container: Value, item: Value, at: number, meter: Meter): boolean {
  const text = textOf(item);
  if (typeof container === 'string' && text !== null) {
    meter.walk(at, container.length);
    return container.includes(text);
  }
  if (container instanceof Map && text !== null) return container.has(text);
  if (container instanceof Range && typeof item === 'bigint')
    return item >= container.from && item < container.end;
  if (Array.isArray(container))
    return container.some((candidate) => equals(candidate, item, meter, at));
  throw scriptFailure(`\`in\` does not look for ${typeName(item)} in ${typeName(container)}`, at);
}

function range(operands: Operands): Range {
  const { operator, left, right } = operands;
  if (typeof left !== 'bigint' || typeof right !== 'bigint') throw mismatch(operands);
  return new Range(left, operator === '..=' ? right + 1n : right);
}

const BOOLS: Readonly<Partial<Record<Arithmetic, (left: boolean, right: boolean) => boolean>>> = {
  '&': (left, right) => left && right,
  '|': (left, right) => left || right,
  '^': (left, right) => left !== right,
};

const INTEGERS: Readonly<Record<Arithmetic, (left: bigint, right: bigint, at: number) => bigint>> =
  {
    '+': (left, right) => left + right,
    '-': (left, right) => left - right,
    '*': (left, right) => left * right,
    '/': (left, right, at) => left / divisor(right, at),
    '%': (left, right, at) => left % divisor(right, at),
    '**': integerPower,
    '<<': shift,
    '>>': (left, right) => shift(left, -right),
    '&': (left, right) => left & right,
    '|': (left, right) => left | right,
    '^': (left, right) => left ^ right,
  };

const FLOATS: Readonly<Partial<Record<Arithmetic, (left: number, right: number) => number>>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '%': (left, right) => left % right,
  '**': (left, right) => left ** right,
};

function calculate(operator: Arithmetic, operands: Operands): Value {
  const { left, right, at, meter } = operands;
  if (typeof left === 'bigint' && typeof right === 'bigint')
    return checkedInteger(INTEGERS[operator](left, right, at), at);
  if (isNumber(left) && isNumber(right)) {
    const apply = FLOATS[operator];
    if (apply === undefined) throw mismatch(operands);
    return apply(Number(left), Number(right));
  }
  if (operator === '+') return add(operands);
  const [a, b] = [textOf(left), textOf(right)];
  if (operator === '-' && a !== null && b !== null) {
    meter.walk(at, a.length);
    return b === '' ? a : a.replaceAll(b, '');
  }
  const combine = BOOLS[operator];
  if (combine === undefined || typeof left !== 'boolean' || typeof right !== 'boolean')
    throw mismatch(operands);
  return combine(left, right);
}

function add(operands: Operands): Value {
  const { left, right, at, meter } = operands;
  if (
    typeof left === 'string' ||
    typeof right === 'string' ||
    (textOf(left) !== null && textOf(right) !== null)
  ) {
    const [a, b] = [shown(left, meter, at), shown(right, meter, at)];
    meter.text(at, a.length + b.length);
    return a + b;
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    meter.items(at, left.length + right.length, 0);
    return [
      ...(copied(left, meter, at) as ScriptArray),
      ...(copied(right, meter, at) as ScriptArray),
    ];
  }
  if (left instanceof Map && right instanceof Map) {
    const merged = copied(left, meter, at) as Map<string, Value>;
    for (const [name, value] of right) {
      merged.set(name, copied(value, meter, at));
      meter.member(at, merged.size);
    }
    return merged;
  }
  throw mismatch(operands);
}

export function checkedInteger(value: bigint, at: number): bigint {
  if (value >= INT_MIN && value <= INT_MAX) return value;
  throw scriptFailure('the result leaves the integers of 64 bits', at);
}

const POWER_MAX = 64n;

function divisor(value: bigint, at: number): bigint {
  if (value === 0n) throw scriptFailure('an integer is divided by zero', at);
  return value;
}

/** @returns more than 64 bits for every greater power */
function integerPower(base: bigint, exponent: bigint, at: number): bigint {
  if (exponent < 0n) throw scriptFailure('an integer is raised to a negative power', at);
  if (base === 0n || base === 1n) return exponent === 0n ? 1n : base;
  if (base === -1n) return exponent % 2n === 0n ? 1n : -1n;
  return exponent > POWER_MAX ? INT_MAX + 1n : base ** exponent;
}

/** Bits beyond 64 are lost. */
function shift(value: bigint, bits: bigint): bigint {
  if (bits >= POWER_MAX) return 0n;
  if (bits <= -POWER_MAX) return value < 0n ? -1n : 0n;
  return BigInt.asIntN(64, bits >= 0n ? value << bits : value >> -bits);
}

export function applyUnary(operator: '-' | '+' | '!', value: Value, at: number): Value {
  if (operator === '!' && typeof value === 'boolean') return !value;
  if (operator === '-' && typeof value === 'bigint') return checkedInteger(-value, at);
  if (operator === '-' && typeof value === 'number') return -value;
  if (operator === '+' && isNumber(value)) return value;
  throw scriptFailure(`\`${operator}\` does not take ${typeName(value)}`, at);
}

/** The arguments of built-in functions, and how they are read. */
import type { Meter } from '../meter.ts';
import { type ScriptError, scriptFailure } from '../script-error.ts';
import {
  FunctionValue,
  Range,
  type ScriptArray,
  type ScriptMap,
  textOf,
  typeName,
  type Value,
} from '../values.ts';

/** A call `target.name(args)`, or `name(target, args)`. */
export interface BuiltinCall {
  readonly name: string;
  readonly target: Value;
  /** Copies, which may be stored. */
  readonly args: readonly Value[];
  readonly at: number;
  readonly meter: Meter;
  /** Replaces the value of the target's place; used by functions that change strings. */
  replaceTarget(value: Value): void;
  /** Calls a script function, which may have fewer parameters. @param self value of `this` */
  invoke(callee: FunctionValue, args: readonly Value[], self?: Value): Value;
  /** Like `invoke`, and returns the final value of `this`. */
  invokeOn(
    callee: FunctionValue,
    self: Value,
    args: readonly Value[],
  ): { readonly result: Value; readonly self: Value };
}

export interface Builtin {
  /** Fewest and most arguments after the target. */
  readonly arity: readonly [number, number];
  /** Changes its target, which must not be constant. */
  readonly isMutating?: boolean;
  run(call: BuiltinCall): Value;
}

/**
 * A function that changes its target; its result is `()` if `run` returns nothing.
 * @param arity fewest and most arguments after the target
 */
export const changing = (
  arity: readonly [number, number],
  run: (call: BuiltinCall) => Value | void,
): Builtin => ({ arity, isMutating: true, run: (call) => run(call) ?? null });

/** A function that changes nothing. @param arity as in `changing` */
export const giving = (arity: readonly [number, number], run: Builtin['run']): Builtin => ({
  arity,
  run,
});

export type Builtins = Readonly<Record<string, Builtin>>;

export const refuse = ({ name, at }: BuiltinCall, reason: string): ScriptError =>
  scriptFailure(`\`${name}\` ${reason}`, at);

/** Reads an argument. @param as null if the value has another type */
const argument =
  <Kind extends Value>(what: string, as: (value: Value) => Kind | null) =>
  (call: BuiltinCall, index: number): Kind => {
    const value = call.args[index] ?? null;
    const found = as(value);
    if (found === null) throw refuse(call, `takes ${what}, not ${typeName(value)}`);
    return found;
  };

export const integerAt = argument('an integer', (value) =>
  typeof value === 'bigint' ? value : null,
);
/** A string or character. */
export const textAt = argument('a string', textOf);
export const functionAt = argument('a function', (value) =>
  value instanceof FunctionValue ? value : null,
);
export const arrayAt = argument<ScriptArray>('an array', (value) =>
  Array.isArray(value) ? value : null,
);
export const mapAt = argument<ScriptMap>('a map', (value) => (value instanceof Map ? value : null));

/** A length or count: negative values become 0, large values `max`. */
export function countAt(call: BuiltinCall, index: number, max = Number.MAX_SAFE_INTEGER): number {
  const value = integerAt(call, index);
  return value <= 0n ? 0 : value > BigInt(max) ? max : Number(value);
}

/** Result of a predicate. */
export function holds(call: BuiltinCall, callee: FunctionValue, args: readonly Value[]): boolean {
  const answer = call.invoke(callee, args, args[0]);
  if (typeof answer !== 'boolean')
    throw refuse(call, `needs a function that gives a bool, not ${typeName(answer)}`);
  return answer;
}

/** Position in `0 … length`; negative ones count from the end. */
export function positionOf(index: bigint, length: number): number {
  const size = BigInt(length);
  if (index >= 0n) return index > size ? length : Number(index);
  return -index > size ? 0 : length - Number(-index);
}

/**
 * Half-open span of a value of `length` items that `(start[, count])` or `(range)` names from
 * argument `first` on.
 */
export function spanAt(
  call: BuiltinCall,
  first: number,
  length: number,
): { readonly start: number; readonly end: number } {
  const given = call.args[first];
  if (given instanceof Range) {
    const start = positionOf(given.from, length);
    const end = given.end < 0n ? 0 : positionOf(given.end, length);
    return { start, end: Math.max(start, end) };
  }
  const start = positionOf(integerAt(call, first), length);
  if (call.args.length <= first + 1) return { start, end: length };
  return { start, end: Math.min(length, start + countAt(call, first + 1, length)) };
}

/** Index of an existing item, or −1; negative indexes count from the end. */
export function itemIndex(index: bigint, length: number): number {
  const size = BigInt(length);
  if (index >= size || index < -size) return -1;
  return Number(index < 0n ? index + size : index);
}

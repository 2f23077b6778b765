/** Start here: resolves a function name for a type of target. */
import { editLimits } from '../edit-limits.ts';
import { Char, FunctionValue, isNumber, Range, shown, typeName, type Value } from '../values.ts';
import { arrayFunctions } from './arrays.ts';
import { type Builtin, type Builtins, giving, refuse } from './builtin.ts';
import { mapFunctions } from './maps.ts';
import { numberFunctions } from './numbers.ts';
import { stringFunctions } from './strings.ts';

const commonFunctions: Builtins = {
  type_of: giving([0, 0], ({ target }) => typeName(target)),
  to_string: giving([0, 0], ({ target, meter, at }) => {
    const text = shown(target, meter, at);
    meter.text(at, text.length);
    return text;
  }),
};

const rangeFunctions: Builtins = {
  contains: giving(
    [1, 1],
    ({ target, args: [item] }) =>
      target instanceof Range &&
      typeof item === 'bigint' &&
      item >= target.from &&
      item < target.end,
  ),
};

const functionFunctions: Builtins = {
  call: giving([0, editLimits.parametersMax], (call) => {
    if (call.target instanceof FunctionValue) return call.invoke(call.target, call.args);
    throw refuse(call, `is no function of ${typeName(call.target)}`);
  }),
};

function functionsOf(target: Value): Builtins {
  if (isNumber(target)) return numberFunctions;
  if (typeof target === 'string' || target instanceof Char) return stringFunctions;
  if (Array.isArray(target)) return arrayFunctions;
  if (target instanceof Map) return mapFunctions;
  if (target instanceof Range) return rangeFunctions;
  return target instanceof FunctionValue ? functionFunctions : commonFunctions;
}

/** Functions of strings that also accept a number. */
const CONVERSIONS: ReadonlySet<string> = new Set(['parse_int']);

export function findBuiltin(target: Value, name: string): Builtin | null {
  const own = functionsOf(target);
  if (Object.hasOwn(own, name)) return own[name] ?? null;
  if (Object.hasOwn(commonFunctions, name)) return commonFunctions[name] ?? null;
  return CONVERSIONS.has(name) && isNumber(target) ? (stringFunctions[name] ?? null) : null;
}

/** Functions that values other than maps offer as properties, without parentheses: `text.len`. */
const PROPERTIES: ReadonlySet<string> = new Set(
  'len bytes is_empty chars floor ceiling round int fraction is_odd is_even is_zero is_nan is_finite is_infinite'.split(
    ' ',
  ),
);

export const findProperty = (target: Value, name: string): Builtin | null =>
  PROPERTIES.has(name) ? findBuiltin(target, name) : null;

/** Functions without a target. */
export const CONSTANTS: Readonly<Record<string, number>> = { PI: Math.PI, E: Math.E };

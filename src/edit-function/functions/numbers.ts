/** Built-in functions of integers and floats. */
import { checkedInteger } from '../operators.ts';
import { INT_MAX, INT_MIN, isNumber, numberShown, Range, typeName, type Value } from '../values.ts';
import {
  type Builtin,
  type BuiltinCall,
  type Builtins,
  giving,
  integerAt,
  refuse,
} from './builtin.ts';

function numeric(call: BuiltinCall, value: Value = call.target): bigint | number {
  if (!isNumber(value)) throw refuse(call, `takes a number, not ${typeName(value)}`);
  return value;
}

/** Returns integers unchanged, and applies `round` to floats. */
const rounding = (round: (value: number) => number): Builtin =>
  giving([0, 0], (call) => {
    const value = numeric(call);
    return typeof value === 'bigint' ? value : round(value);
  });

/** A function of the value as a float. */
const float = (apply: (value: number) => Value): Builtin =>
  giving([0, 0], (call) => apply(Number(numeric(call))));

/** @param remainder of a division by 2, without its sign */
const parity = (remainder: number): Builtin =>
  giving([0, 0], (call) => {
    const value = numeric(call);
    return Math.abs(Number(typeof value === 'bigint' ? value % 2n : value % 2)) === remainder;
  });

const roundHalfAway = (value: number): number => Math.sign(value) * Math.round(Math.abs(value));

export function toInteger(call: BuiltinCall, value: bigint | number): bigint {
  if (typeof value === 'bigint') return value;
  const whole = Math.trunc(value);
  if (Number.isFinite(whole)) {
    const integer = BigInt(whole);
    if (integer >= INT_MIN && integer <= INT_MAX) return integer;
  }
  throw refuse(call, `finds no integer of 64 bits in ${numberShown(value)}`);
}

const inRadix = (radix: number): Builtin =>
  giving([0, 0], (call) => {
    const value = numeric(call);
    if (typeof value !== 'bigint') throw refuse(call, 'takes an integer, not f64');
    return BigInt.asUintN(64, value).toString(radix);
  });

const smaller = (sign: 1 | -1): Builtin =>
  giving([1, 1], (call) => {
    const [left, right] = [numeric(call), numeric(call, call.args[0] ?? null)];
    const isLeft = sign > 0 ? left <= right : left >= right;
    const chosen = isLeft ? left : right;
    return typeof left === typeof right ? chosen : Number(chosen);
  });

export const numberFunctions: Builtins = {
  abs: giving([0, 0], (call) => {
    const value = numeric(call);
    return typeof value === 'bigint'
      ? checkedInteger(value < 0n ? -value : value, call.at)
      : Math.abs(value);
  }),
  sign: giving([0, 0], (call) => {
    const value = numeric(call);
    return value > 0 ? 1n : value < 0 ? -1n : 0n;
  }),
  min: smaller(1),
  max: smaller(-1),
  range: giving([1, 2], (call) => {
    const [from, end] = [toInteger(call, numeric(call)), integerAt(call, 0)];
    if (call.args.length < 2) return new Range(from, end);
    const step = integerAt(call, 1);
    if (step === 0n) throw refuse(call, 'takes a step that is not 0');
    const items: Value[] = [];
    for (let value = from; step > 0n ? value < end : value > end; value += step) {
      call.meter.items(call.at, items.length + 1, 1);
      items.push(value);
    }
    return items;
  }),
  floor: rounding(Math.floor),
  ceiling: rounding(Math.ceil),
  round: rounding(roundHalfAway),
  int: rounding(Math.trunc),
  fraction: rounding((value) => value - Math.trunc(value)),
  to_int: giving([0, 0], (call) => toInteger(call, numeric(call))),
  to_float: float((value) => value),
  sqrt: float(Math.sqrt),
  exp: float(Math.exp),
  ln: float(Math.log),
  log: giving([0, 1], (call) => {
    const value = Math.log(Number(numeric(call)));
    return value / Math.log(call.args[0] === undefined ? 10 : Number(numeric(call, call.args[0])));
  }),
  sin: float(Math.sin),
  cos: float(Math.cos),
  tan: float(Math.tan),
  asin: float(Math.asin),
  acos: float(Math.acos),
  atan: float(Math.atan),
  to_degrees: float((value) => (value * 180) / Math.PI),
  to_radians: float((value) => (value * Math.PI) / 180),
  is_zero: float((value) => value === 0),
  is_odd: parity(1),
  is_even: parity(0),
  is_nan: float(Number.isNaN),
  is_finite: float(Number.isFinite),
  is_infinite: float((value) => Math.abs(value) === Number.POSITIVE_INFINITY),
  to_hex: inRadix(16),
  to_octal: inRadix(8),
  to_binary: inRadix(2),
};

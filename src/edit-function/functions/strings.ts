/** Built-in functions of strings. Positions count characters (code points). */
import { isDecimal } from '../../core/decimal-text.ts';
import { editLimits } from '../edit-limits.ts';
import { Char, INT_MAX, INT_MIN, Range, shown, textOf, typeName, type Value } from '../values.ts';
import {
  type Builtin,
  type BuiltinCall,
  type Builtins,
  changing,
  countAt,
  giving,
  integerAt,
  itemIndex,
  positionOf,
  refuse,
  spanAt,
  textAt,
} from './builtin.ts';
import { toInteger } from './numbers.ts';

const utf8 = new TextEncoder();
const RADIX_MAX = 36;
/** Splitting stops after one part more than an array may have. */
const PARTS_MAX = editLimits.arrayLengthMax + 1;

/** The target's text; charges its length. */
function own(call: BuiltinCall): string {
  const text = textOf(call.target);
  if (text === null) throw refuse(call, `is no function of ${typeName(call.target)}`);
  call.meter.walk(call.at, text.length);
  return text;
}

function characters(call: BuiltinCall): string[] {
  const text = own(call);
  call.meter.allocate(call.at, text.length * 16);
  return [...text];
}

/** A new string; charges its length. */
function made(call: BuiltinCall, text: string): string {
  call.meter.text(call.at, text.length);
  return text;
}

const listed = (call: BuiltinCall, items: Value[]): Value[] => {
  call.meter.items(call.at, items.length, items.length);
  return items;
};

/** A function that replaces the string in its target's place. */
const replacing = (
  arity: readonly [number, number],
  change: (call: BuiltinCall) => string,
): Builtin =>
  changing(arity, (call) => {
    call.replaceTarget(made(call, change(call)));
    return null;
  });

const join = (call: BuiltinCall, parts: readonly string[], start: number, end: number): string =>
  made(call, parts.slice(start, end).join(''));

function padded(call: BuiltinCall): string {
  const text = own(call);
  const padding = textAt(call, 1);
  const missing = countAt(call, 0) - [...text].length;
  if (missing <= 0 || padding === '') return text;
  const count = Math.ceil(missing / [...padding].length);
  call.meter.text(call.at, text.length + count * padding.length);
  const added = [...padding.repeat(count)];
  return text + added.slice(0, missing).join('');
}

function replaced(call: BuiltinCall): string {
  const text = own(call);
  const [from, to] = [textAt(call, 0), textAt(call, 1)];
  if (from === '') throw refuse(call, 'needs something to replace');
  let count = 0;
  for (let at = text.indexOf(from); at >= 0; at = text.indexOf(from, at + from.length)) count += 1;
  call.meter.text(call.at, text.length + count * (to.length - from.length));
  return text.split(from).join(to);
}

/** As in Rhai: an empty separator stands around each character, and an empty text has one part. */
function partsBetween(call: BuiltinCall, separator: string): string[] {
  const text = own(call);
  if (text === '') return [''];
  return separator === '' ? ['', ...characters(call), ''] : text.split(separator, PARTS_MAX);
}

function split(call: BuiltinCall): Value {
  const text = own(call);
  const [delimiter] = call.args;
  if (delimiter === undefined) {
    const parts = text.trim().split(/\s+/, PARTS_MAX);
    return listed(call, text === '' ? parts : parts.filter((part) => part !== ''));
  }
  if (typeof delimiter === 'bigint') {
    const parts = characters(call);
    const middle = positionOf(delimiter, parts.length);
    return [join(call, parts, 0, middle), join(call, parts, middle, parts.length)];
  }
  const separator = textAt(call, 0);
  const parts = partsBetween(call, separator);
  const most = call.args.length > 1 ? Math.max(1, countAt(call, 1)) : parts.length;
  if (parts.length <= most) return listed(call, parts);
  return listed(call, [
    ...parts.slice(0, most - 1),
    made(call, parts.slice(most - 1).join(separator)),
  ]);
}

function indexOf(call: BuiltinCall): bigint {
  const text = own(call);
  const parts = call.args.length > 1 ? characters(call) : null;
  const skipped =
    parts === null
      ? 0
      : parts.slice(0, positionOf(integerAt(call, 1), parts.length)).join('').length;
  const found = text.indexOf(textAt(call, 0), skipped);
  return found < 0 ? -1n : BigInt([...text.slice(0, found)].length);
}

function parseInteger(call: BuiltinCall): bigint {
  const text = own(call).trim();
  const radix = call.args.length > 0 ? countAt(call, 0) : 10;
  if (radix < 2 || radix > RADIX_MAX) throw refuse(call, `takes a radix from 2 to ${RADIX_MAX}`);
  const digits = text.replace(/^[+-]/, '').toLowerCase();
  let value = 0n;
  const isNegative = text.startsWith('-');
  let isValid = digits.length > 0 && digits.length <= 66;
  for (const digit of isValid ? digits : '') {
    const worth = Number.parseInt(digit, radix);
    if (Number.isNaN(worth)) isValid = false;
    else value = value * BigInt(radix) + BigInt(worth);
  }
  const signed = isNegative ? -value : value;
  if (!isValid || signed < INT_MIN || signed > INT_MAX)
    throw refuse(call, `finds no integer in \`${text.slice(0, 60)}\``);
  return signed;
}

function parseFloatText(call: BuiltinCall): number {
  const text = own(call).trim();
  if (!isDecimal(text)) throw refuse(call, `finds no number in \`${text.slice(0, 60)}\``);
  return Number(text);
}

const toCase = (change: 'toUpperCase' | 'toLowerCase') => (call: BuiltinCall) => {
  const text = own(call);
  call.meter.text(call.at, text.length * 3);
  return text[change]();
};
const ofSameKind = (call: BuiltinCall, text: string): Value =>
  call.target instanceof Char && [...text].length === 1 ? new Char(text) : text;

/** Replaces a character; does nothing if the index does not exist. */
export const setTextItem = replacing([2, 2], (call) => {
  const parts = characters(call);
  const index = itemIndex(integerAt(call, 0), parts.length);
  if (index >= 0) parts[index] = textAt(call, 1);
  return parts.join('');
});

export const stringFunctions: Builtins = {
  len: giving([0, 0], (call) => BigInt(characters(call).length)),
  bytes: giving([0, 0], (call) => BigInt(utf8.encode(own(call)).length)),
  is_empty: giving([0, 0], (call) => own(call) === ''),
  to_upper: giving([0, 0], (call) => ofSameKind(call, toCase('toUpperCase')(call))),
  to_lower: giving([0, 0], (call) => ofSameKind(call, toCase('toLowerCase')(call))),
  make_upper: replacing([0, 0], toCase('toUpperCase')),
  make_lower: replacing([0, 0], toCase('toLowerCase')),
  trim: replacing([0, 0], (call) => own(call).trim()),
  contains: giving([1, 1], (call) => own(call).includes(textAt(call, 0))),
  starts_with: giving([1, 1], (call) => own(call).startsWith(textAt(call, 0))),
  ends_with: giving([1, 1], (call) => own(call).endsWith(textAt(call, 0))),
  index_of: giving([1, 2], indexOf),
  sub_string: giving([1, 2], (call) => {
    const parts = characters(call);
    const { start, end } = spanAt(call, 0, parts.length);
    return join(call, parts, start, end);
  }),
  crop: replacing([1, 2], (call) => {
    const parts = characters(call);
    const { start, end } = spanAt(call, 0, parts.length);
    return parts.slice(start, end).join('');
  }),
  truncate: replacing([1, 1], (call) => characters(call).slice(0, countAt(call, 0)).join('')),
  clear: replacing([0, 0], () => ''),
  pad: replacing([2, 2], padded),
  append: replacing([1, 1], (call) => {
    const added = shown(call.args[0] ?? null, call.meter, call.at);
    return own(call) + added;
  }),
  replace: replacing([2, 2], replaced),
  remove: replacing([1, 1], (call) => {
    const removed = textAt(call, 0);
    return removed === '' ? own(call) : own(call).replaceAll(removed, '');
  }),
  get: giving([1, 1], (call) => {
    const parts = characters(call);
    const found = parts[itemIndex(integerAt(call, 0), parts.length)];
    return found === undefined ? null : new Char(found);
  }),
  set: setTextItem,
  pop: changing([0, 1], (call) => {
    const parts = characters(call);
    const count = call.args.length === 0 ? 1 : countAt(call, 0, parts.length);
    const kept = Math.max(0, parts.length - count);
    const taken = parts.slice(kept);
    call.replaceTarget(join(call, parts, 0, kept));
    if (call.args.length > 0) return made(call, taken.join(''));
    return taken[0] === undefined ? null : new Char(taken[0]);
  }),
  split: giving([0, 2], split),
  split_rev: giving([1, 1], (call) => listed(call, partsBetween(call, textAt(call, 0)).reverse())),
  to_chars: giving([0, 0], (call) =>
    listed(
      call,
      characters(call).map((text) => new Char(text)),
    ),
  ),
  chars: giving([0, 2], (call) => {
    const parts = characters(call);
    const { start, end } =
      call.args.length === 0 ? { start: 0, end: parts.length } : spanAt(call, 0, parts.length);
    return listed(
      call,
      parts.slice(start, end).map((text) => new Char(text)),
    );
  }),
  parse_int: giving([0, 1], (call) =>
    typeof call.target === 'bigint' || typeof call.target === 'number'
      ? toInteger(call, call.target)
      : parseInteger(call),
  ),
  to_int: giving([0, 0], (call) => {
    if (!(call.target instanceof Char)) return parseInteger(call);
    return BigInt(call.target.text.codePointAt(0) ?? 0);
  }),
  parse_float: giving([0, 0], parseFloatText),
  to_float: giving([0, 0], parseFloatText),
};

/** A character or a substring, by `text[index]`. */
export function textItem(text: string, index: Value, call: BuiltinCall): Value {
  const parts = characters(call);
  if (index instanceof Range) {
    const { start, end } = spanAt({ ...call, args: [index] }, 0, parts.length);
    return join(call, parts, start, end);
  }
  if (typeof index !== 'bigint')
    throw refuse(call, `takes an integer or a range, not ${typeName(index)}`);
  const found = parts[itemIndex(index, parts.length)];
  if (found === undefined)
    throw refuse(
      call,
      `finds no character ${index} in a string of ${parts.length}, \`${text.slice(0, 40)}\``,
    );
  return new Char(found);
}

/** Built-in functions of arrays. Mutating functions change the array itself. */
import { compareValues } from '../operators.ts';
import {
  copied,
  equals,
  FunctionValue,
  isNumber,
  Range,
  type ScriptArray,
  textOf,
  typeName,
  type Value,
} from '../values.ts';
import {
  arrayAt,
  type BuiltinCall,
  type Builtins,
  changing,
  countAt,
  functionAt,
  giving,
  holds,
  integerAt,
  itemIndex,
  positionOf,
  refuse,
  spanAt,
} from './builtin.ts';

function own(call: BuiltinCall): ScriptArray {
  if (!Array.isArray(call.target)) throw refuse(call, `is no function of ${typeName(call.target)}`);
  call.meter.step(call.at);
  return call.target;
}

/** The target of a function that reads or moves all items; charges its length. */
function walked(call: BuiltinCall): ScriptArray {
  const array = own(call);
  call.meter.walk(call.at, array.length);
  return array;
}

const copy = (call: BuiltinCall, items: readonly Value[]): ScriptArray =>
  copied([...items], call.meter, call.at) as ScriptArray;

const grown = (call: BuiltinCall, array: ScriptArray, added: number): void =>
  call.meter.items(call.at, array.length + added, added);

/** Arguments of a callback for an item. */
const itemArgs = (item: Value | undefined, index: number): Value[] => [item ?? null, BigInt(index)];

/** Index of the first item from `start` that equals the argument or satisfies the predicate. */
function find(call: BuiltinCall): number {
  const array = walked(call);
  const wanted = call.args[0] ?? null;
  const start = call.args.length > 1 ? positionOf(integerAt(call, 1), array.length) : 0;
  for (let i = start; i < array.length; i++) {
    const item = array[i] ?? null;
    const isFound =
      wanted instanceof FunctionValue
        ? holds(call, wanted, [copied(item, call.meter, call.at), BigInt(i)])
        : equals(item, wanted, call.meter, call.at);
    if (isFound) return i;
  }
  return -1;
}

function passes(call: BuiltinCall, array: readonly Value[]): boolean[] {
  const predicate = functionAt(call, 0);
  return array.map((item, i) =>
    holds(call, predicate, itemArgs(copied(item, call.meter, call.at), i)),
  );
}

/**
 * Removes items from the array and returns them: items that match a predicate or are in a span, or
 * all others.
 */
function takeOut(call: BuiltinCall, which: 'matching' | 'others'): ScriptArray {
  const array = walked(call);
  let matches: readonly boolean[];
  if (call.args[0] instanceof FunctionValue) matches = passes(call, [...array]);
  else {
    const { start, end } = spanAt(call, 0, array.length);
    matches = array.map((_, i) => i >= start && i < end);
  }
  const before = array.splice(0);
  grown(call, [], before.length);
  const taken: ScriptArray = [];
  before.forEach((item, i) => {
    if (matches[i] === (which === 'matching')) taken.push(item);
    else array.push(item);
  });
  return taken;
}

function splice(call: BuiltinCall): void {
  const array = walked(call);
  const isRange = call.args[0] instanceof Range;
  const added = arrayAt(call, isRange ? 1 : 2);
  const { start, end } = spanAt(
    { ...call, args: call.args.slice(0, isRange ? 1 : 2) },
    0,
    array.length,
  );
  grown(call, array, added.length);
  const tail = array.splice(start).slice(end - start);
  for (const item of [...added, ...tail]) array.push(item);
}

function sort(call: BuiltinCall): void {
  const array = walked(call);
  const order = call.args.length > 0 ? functionAt(call, 0) : null;
  const isUniform =
    array.every(isNumber) ||
    array.every((item) => textOf(item) !== null) ||
    array.every((item) => typeof item === 'boolean');
  if (order === null && !isUniform)
    throw refuse(call, 'without a function takes items that are all numbers, strings or bools');
  const before = array.splice(0);
  try {
    before.sort((left, right) => {
      call.meter.step(call.at);
      if (order !== null) return orderOf(call, order, left, right);
      return compareValues(left, right, call.meter, call.at) ?? 0;
    });
  } finally {
    for (const item of before) array.push(item);
  }
}

/**
 * Comparison result: negative, 0 or positive, from a number or from a boolean "first comes first".
 */
function orderOf(call: BuiltinCall, order: FunctionValue, left: Value, right: Value): number {
  const { meter, at } = call;
  const answer = call.invoke(order, [copied(left, meter, at), copied(right, meter, at)]);
  if (typeof answer === 'boolean') return answer ? -1 : 1;
  if (!isNumber(answer))
    throw refuse(call, `needs a function that gives a number, not ${typeName(answer)}`);
  return answer < 0 ? -1 : answer > 0 ? 1 : 0;
}

function dedup(call: BuiltinCall): void {
  const array = walked(call);
  const same = call.args.length > 0 ? functionAt(call, 0) : null;
  const { meter, at } = call;
  const kept: ScriptArray = [];
  grown(call, kept, array.length);
  for (const item of [...array]) {
    const last = kept.at(-1);
    const isRepeated =
      last !== undefined &&
      (same === null
        ? equals(last, item, meter, at)
        : holds(call, same, [copied(last, meter, at), copied(item, meter, at)]));
    if (!isRepeated) kept.push(item);
  }
  array.length = 0;
  for (const item of kept) array.push(item);
}

function reduce(call: BuiltinCall, items: readonly Value[]): Value {
  const step = functionAt(call, 0);
  let result: Value = call.args[1] ?? null;
  items.forEach((item, i) => {
    result = call.invoke(step, [result, copied(item, call.meter, call.at), BigInt(i)]);
  });
  return result;
}

function mapped(call: BuiltinCall): ScriptArray {
  const array = walked(call);
  const apply = functionAt(call, 0);
  grown(call, [], array.length);
  return [...array].map((item, i) => {
    const own = copied(item, call.meter, call.at);
    return call.invoke(apply, itemArgs(own, i), own);
  });
}

function zipped(call: BuiltinCall): ScriptArray {
  const [left, right] = [walked(call), arrayAt(call, 0)];
  const combine = functionAt(call, 1);
  const count = Math.min(left.length, right.length);
  grown(call, [], count);
  return copy(call, left.slice(0, count)).map((item, i) =>
    call.invoke(combine, [item, right[i] ?? null, BigInt(i)]),
  );
}

function forEach(call: BuiltinCall): void {
  const array = walked(call);
  const action = functionAt(call, 0);
  for (let i = 0; i < array.length; i++)
    array[i] = call.invokeOn(action, array[i] ?? null, [BigInt(i)]).self;
}

export const arrayFunctions: Builtins = {
  len: giving([0, 0], (call) => BigInt(own(call).length)),
  is_empty: giving([0, 0], (call) => own(call).length === 0),
  get: giving([1, 1], (call) => {
    const array = own(call);
    return copied(array[itemIndex(integerAt(call, 0), array.length)] ?? null, call.meter, call.at);
  }),
  set: changing([2, 2], (call) => {
    const array = own(call);
    const index = itemIndex(integerAt(call, 0), array.length);
    if (index >= 0) array[index] = call.args[1] ?? null;
  }),
  push: changing([1, 1], (call) => {
    const array = own(call);
    grown(call, array, 1);
    array.push(call.args[0] ?? null);
  }),
  append: changing([1, 1], (call) => {
    const array = own(call);
    const added = Array.isArray(call.args[0]) ? arrayAt(call, 0) : [call.args[0] ?? null];
    grown(call, array, added.length);
    for (const item of added) array.push(item);
  }),
  insert: changing([2, 2], (call) => {
    const array = walked(call);
    grown(call, array, 1);
    array.splice(positionOf(integerAt(call, 0), array.length), 0, call.args[1] ?? null);
  }),
  pop: changing([0, 0], (call) => own(call).pop() ?? null),
  shift: changing([0, 0], (call) => walked(call).shift() ?? null),
  remove: changing([1, 1], (call) => {
    const array = walked(call);
    const index = itemIndex(integerAt(call, 0), array.length);
    return index < 0 ? null : (array.splice(index, 1)[0] ?? null);
  }),
  clear: changing([0, 0], (call) => {
    own(call).length = 0;
  }),
  truncate: changing([1, 1], (call) => {
    const array = own(call);
    array.length = Math.min(array.length, countAt(call, 0));
  }),
  chop: changing([1, 1], (call) => {
    const array = walked(call);
    array.splice(0, array.length - Math.min(array.length, countAt(call, 0)));
  }),
  pad: changing([2, 2], (call) => {
    const array = own(call);
    const missing = countAt(call, 0) - array.length;
    if (missing <= 0) return;
    grown(call, array, missing);
    for (let i = 0; i < missing; i++) array.push(copied(call.args[1] ?? null, call.meter, call.at));
  }),
  reverse: changing([0, 0], (call) => {
    walked(call).reverse();
  }),
  extract: giving([1, 2], (call) => {
    const array = walked(call);
    const { start, end } = spanAt(call, 0, array.length);
    return copy(call, array.slice(start, end));
  }),
  split: changing([1, 1], (call) => {
    const array = walked(call);
    return array.splice(positionOf(integerAt(call, 0), array.length));
  }),
  splice: changing([2, 3], splice),
  drain: changing([1, 2], (call) => takeOut(call, 'matching')),
  retain: changing([1, 2], (call) => takeOut(call, 'others')),
  sort: changing([0, 1], sort),
  dedup: changing([0, 1], dedup),
  contains: giving([1, 1], (call) => find(call) >= 0),
  index_of: giving([1, 2], (call) => BigInt(find(call))),
  find: giving([1, 2], (call) => {
    functionAt(call, 0);
    const index = find(call);
    return index < 0 ? null : copied(own(call)[index] ?? null, call.meter, call.at);
  }),
  find_map: giving([1, 1], (call) => {
    const apply = functionAt(call, 0);
    for (const [i, item] of copy(call, walked(call)).entries()) {
      const found = call.invoke(apply, itemArgs(item, i), item);
      if (found !== null) return found;
    }
    return null;
  }),
  filter: giving([1, 1], (call) => {
    const array = walked(call);
    const matches = passes(call, [...array]);
    return copy(
      call,
      array.filter((_, i) => matches[i] === true),
    );
  }),
  map: giving([1, 1], mapped),
  some: giving([1, 1], (call) => {
    const predicate = functionAt(call, 0);
    return copy(call, walked(call)).some((item, i) => holds(call, predicate, itemArgs(item, i)));
  }),
  all: giving([1, 1], (call) => {
    const predicate = functionAt(call, 0);
    return copy(call, walked(call)).every((item, i) => holds(call, predicate, itemArgs(item, i)));
  }),
  reduce: giving([1, 2], (call) => reduce(call, [...walked(call)])),
  reduce_rev: giving([1, 2], (call) => reduce(call, [...walked(call)].reverse())),
  zip: giving([2, 2], zipped),
  for_each: changing([1, 1], forEach),
};

/** Built-in functions of object maps. Members stay in insertion order. */
import { copied, type ScriptMap, typeName, type Value } from '../values.ts';
import {
  type BuiltinCall,
  type Builtins,
  changing,
  functionAt,
  giving,
  holds,
  mapAt,
  refuse,
  textAt,
} from './builtin.ts';

function own(call: BuiltinCall): ScriptMap {
  if (!(call.target instanceof Map))
    throw refuse(call, `is no function of ${typeName(call.target)}`);
  call.meter.step(call.at);
  return call.target;
}

function walked(call: BuiltinCall): ScriptMap {
  const map = own(call);
  call.meter.walk(call.at, map.size);
  return map;
}

/** Names of the members for which the given function of name and value returns true. */
function matching(call: BuiltinCall): string[] {
  const predicate = functionAt(call, 0);
  const members = [...walked(call)];
  return members
    .filter(([name, value]) => holds(call, predicate, [name, copied(value, call.meter, call.at)]))
    .map(([name]) => name);
}

function put(call: BuiltinCall, map: ScriptMap, name: string, value: Value): void {
  map.set(name, value);
  call.meter.member(call.at, map.size);
}

/** Copies of the named members. */
function copies(call: BuiltinCall, names: readonly string[]): ScriptMap {
  const map = own(call);
  const result: ScriptMap = new Map();
  for (const name of names)
    put(call, result, name, copied(map.get(name) ?? null, call.meter, call.at));
  return result;
}

/** Removes the named members from the map and returns them. */
function takeOut(call: BuiltinCall, names: readonly string[]): ScriptMap {
  const map = own(call);
  const result: ScriptMap = new Map();
  for (const name of names) {
    put(call, result, name, map.get(name) ?? null);
    map.delete(name);
  }
  return result;
}

export const mapFunctions: Builtins = {
  len: giving([0, 0], (call) => BigInt(own(call).size)),
  is_empty: giving([0, 0], (call) => own(call).size === 0),
  get: giving([1, 1], (call) =>
    copied(own(call).get(textAt(call, 0)) ?? null, call.meter, call.at),
  ),
  set: changing([2, 2], (call) => {
    put(call, own(call), textAt(call, 0), call.args[1] ?? null);
  }),
  contains: giving([1, 1], (call) => own(call).has(textAt(call, 0))),
  remove: changing([1, 1], (call) => {
    const map = own(call);
    const name = textAt(call, 0);
    const value = map.get(name) ?? null;
    map.delete(name);
    return value;
  }),
  clear: changing([0, 0], (call) => {
    own(call).clear();
  }),
  keys: giving([0, 0], (call) => {
    const map = walked(call);
    call.meter.items(call.at, map.size, map.size);
    return [...map.keys()];
  }),
  values: giving([0, 0], (call) => copied([...walked(call).values()], call.meter, call.at)),
  mixin: changing([1, 1], (call) => {
    const map = own(call);
    for (const [name, value] of mapAt(call, 0)) put(call, map, name, value);
  }),
  fill_with: changing([1, 1], (call) => {
    const map = own(call);
    for (const [name, value] of mapAt(call, 0)) if (!map.has(name)) put(call, map, name, value);
  }),
  filter: giving([1, 1], (call) => copies(call, matching(call))),
  drain: changing([1, 1], (call) => takeOut(call, matching(call))),
  retain: changing([1, 1], (call) => {
    const kept = new Set(matching(call));
    return takeOut(
      call,
      [...own(call).keys()].filter((name) => !kept.has(name)),
    );
  }),
};

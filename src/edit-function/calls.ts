/**
 * Function calls in scripts, and how variables, members and items are read and written: a property
 * is read by a call, a character of a string is replaced by one.
 */
import { editLimits } from './edit-limits.ts';
import type { Evaluation } from './evaluation.ts';
import { type Builtin, type BuiltinCall, itemIndex } from './functions/builtin.ts';
import { CONSTANTS, findBuiltin, findProperty } from './functions/index.ts';
import { setTextItem, textItem } from './functions/strings.ts';
import { untilReturn } from './loops.ts';
import { type Binding, Scope } from './scope.ts';
import { scriptFailure } from './script-error.ts';
import { type Closure, type Expression, type ExpressionOf, isPlace, type Place } from './syntax.ts';
import { copied, FunctionValue, typeName, type Value } from './values.ts';

/** Result of a call, and the final value of `this`. */
interface Invoked {
  readonly result: Value;
  readonly self: Value;
}

/** The target of a call; `place` is null for the first argument of `name(args)`. */
interface Target {
  readonly place: Expression | null;
  readonly value: Value;
}

/** A target in a place that can be assigned. */
interface Placed extends Target {
  readonly place: Expression;
}

/** A function name with its arguments, which are copies. */
interface NamedCall {
  readonly name: string;
  readonly args: readonly Value[];
  readonly at: number;
}

export class Calls {
  readonly #run: Evaluation;
  readonly #functions: ReadonlyMap<string, Closure>;

  /** @param functions that the script defines */
  constructor(run: Evaluation, functions: ReadonlyMap<string, Closure>) {
    this.#run = run;
    this.#functions = functions;
  }

  /** `target.name(args)` */
  method({ object, name, args, isSafe, at }: ExpressionOf<'method'>, scope: Scope): Value {
    const value = this.#run.evaluate(object, scope);
    if (value === null && isSafe) return null;
    const given = args.map((arg) => this.#run.own(arg, scope));
    if (value instanceof Map) {
      const member = value.get(name);
      if (member instanceof FunctionValue) return this.#invoke(member, given, at, value).result;
    }
    return this.on({ place: object, value }, { name, args: given, at }, scope);
  }

  /**
   * `name(args)`: a variable that holds a function, a function of the script, or a built-in whose
   * target is the first argument.
   */
  call({ name, args, at }: ExpressionOf<'call'>, scope: Scope): Value {
    const given = args.map((arg) => this.#run.own(arg, scope));
    const variable = scope.find(name)?.value;
    const defined = this.#functions.get(name);
    if (variable instanceof FunctionValue) return this.#invokeExactly(variable, given, at).result;
    if (defined !== undefined)
      return this.#invokeExactly(new FunctionValue(defined, null), given, at).result;
    const constant = CONSTANTS[name];
    if (constant !== undefined && Object.hasOwn(CONSTANTS, name) && args.length === 0)
      return constant;
    const [target, ...rest] = given;
    if (target === undefined)
      throw scriptFailure(`there is no function \`${name}\` without arguments`, at);
    return this.on({ place: null, value: target }, { name, args: rest, at }, scope);
  }

  /** The built-in function of the target's type, or else one of the script. */
  on(target: Target, method: NamedCall, scope: Scope): Value {
    const { place, value } = target;
    const { name, args, at } = method;
    const builtin = findBuiltin(value, name);
    if (builtin === null) {
      const defined = this.#functions.get(name);
      if (defined !== undefined && place !== null)
        return this.#definedOn(defined, { place, value }, method, scope);
      throw scriptFailure(`${typeName(value)} has no function \`${name}\``, at);
    }
    checkArity(builtin, name, args.length, at);
    const call = this.#builtinCall(name, value, args, at);
    if (builtin.isMutating !== true || place === null) return builtin.run(call);
    this.checkMutable(place, scope);
    return builtin.run({
      ...call,
      replaceTarget: (next) => this.replace(place, next, scope),
    });
  }

  /**
   * Calls a script function as a method: `this` is the target, and may be changed unless it is
   * constant.
   */
  #definedOn(
    defined: Closure,
    { place, value }: Placed,
    { args, at }: NamedCall,
    scope: Scope,
  ): Value {
    const isConstant = this.constantRoot(place, scope) !== null;
    const self = isConstant ? copied(value, this.#run.meter, at) : value;
    const done = this.#invokeExactly(new FunctionValue(defined, null), args, at, self);
    if (!isConstant && done.self !== value) this.replace(place, done.self, scope);
    return done.result;
  }

  /** Requires one argument per parameter. @param self value of `this` */
  #invokeExactly(
    callee: FunctionValue,
    args: readonly Value[],
    at: number,
    self: Value = null,
  ): Invoked {
    if (args.length > callee.closure.parameters.length)
      throw wrongCount(callee.closure, args.length, at);
    return this.#invoke(callee, args, at, self);
  }

  /** The call object for a built-in function that changes nothing. */
  #builtinCall(name: string, target: Value, args: readonly Value[], at: number): BuiltinCall {
    const invokeOn: BuiltinCall['invokeOn'] = (callee, self, given) =>
      this.#invoke(callee, given, at, self);
    return {
      name,
      target,
      args,
      at,
      meter: this.#run.meter,
      replaceTarget: () => undefined,
      invoke: (callee, given, self = null) => invokeOn(callee, self, given).result,
      invokeOn,
    };
  }

  /** Ignores extra arguments. @param self value of `this` */
  #invoke(
    { closure, scope }: FunctionValue,
    args: readonly Value[],
    at: number,
    self: Value,
  ): Invoked {
    const { meter, levels } = this.#run;
    if (args.length < closure.parameters.length) throw wrongCount(closure, args.length, at);
    meter.step(at);
    meter.depth(at, 'calls', ++levels.calls, editLimits.callDepthMax);
    const inner = new Scope(scope instanceof Scope ? scope : null);
    inner.declare('this', self);
    closure.parameters.forEach((name, i) => {
      inner.declare(name, args[i] ?? null);
    });
    const depth = levels.expressions;
    const result = untilReturn(() => this.#run.own(closure.body, inner));
    levels.expressions = depth;
    levels.calls -= 1;
    return { result, self: inner.find('this')?.value ?? null };
  }

  /** @throws ScriptError if the variable does not exist */
  binding({ name, at }: ExpressionOf<'variable'>, scope: Scope): Binding {
    const binding = scope.find(name);
    if (binding === null) throw scriptFailure(`there is no variable \`${name}\``, at);
    return binding;
  }

  /** A member of a map, or a property of another value. */
  member({ object, name, isSafe, at }: ExpressionOf<'member'>, scope: Scope): Value {
    const value = this.#run.evaluate(object, scope);
    if (value instanceof Map) return value.get(name) ?? null;
    if (value === null && isSafe) return null;
    const property = findProperty(value, name);
    if (property !== null) return property.run(this.#builtinCall(name, value, [], at));
    throw scriptFailure(`${typeName(value)} has no member \`${name}\``, at);
  }

  item({ object, index, isSafe, at }: ExpressionOf<'index'>, scope: Scope): Value {
    const value = this.#run.evaluate(object, scope);
    if (value === null && isSafe) return null;
    const position = this.#run.evaluate(index, scope);
    if (value instanceof Map) return value.get(memberName(position, at)) ?? null;
    if (Array.isArray(value)) return value[indexIn(value, position, at)] ?? null;
    if (typeof value === 'string') return this.#textItem(value, position, at);
    throw scriptFailure(`${typeName(value)} has no items`, at);
  }

  /** @param value stored nowhere else */
  store(place: Place, value: Value, scope: Scope): void {
    if (place.kind === 'variable') {
      const binding = this.binding(place, scope);
      if (binding.isConstant) throw scriptFailure(`\`${place.name}\` is a constant`, place.at);
      binding.value = value;
      return;
    }
    this.checkMutable(place.object, scope);
    const object = this.#run.evaluate(place.object, scope);
    if (place.kind === 'member') this.setMember(object, place.name, value, place.at);
    else this.#setItem(place, object, this.#run.evaluate(place.index, scope), value, scope);
  }

  /** Like `store` if the expression is a place; otherwise the value is dropped. */
  replace(expression: Expression, value: Value, scope: Scope): void {
    if (isPlace(expression)) this.store(expression, value, scope);
  }

  /** @param value stored nowhere else */
  setMember(object: Value, name: string, value: Value, at: number): void {
    if (!(object instanceof Map))
      throw scriptFailure(`${typeName(object)} has no member \`${name}\` to set`, at);
    object.set(name, value);
    this.#run.meter.member(at, object.size);
  }

  /** @throws ScriptError if the expression is part of a constant */
  checkMutable(expression: Expression, scope: Scope): void {
    const root = this.constantRoot(expression, scope);
    if (root !== null) throw scriptFailure(`\`${root.name}\` is a constant`, root.at);
  }

  /** The constant that the expression is a part of, or null. */
  constantRoot(expression: Expression, scope: Scope): ExpressionOf<'variable'> | null {
    let root = expression;
    while (root.kind === 'member' || root.kind === 'index') root = root.object;
    return root.kind === 'variable' && scope.find(root.name)?.isConstant === true ? root : null;
  }

  #setItem(
    place: ExpressionOf<'index'>,
    object: Value,
    index: Value,
    value: Value,
    scope: Scope,
  ): void {
    const { at } = place;
    if (object instanceof Map) this.setMember(object, memberName(index, at), value, at);
    else if (Array.isArray(object)) object[indexIn(object, index, at)] = value;
    else if (typeof object === 'string') this.#setTextItem(place, object, index, value, scope);
    else throw scriptFailure(`${typeName(object)} has no items`, at);
  }

  #textItem(text: string, index: Value, at: number): Value {
    return textItem(text, index, this.#builtinCall('[]', text, [], at));
  }

  /** Strings are immutable: the place receives another string. */
  #setTextItem(
    { object: place, at }: ExpressionOf<'index'>,
    text: string,
    index: Value,
    value: Value,
    scope: Scope,
  ): void {
    this.#textItem(text, index, at);
    const call = this.#builtinCall('set', text, [index, value], at);
    setTextItem.run({ ...call, replaceTarget: (next) => this.replace(place, next, scope) });
  }
}

function checkArity(
  { arity: [least, most] }: Builtin,
  name: string,
  count: number,
  at: number,
): void {
  if (count >= least && count <= most) return;
  throw scriptFailure(
    `\`${name}\` takes ${least === most ? least : `${least} to ${most}`} arguments, not ${count}`,
    at,
  );
}

const wrongCount = ({ name, parameters }: Closure, count: number, at: number): Error =>
  scriptFailure(
    `${name === '' ? 'the closure' : `\`${name}\``} takes ${parameters.length} arguments, not ${count}`,
    at,
  );

function memberName(index: Value, at: number): string {
  if (typeof index !== 'string')
    throw scriptFailure(`a map is indexed by a string, not ${typeName(index)}`, at);
  return index;
}

function indexIn(array: readonly Value[], index: Value, at: number): number {
  if (typeof index !== 'bigint')
    throw scriptFailure(`an array is indexed by an integer, not ${typeName(index)}`, at);
  const found = itemIndex(index, array.length);
  if (found < 0) throw scriptFailure(`the array has ${array.length} items, none at ${index}`, at);
  return found;
}

/**
 * Runs the tree of a script. Every node costs a step, evaluation is bounded in depth, and values have one place each: what is read
 * from a variable, member or item and stored elsewhere is copied on the way.
 */
import { type Builtin, type BuiltinCall, itemIndex } from './functions/builtin.ts';
import { CONSTANTS, findBuiltin, findProperty } from './functions/index.ts';
import { textItem } from './functions/strings.ts';
import { editLimits } from './limits.ts';
import type { Meter } from './meter.ts';
import { applyUnary, operate } from './operators.ts';
import { Scope } from './scope.ts';
import { failed, ScriptError } from './script-error.ts';
import type { Block, Closure, Expression, Place, Script, Statement, SwitchCase } from './syntax.ts';
import { Char, copied, FunctionValue, isContainer, Range, shown, typeName, type Value } from './values.ts';

/** How `break`, `continue` and `return` leave what they are in. Never seen outside. */
class Leap {
  readonly kind: 'break' | 'continue' | 'return';
  readonly value: Value;
  readonly at: number;
  constructor(kind: Leap['kind'], value: Value, at: number) {
    this.kind = kind;
    this.value = value;
    this.at = at;
  }
}

/** The script's own `throw`, with its value. */
class Thrown extends ScriptError {
  readonly value: Value;
  constructor(reason: string, at: number, value: Value) {
    super('thrown', reason, at);
    this.value = value;
  }
}

const THROWN_SHOWN_MAX = 500;
/** Kinds whose value may be an array or map that has its place in another. */
const PLACES: ReadonlySet<Expression['kind']> = new Set(['variable', 'member', 'index', 'logic']);

export class Interpreter {
  readonly #script: Script;
  readonly #meter: Meter;
  #depth = 0;
  #calls = 0;

  constructor(script: Script, meter: Meter) {
    this.#script = script;
    this.#meter = meter;
  }

  /** Runs the script on these variables. @throws ScriptError */
  run(scope: Scope): void {
    try {
      this.#block(this.#script.body, scope);
    } catch (error) {
      if (!(error instanceof Leap)) throw error;
      if (error.kind !== 'return') throw failed(`\`${error.kind}\` is outside of a loop`, error.at);
    }
  }

  #block(block: Block, outer: Scope): Value {
    const scope = new Scope(outer);
    const { statements, hasValue } = block;
    const last = hasValue ? statements.length - 1 : statements.length;
    for (let i = 0; i < last; i++) this.#statement(statements[i] as Statement, scope);
    const tail = statements[last];
    return tail?.kind === 'expression' ? this.#own(tail.expression, scope) : null;
  }

  #statement(statement: Statement, scope: Scope): void {
    this.#meter.step(statement.at);
    switch (statement.kind) {
      case 'expression':
        this.#evaluate(statement.expression, scope);
        return;
      case 'let': {
        const value = statement.value === null ? null : this.#own(statement.value, scope);
        this.#meter.allocate(statement.at, 64);
        scope.declare(statement.name, value, statement.isConstant);
        return;
      }
      case 'assign':
        this.#assign(statement, scope);
        return;
      case 'try':
        this.#try(statement, scope);
        return;
      case 'throw': {
        const value = statement.value === null ? null : this.#own(statement.value, scope);
        const text = shown(value, this.#meter, statement.at).slice(0, THROWN_SHOWN_MAX);
        throw new Thrown(`the function threw: ${text}`, statement.at, value);
      }
      case 'continue':
        throw new Leap('continue', null, statement.at);
      default:
        throw new Leap(
          statement.kind,
          statement.value === null ? null : this.#own(statement.value, scope),
          statement.at,
        );
    }
  }

  #try({ body, variable, handler }: Extract<Statement, { kind: 'try' }>, scope: Scope): void {
    const [depth, calls] = [this.#depth, this.#calls];
    try {
      this.#block(body, scope);
    } catch (error) {
      if (!(error instanceof ScriptError) || error.kind === 'limit') throw error;
      [this.#depth, this.#calls] = [depth, calls];
      const inner = new Scope(scope);
      if (variable !== null) inner.declare(variable, error instanceof Thrown ? error.value : error.reason, false);
      this.#block(handler, inner);
    }
  }

  #assign({ at, place, operator, value }: Extract<Statement, { kind: 'assign' }>, scope: Scope): void {
    const right = this.#own(value, scope);
    if (operator === null) {
      this.#store(place, right, scope);
      return;
    }
    const left = this.#evaluate(place, scope);
    if (operator === '+' && isContainer(left)) {
      const name = left instanceof Map ? 'mixin' : 'append';
      this.#callOn({ place, value: left }, name, [right], at, scope);
      return;
    }
    this.#store(place, operate(operator, left, right, at, this.#meter), scope);
  }

  /** @param value belongs to nobody else */
  #store(place: Place, value: Value, scope: Scope): void {
    if (place.kind === 'variable') {
      const binding = this.#binding(place, scope);
      if (binding.isConstant) throw failed(`\`${place.name}\` is a constant`, place.at);
      binding.value = value;
      return;
    }
    this.#checkMutable(place.object, scope);
    const object = this.#evaluate(place.object, scope);
    if (place.kind === 'member') this.#setMember(object, place.name, value, place.at);
    else this.#setItem(place, object, this.#evaluate(place.index, scope), value, scope);
  }

  #setMember(object: Value, name: string, value: Value, at: number): void {
    if (!(object instanceof Map)) throw failed(`${typeName(object)} has no member \`${name}\` to set`, at);
    object.set(name, value);
    this.#meter.member(at, object.size);
  }

  #setItem(place: Extract<Place, { kind: 'index' }>, object: Value, index: Value, value: Value, scope: Scope): void {
    const { at } = place;
    if (object instanceof Map) {
      if (typeof index !== 'string') throw failed(`a map is indexed by a string, not ${typeName(index)}`, at);
      this.#setMember(object, index, value, at);
    } else if (Array.isArray(object)) {
      object[this.#indexIn(object, index, at)] = value;
    } else if (typeof object === 'string') {
      textItem(object, index, this.#builtinCall('[]', object, [], at));
      this.#callOn({ place: place.object, value: object }, 'set', [index, value], at, scope);
    } else throw failed(`${typeName(object)} has no items`, at);
  }

  #indexIn(array: readonly Value[], index: Value, at: number): number {
    if (typeof index !== 'bigint') throw failed(`an array is indexed by an integer, not ${typeName(index)}`, at);
    const found = itemIndex(index, array.length);
    if (found < 0) throw failed(`the array has ${array.length} items, none at ${index}`, at);
    return found;
  }

  #binding({ name, at }: { readonly name: string; readonly at: number }, scope: Scope) {
    const binding = scope.find(name);
    if (binding === null) throw failed(`there is no variable \`${name}\``, at);
    return binding;
  }

  #checkMutable(expression: Expression, scope: Scope): void {
    const root = this.#constantRoot(expression, scope);
    if (root !== null) throw failed(`\`${root.name}\` is a constant`, root.at);
  }

  /** The constant that the expression is a part of, or null. */
  #constantRoot(expression: Expression, scope: Scope): Extract<Place, { kind: 'variable' }> | null {
    let root = expression;
    while (root.kind === 'member' || root.kind === 'index') root = root.object;
    return root.kind === 'variable' && scope.find(root.name)?.isConstant === true ? root : null;
  }

  /** The value as one that may be stored. */
  #own(expression: Expression, scope: Scope): Value {
    const value = this.#evaluate(expression, scope);
    return PLACES.has(expression.kind) ? copied(value, this.#meter, expression.at) : value;
  }

  /** The value itself; an array or map may have its place elsewhere. */
  #evaluate(expression: Expression, scope: Scope): Value {
    this.#meter.step(expression.at);
    this.#meter.depth(expression.at, 'evaluation', ++this.#depth, editLimits.evaluationDepthMax);
    const value = this.#valueOf(expression, scope);
    this.#depth -= 1;
    return value;
  }

  #valueOf(expression: Expression, scope: Scope): Value {
    switch (expression.kind) {
      case 'literal':
        return expression.value;
      case 'char':
        return new Char(expression.text);
      case 'variable':
        return this.#binding(expression, scope).value;
      case 'member':
        return this.#member(expression, scope);
      case 'index':
        return this.#item(expression, scope);
      case 'binary':
        return this.#binary(expression, scope);
      case 'logic':
        return this.#logic(expression, scope);
      case 'unary':
        return applyUnary(expression.operator, this.#evaluate(expression.operand, scope), expression.at);
      case 'method':
        return this.#method(expression, scope);
      case 'call':
        return this.#call(expression, scope);
      default:
        return this.#construct(expression, scope);
    }
  }

  #construct(
    expression: Exclude<
      Expression,
      { kind: 'literal' | 'char' | 'variable' | 'member' | 'index' | 'binary' | 'logic' | 'unary' | 'method' | 'call' }
    >,
    scope: Scope,
  ): Value {
    switch (expression.kind) {
      case 'template':
        return this.#template(expression, scope);
      case 'array':
        this.#meter.items(expression.at, expression.items.length, expression.items.length);
        return expression.items.map((item) => this.#own(item, scope));
      case 'map': {
        const map = new Map<string, Value>();
        for (const [name, value] of expression.members)
          this.#setMember(map, name, this.#own(value, scope), expression.at);
        return map;
      }
      case 'closure':
        this.#meter.allocate(expression.at, 64);
        return new FunctionValue(expression, scope);
      case 'block':
        return this.#block(expression, scope);
      case 'if': {
        const branch = expression.branches.find(({ condition }) => this.#condition(condition, scope));
        if (branch !== undefined) return this.#block(branch.body, scope);
        return expression.otherwise === null ? null : this.#block(expression.otherwise, scope);
      }
      case 'switch':
        return this.#switch(expression, scope);
      case 'loop':
        return this.#loop(expression, scope);
      case 'for':
        return this.#for(expression, scope);
    }
  }

  #condition(expression: Expression, scope: Scope): boolean {
    const value = this.#evaluate(expression, scope);
    if (typeof value !== 'boolean') throw failed(`a condition is a bool, not ${typeName(value)}`, expression.at);
    return value;
  }

  #template({ parts, at }: Extract<Expression, { kind: 'template' }>, scope: Scope): string {
    let text = '';
    for (const part of parts) {
      const added = typeof part === 'string' ? part : shown(this.#block(part, scope), this.#meter, at);
      this.#meter.text(at, text.length + added.length);
      text += added;
    }
    return text;
  }

  #member({ object, name, isSafe, at }: Extract<Expression, { kind: 'member' }>, scope: Scope): Value {
    const value = this.#evaluate(object, scope);
    if (value instanceof Map) return value.get(name) ?? null;
    if (value === null && isSafe) return null;
    const property = findProperty(value, name);
    if (property !== null) return property.run(this.#builtinCall(name, value, [], at));
    throw failed(`${typeName(value)} has no member \`${name}\``, at);
  }

  #item({ object, index, isSafe, at }: Extract<Expression, { kind: 'index' }>, scope: Scope): Value {
    const value = this.#evaluate(object, scope);
    if (value === null && isSafe) return null;
    const position = this.#evaluate(index, scope);
    if (value instanceof Map) {
      if (typeof position !== 'string') throw failed(`a map is indexed by a string, not ${typeName(position)}`, at);
      return value.get(position) ?? null;
    }
    if (Array.isArray(value)) return value[this.#indexIn(value, position, at)] ?? null;
    if (typeof value === 'string') return textItem(value, position, this.#builtinCall('[]', value, [], at));
    throw failed(`${typeName(value)} has no items`, at);
  }

  /** Chains of operators lean to the left and are as long as the script; they are walked without recursion. */
  #binary(expression: Extract<Expression, { kind: 'binary' }>, scope: Scope): Value {
    const chain = [expression];
    let { left } = expression;
    while (left.kind === 'binary') {
      chain.push(left);
      left = left.left;
    }
    let value = this.#evaluate(left, scope);
    for (let i = chain.length - 1; i >= 0; i--) {
      const { operator, right, at } = chain[i] as typeof expression;
      this.#meter.step(at);
      value = operate(operator, value, this.#evaluate(right, scope), at, this.#meter);
    }
    return value;
  }

  #logic(expression: Extract<Expression, { kind: 'logic' }>, scope: Scope): Value {
    const { operator } = expression;
    if (operator === '??') return this.#evaluate(expression.left, scope) ?? this.#evaluate(expression.right, scope);
    const decides = operator === '||';
    return this.#condition(expression.left, scope) === decides ? decides : this.#condition(expression.right, scope);
  }

  #switch({ subject, cases, otherwise }: Extract<Expression, { kind: 'switch' }>, scope: Scope): Value {
    const value = this.#evaluate(subject, scope);
    const matches = ({ patterns, guard }: SwitchCase): boolean =>
      (patterns.length === 0 || patterns.some((pattern) => this.#fits(value, pattern, scope))) &&
      (guard === null || this.#condition(guard, scope));
    const body = cases.find(matches)?.body ?? otherwise;
    return body === null ? null : this.#own(body, scope);
  }

  #fits(value: Value, pattern: Expression, scope: Scope): boolean {
    const wanted = this.#evaluate(pattern, scope);
    const isInside = wanted instanceof Range && typeof value === 'bigint';
    return isInside
      ? value >= wanted.from && value < wanted.end
      : operate('==', value, wanted, pattern.at, this.#meter) === true;
  }

  #loop({ condition, test, isUntil, body, at }: Extract<Expression, { kind: 'loop' }>, scope: Scope): Value {
    const goesOn = (): boolean => condition === null || this.#condition(condition, scope) !== isUntil;
    if (test === 'before' && !goesOn()) return null;
    do {
      this.#meter.step(at);
      const end = this.#turn(body, scope);
      if (end !== null) return end.value;
    } while (goesOn());
    return null;
  }

  #for({ variable, counter, items, body, at }: Extract<Expression, { kind: 'for' }>, scope: Scope): Value {
    let count = 0n;
    for (const item of this.#itemsOf(this.#evaluate(items, scope), at)) {
      this.#meter.step(at);
      const inner = new Scope(scope);
      inner.declare(variable, copied(item, this.#meter, at), false);
      if (counter !== null) inner.declare(counter, count++, true);
      const end = this.#turn(body, inner);
      if (end !== null) return end.value;
    }
    return null;
  }

  #itemsOf(value: Value, at: number): Iterable<Value> {
    if (value instanceof Range) return integersOf(value);
    if (Array.isArray(value)) {
      this.#meter.items(at, value.length, value.length);
      return [...value];
    }
    if (typeof value === 'string') {
      this.#meter.text(at, value.length);
      return [...value].map((text) => new Char(text));
    }
    throw failed(`\`for\` goes over an array, a range or a string, not ${typeName(value)}`, at);
  }

  /** One turn of a loop; not null when it ends the loop. */
  #turn(body: Block, scope: Scope): { readonly value: Value } | null {
    const depth = this.#depth;
    try {
      this.#block(body, scope);
      return null;
    } catch (error) {
      if (!(error instanceof Leap) || error.kind === 'return') throw error;
      this.#depth = depth;
      return error.kind === 'break' ? { value: error.value } : null;
    }
  }

  #method({ object, name, args, isSafe, at }: Extract<Expression, { kind: 'method' }>, scope: Scope): Value {
    const value = this.#evaluate(object, scope);
    if (value === null && isSafe) return null;
    const given = args.map((arg) => this.#own(arg, scope));
    if (value instanceof Map) {
      const member = value.get(name);
      if (member instanceof FunctionValue) return this.#invoke(member, given, at, value).result;
    }
    return this.#callOn({ place: object, value }, name, given, at, scope);
  }

  /** `name(args)`: a variable that holds a function, a function of the script, or a built-in whose target is the first argument. */
  #call({ name, args, at }: Extract<Expression, { kind: 'call' }>, scope: Scope): Value {
    const given = args.map((arg) => this.#own(arg, scope));
    const variable = scope.find(name)?.value;
    if (variable instanceof FunctionValue) return this.#invoke(variable, given, at, null, true).result;
    const defined = this.#script.functions.get(name);
    if (defined !== undefined) return this.#invoke(new FunctionValue(defined, null), given, at, null, true).result;
    const constant = CONSTANTS[name];
    if (constant !== undefined && Object.hasOwn(CONSTANTS, name) && args.length === 0) return constant;
    const [target, ...rest] = given;
    if (target === undefined) throw failed(`there is no function \`${name}\` without arguments`, at);
    return this.#callOn({ place: null, value: target }, name, rest, at, scope);
  }

  #callOn(
    target: { readonly place: Expression | null; readonly value: Value },
    name: string,
    args: readonly Value[],
    at: number,
    scope: Scope,
  ): Value {
    const { place, value } = target;
    const builtin = findBuiltin(value, name);
    if (builtin === null) {
      const defined = this.#script.functions.get(name);
      if (defined !== undefined && place !== null)
        return this.#invokeOnPlace(defined, { place, value }, args, at, scope);
      throw failed(`${typeName(value)} has no function \`${name}\``, at);
    }
    checkArity(builtin, name, args.length, at);
    const call = this.#builtinCall(name, value, args, at);
    if (builtin.isMutating !== true || place === null) return builtin.run(call);
    this.#checkMutable(place, scope);
    const replaceTarget = (next: Value): void => {
      if (isPlace(place)) this.#store(place, next, scope);
    };
    return builtin.run({ ...call, replaceTarget });
  }

  /** A function of the script called as a method: `this` is what it is called on, and may be changed unless that is constant. */
  #invokeOnPlace(
    defined: Closure,
    { place, value }: { readonly place: Expression; readonly value: Value },
    args: readonly Value[],
    at: number,
    scope: Scope,
  ): Value {
    const isConstant = this.#constantRoot(place, scope) !== null;
    const self = isConstant ? copied(value, this.#meter, at) : value;
    const done = this.#invoke(new FunctionValue(defined, null), args, at, self, true);
    if (!isConstant && isPlace(place) && done.self !== value) this.#store(place, done.self, scope);
    return done.result;
  }

  #builtinCall(name: string, target: Value, args: readonly Value[], at: number): BuiltinCall {
    const invokeOn: BuiltinCall['invokeOn'] = (callee, self, given) => this.#invoke(callee, given, at, self);
    return {
      name,
      target,
      args,
      at,
      meter: this.#meter,
      replaceTarget: () => undefined,
      invoke: (callee, given, self = null) => invokeOn(callee, self, given).result,
      invokeOn,
    };
  }

  /** @param isExact the number of arguments must be that of the parameters; else those beyond them are left out */
  #invoke(
    { closure, scope }: FunctionValue,
    args: readonly Value[],
    at: number,
    self: Value,
    isExact = false,
  ): { readonly result: Value; readonly self: Value } {
    const { parameters, body } = closure;
    if (isExact ? args.length !== parameters.length : args.length < parameters.length)
      throw failed(`${named(closure)} takes ${parameters.length} arguments, not ${args.length}`, at);
    this.#meter.step(at);
    this.#meter.depth(at, 'calls', ++this.#calls, editLimits.callDepthMax);
    const inner = new Scope(scope instanceof Scope ? scope : null);
    inner.declare('this', self, false);
    parameters.forEach((name, i) => {
      inner.declare(name, args[i] ?? null, false);
    });
    const result = this.#result(body, inner);
    this.#calls -= 1;
    return { result, self: inner.find('this')?.value ?? null };
  }

  #result(body: Expression, scope: Scope): Value {
    const depth = this.#depth;
    try {
      return this.#own(body, scope);
    } catch (error) {
      if (!(error instanceof Leap)) throw error;
      if (error.kind !== 'return') throw failed(`\`${error.kind}\` is outside of a loop`, error.at);
      this.#depth = depth;
      return error.value;
    }
  }
}

const isPlace = (expression: Expression): expression is Place =>
  expression.kind === 'variable' || expression.kind === 'member' || expression.kind === 'index';

const named = ({ name }: Closure): string => (name === '' ? 'the closure' : `\`${name}\``);

function checkArity({ arity: [least, most] }: Builtin, name: string, count: number, at: number): void {
  if (count >= least && count <= most) return;
  throw failed(`\`${name}\` takes ${least === most ? least : `${least} to ${most}`} arguments, not ${count}`, at);
}

function* integersOf({ from, end }: Range): Generator<bigint> {
  for (let value = from; value < end; value++) yield value;
}

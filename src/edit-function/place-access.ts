/** Reads and writes variables, members and items. */
import type { Evaluation } from './evaluation.ts';
import { itemIndex } from './functions/builtin.ts';
import { findProperty } from './functions/index.ts';
import { setTextItem, textItem } from './functions/strings.ts';
import type { Invocations } from './invocations.ts';
import type { Binding, Scope } from './scope.ts';
import { scriptFailure } from './script-error.ts';
import { type Expression, type ExpressionOf, isPlace, type Place } from './syntax.ts';
import { typeName, type Value } from './values.ts';

export class Places {
  readonly #run: Evaluation;
  readonly #invocations: Invocations;

  constructor(run: Evaluation, invocations: Invocations) {
    this.#run = run;
    this.#invocations = invocations;
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
    if (property !== null) return property.run(this.#invocations.builtinCall(name, value, [], at));
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
    return textItem(text, index, this.#invocations.builtinCall('[]', text, [], at));
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
    const call = this.#invocations.builtinCall('set', text, [index, value], at);
    setTextItem.run({ ...call, replaceTarget: (next) => this.replace(place, next, scope) });
  }
}

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

/**
 * Function calls in scripts: resolves a name for its target, and checks what the function may
 * change.
 */
import type { Evaluation } from './evaluation.ts';
import type { Builtin } from './functions/builtin.ts';
import { CONSTANTS, findBuiltin } from './functions/index.ts';
import type { Invocations } from './invocations.ts';
import type { Places } from './place-access.ts';
import type { Scope } from './scope.ts';
import { scriptFailure } from './script-error.ts';
import type { Closure, Expression, ExpressionOf } from './syntax.ts';
import { copied, FunctionValue, typeName, type Value } from './values.ts';

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
  readonly #invocations: Invocations;
  readonly #places: Places;

  /** @param functions that the script defines */
  constructor(
    run: Evaluation,
    functions: ReadonlyMap<string, Closure>,
    invocations: Invocations,
    places: Places,
  ) {
    this.#run = run;
    this.#functions = functions;
    this.#invocations = invocations;
    this.#places = places;
  }

  /** `target.name(args)` */
  method({ object, name, args, isSafe, at }: ExpressionOf<'method'>, scope: Scope): Value {
    const value = this.#run.evaluate(object, scope);
    if (value === null && isSafe) return null;
    const given = args.map((arg) => this.#run.own(arg, scope));
    if (value instanceof Map) {
      const member = value.get(name);
      if (member instanceof FunctionValue)
        return this.#invocations.offer(member, given, at, value).result;
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
    if (variable instanceof FunctionValue)
      return this.#invocations.call(variable, given, at, null).result;
    const defined = this.#functions.get(name);
    if (defined !== undefined)
      return this.#invocations.call(new FunctionValue(defined, null), given, at, null).result;
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
    const call = this.#invocations.builtinCall(name, value, args, at);
    if (builtin.isMutating !== true || place === null) return builtin.run(call);
    this.#places.checkMutable(place, scope);
    return builtin.run({
      ...call,
      replaceTarget: (next) => this.#places.replace(place, next, scope),
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
    const isConstant = this.#places.constantRoot(place, scope) !== null;
    const self = isConstant ? copied(value, this.#run.meter, at) : value;
    const done = this.#invocations.call(new FunctionValue(defined, null), args, at, self);
    if (!isConstant && done.self !== value) this.#places.replace(place, done.self, scope);
    return done.result;
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

/** Runs functions and closures of a script with their arguments. */

import { editLimits } from './edit-limits.ts';
import type { Evaluation } from './evaluation.ts';
import type { BuiltinCall } from './functions/builtin.ts';
import { Leap } from './leaps.ts';
import { Scope } from './scope.ts';
import { scriptFailure } from './script-error.ts';
import type { Closure, Expression } from './syntax.ts';
import type { FunctionValue, Value } from './values.ts';

/** Result of a call, and the final value of `this`. */
interface Invoked {
  readonly result: Value;
  readonly self: Value;
}

export class Invocations {
  readonly #run: Evaluation;

  constructor(run: Evaluation) {
    this.#run = run;
  }

  /** Requires one argument per parameter. @param self value of `this` */
  call(callee: FunctionValue, args: readonly Value[], at: number, self: Value): Invoked {
    const { closure } = callee;
    if (args.length !== closure.parameters.length) throw wrongCount(closure, args.length, at);
    return this.#invoke(callee, args, at, self);
  }

  /** Like `call`, but ignores extra arguments. */
  offer(callee: FunctionValue, args: readonly Value[], at: number, self: Value): Invoked {
    const { closure } = callee;
    if (args.length < closure.parameters.length) throw wrongCount(closure, args.length, at);
    return this.#invoke(callee, args, at, self);
  }

  /** The call object for a built-in function that changes nothing. */
  builtinCall(name: string, target: Value, args: readonly Value[], at: number): BuiltinCall {
    const invokeOn: BuiltinCall['invokeOn'] = (callee, self, given) =>
      this.offer(callee, given, at, self);
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

  #invoke(
    { closure, scope }: FunctionValue,
    args: readonly Value[],
    at: number,
    self: Value,
  ): Invoked {
    const { meter, levels } = this.#run;
    meter.step(at);
    meter.depth(at, 'calls', ++levels.calls, editLimits.callDepthMax);
    const inner = new Scope(scope instanceof Scope ? scope : null);
    inner.declareVariable('this', self);
    closure.parameters.forEach((name, i) => {
      inner.declareVariable(name, args[i] ?? null);
    });
    const result = this.#result(closure.body, inner);
    levels.calls -= 1;
    return { result, self: inner.find('this')?.value ?? null };
  }

  #result(body: Expression, scope: Scope): Value {
    const { levels } = this.#run;
    const depth = levels.expressions;
    try {
      return this.#run.own(body, scope);
    } catch (error) {
      if (!(error instanceof Leap)) throw error;
      if (error.kind !== 'return')
        throw scriptFailure(`\`${error.kind}\` is outside of a loop`, error.at);
      levels.expressions = depth;
      return error.value;
    }
  }
}

const wrongCount = ({ name, parameters }: Closure, count: number, at: number): Error =>
  scriptFailure(
    `${name === '' ? 'the closure' : `\`${name}\``} takes ${parameters.length} arguments, not ${count}`,
    at,
  );

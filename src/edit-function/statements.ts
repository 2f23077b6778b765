/** Statements: declarations, assignments, `try`, and exits. */
import type { Calls } from './calls.ts';
import type { Evaluation } from './evaluation.ts';
import { Leap, Thrown } from './leaps.ts';
import { operate } from './operators.ts';
import type { Places } from './place-access.ts';
import { Scope } from './scope.ts';
import { ScriptError } from './script-error.ts';
import type { Expression, Statement, StatementOf } from './syntax.ts';
import { isContainer, shown, type Value } from './values.ts';

/** Characters of a thrown value that its error shows. */
const THROWN_SHOWN_MAX = 500;

export class Statements {
  readonly #run: Evaluation;
  readonly #places: Places;
  readonly #calls: Calls;

  constructor(run: Evaluation, places: Places, calls: Calls) {
    this.#run = run;
    this.#places = places;
    this.#calls = calls;
  }

  run(statement: Statement, scope: Scope): void {
    const { meter } = this.#run;
    meter.step(statement.at);
    switch (statement.kind) {
      case 'expression':
        this.#run.evaluate(statement.expression, scope);
        return;
      case 'let': {
        const value = this.#ownOrNothing(statement.value, scope);
        meter.cell(statement.at);
        if (statement.isConstant) scope.declareConstant(statement.name, value);
        else scope.declareVariable(statement.name, value);
        return;
      }
      case 'assign':
        this.#assign(statement, scope);
        return;
      case 'try':
        this.#try(statement, scope);
        return;
      case 'throw': {
        const value = this.#ownOrNothing(statement.value, scope);
        const text = shown(value, meter, statement.at).slice(0, THROWN_SHOWN_MAX);
        throw new Thrown(`the function threw: ${text}`, statement.at, value);
      }
      case 'continue':
        throw new Leap('continue', null, statement.at);
      default:
        throw new Leap(statement.kind, this.#ownOrNothing(statement.value, scope), statement.at);
    }
  }

  #ownOrNothing(expression: Expression | null, scope: Scope): Value {
    return expression === null ? null : this.#run.own(expression, scope);
  }

  #try({ body, variable, handler }: StatementOf<'try'>, scope: Scope): void {
    const { levels } = this.#run;
    const before = { ...levels };
    try {
      this.#run.block(body, scope);
    } catch (error) {
      if (!(error instanceof ScriptError) || error.kind === 'limit') throw error;
      Object.assign(levels, before);
      const inner = new Scope(scope);
      if (variable !== null)
        inner.declareVariable(variable, error instanceof Thrown ? error.value : error.reason);
      this.#run.block(handler, inner);
    }
  }

  #assign({ at, place, operator, value }: StatementOf<'assign'>, scope: Scope): void {
    const right = this.#run.own(value, scope);
    if (operator === null) {
      this.#places.store(place, right, scope);
      return;
    }
    const left = this.#run.evaluate(place, scope);
    if (operator === '+' && isContainer(left)) {
      const name = left instanceof Map ? 'mixin' : 'append';
      this.#calls.on({ place, value: left }, { name, args: [right], at }, scope);
      return;
    }
    this.#places.store(place, operate(operator, left, right, at, this.#run.meter), scope);
  }
}

/**
 * Runs the tree of a script. Every node costs a step and evaluation depth is bounded. Each array or
 * map is stored in one place: a value read from a variable, member or item and stored elsewhere is
 * copied.
 */
import { Calls } from './calls.ts';
import { editLimits } from './edit-limits.ts';
import type { Evaluation, Levels } from './evaluation.ts';
import { Leap, runFor, runLoop, Thrown, untilReturn } from './loops.ts';
import type { Meter } from './meter.ts';
import { applyUnary, operate } from './operators.ts';
import { Scope } from './scope.ts';
import { ScriptError, scriptFailure } from './script-error.ts';
import type {
  Block,
  Expression,
  ExpressionOf,
  FunctionBody,
  Statement,
  StatementOf,
  SwitchCase,
} from './syntax.ts';
import {
  Char,
  copied,
  FunctionValue,
  isContainer,
  Range,
  shown,
  typeName,
  type Value,
} from './values.ts';

/** Characters of a thrown value that its error shows. */
const THROWN_SHOWN_MAX = 500;
/** Expression kinds whose value may be an array or map that is stored in another value. */
const PLACES: ReadonlySet<Expression['kind']> = new Set(['variable', 'member', 'index', 'logic']);

/** Expressions that create a new value. */
type Making = ExpressionOf<'template' | 'array' | 'map' | 'closure'>;
/** Expressions that control the flow. */
type Control = ExpressionOf<'block' | 'if' | 'switch' | 'loop' | 'for'>;

export class Interpreter implements Evaluation {
  readonly meter: Meter;
  readonly levels: Levels = { expressions: 0, calls: 0 };
  readonly #body: Block;
  readonly #calls: Calls;

  constructor({ body, functions }: FunctionBody, meter: Meter) {
    this.meter = meter;
    this.#body = body;
    this.#calls = new Calls(this, functions);
  }

  /** Runs the script on these variables. @throws ScriptError */
  run(scope: Scope): void {
    untilReturn(() => this.block(this.#body, scope));
  }

  block({ statements, hasValue }: Block, outer: Scope): Value {
    const scope = new Scope(outer);
    const last = hasValue ? statements.length - 1 : statements.length;
    for (let i = 0; i < last; i++) this.#runStatement(statements[i] as Statement, scope);
    const tail = statements[last];
    return tail?.kind === 'expression' ? this.own(tail.expression, scope) : null;
  }

  own(expression: Expression, scope: Scope): Value {
    const value = this.evaluate(expression, scope);
    return PLACES.has(expression.kind) ? copied(value, this.meter, expression.at) : value;
  }

  evaluate(expression: Expression, scope: Scope): Value {
    this.meter.step(expression.at);
    this.meter.depth(
      expression.at,
      'evaluation',
      ++this.levels.expressions,
      editLimits.evaluationDepthMax,
    );
    const value = this.#valueOf(expression, scope);
    this.levels.expressions -= 1;
    return value;
  }

  condition(expression: Expression, scope: Scope): boolean {
    const value = this.evaluate(expression, scope);
    if (typeof value !== 'boolean')
      throw scriptFailure(`a condition is a bool, not ${typeName(value)}`, expression.at);
    return value;
  }

  #valueOf(expression: Expression, scope: Scope): Value {
    switch (expression.kind) {
      case 'literal':
        return expression.value;
      case 'char':
        return new Char(expression.text);
      case 'variable':
        return this.#calls.binding(expression, scope).value;
      case 'member':
        return this.#calls.member(expression, scope);
      case 'index':
        return this.#calls.item(expression, scope);
      case 'binary':
        return this.#binary(expression, scope);
      case 'logic':
        return this.#logic(expression, scope);
      case 'unary':
        return applyUnary(
          expression.operator,
          this.evaluate(expression.operand, scope),
          expression.at,
        );
      case 'method':
        return this.#calls.method(expression, scope);
      case 'call':
        return this.#calls.call(expression, scope);
      case 'template':
      case 'array':
      case 'map':
      case 'closure':
        return this.#make(expression, scope);
      default:
        return this.#control(expression, scope);
    }
  }

  #make(expression: Making, scope: Scope): Value {
    switch (expression.kind) {
      case 'template':
        return this.#template(expression, scope);
      case 'array':
        this.meter.items(expression.at, expression.items.length, expression.items.length);
        return expression.items.map((item) => this.own(item, scope));
      case 'map': {
        const map = new Map<string, Value>();
        for (const [name, value] of expression.members)
          this.#calls.setMember(map, name, this.own(value, scope), expression.at);
        return map;
      }
      case 'closure':
        this.meter.cell(expression.at);
        return new FunctionValue(expression, scope);
    }
  }

  #template({ parts, at }: ExpressionOf<'template'>, scope: Scope): string {
    let text = '';
    for (const part of parts) {
      const added =
        typeof part === 'string' ? part : shown(this.block(part, scope), this.meter, at);
      this.meter.text(at, text.length + added.length);
      text += added;
    }
    return text;
  }

  #control(expression: Control, scope: Scope): Value {
    switch (expression.kind) {
      case 'block':
        return this.block(expression, scope);
      case 'if': {
        const branch = expression.branches.find(({ condition }) =>
          this.condition(condition, scope),
        );
        const body = branch?.body ?? expression.otherwise;
        return body === null ? null : this.block(body, scope);
      }
      case 'switch':
        return this.#switch(expression, scope);
      case 'loop':
        return runLoop(this, expression, scope);
      case 'for':
        return runFor(this, expression, scope);
    }
  }

  #switch({ subject, cases, otherwise }: ExpressionOf<'switch'>, scope: Scope): Value {
    const value = this.evaluate(subject, scope);
    const matches = ({ patterns, guard }: SwitchCase): boolean =>
      (patterns.length === 0 || patterns.some((pattern) => this.#fits(value, pattern, scope))) &&
      (guard === null || this.condition(guard, scope));
    const body = cases.find(matches)?.body ?? otherwise;
    return body === null ? null : this.own(body, scope);
  }

  #fits(value: Value, pattern: Expression, scope: Scope): boolean {
    const wanted = this.evaluate(pattern, scope);
    const isInside = wanted instanceof Range && typeof value === 'bigint';
    return isInside
      ? value >= wanted.from && value < wanted.end
      : operate('==', value, wanted, pattern.at, this.meter) === true;
  }

  /**
   * Chains of operators lean to the left and may be as long as the script, so they are walked
   * without recursion.
   */
  #binary(expression: ExpressionOf<'binary'>, scope: Scope): Value {
    const chain = [expression];
    let { left } = expression;
    while (left.kind === 'binary') {
      chain.push(left);
      left = left.left;
    }
    let value = this.evaluate(left, scope);
    for (let i = chain.length - 1; i >= 0; i--) {
      const { operator, right, at } = chain[i] as typeof expression;
      this.meter.step(at);
      value = operate(operator, value, this.evaluate(right, scope), at, this.meter);
    }
    return value;
  }

  #logic({ operator, left, right }: ExpressionOf<'logic'>, scope: Scope): Value {
    if (operator === '??') return this.evaluate(left, scope) ?? this.evaluate(right, scope);
    const decides = operator === '||';
    return this.condition(left, scope) === decides ? decides : this.condition(right, scope);
  }

  #runStatement(statement: Statement, scope: Scope): void {
    const { meter } = this;
    meter.step(statement.at);
    switch (statement.kind) {
      case 'expression':
        this.evaluate(statement.expression, scope);
        return;
      case 'let': {
        const value = this.#ownOrNothing(statement.value, scope);
        meter.cell(statement.at);
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
    return expression === null ? null : this.own(expression, scope);
  }

  #try({ body, variable, handler }: StatementOf<'try'>, scope: Scope): void {
    const { levels } = this;
    const before = { ...levels };
    try {
      this.block(body, scope);
    } catch (error) {
      if (!(error instanceof ScriptError) || error.kind === 'limit') throw error;
      Object.assign(levels, before);
      const inner = new Scope(scope);
      if (variable !== null)
        inner.declare(variable, error instanceof Thrown ? error.value : error.reason);
      this.block(handler, inner);
    }
  }

  #assign({ at, place, operator, value }: StatementOf<'assign'>, scope: Scope): void {
    const right = this.own(value, scope);
    if (operator === null) {
      this.#calls.store(place, right, scope);
      return;
    }
    const left = this.evaluate(place, scope);
    if (operator === '+' && isContainer(left)) {
      const name = left instanceof Map ? 'mixin' : 'append';
      this.#calls.on({ place, value: left }, { name, args: [right], at }, scope);
      return;
    }
    this.#calls.store(place, operate(operator, left, right, at, this.meter), scope);
  }
}

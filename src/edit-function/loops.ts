/**
 * Loops: `loop`, `while` and `do`, and `for` over the items of a value; and what ends running code:
 * `break`, `continue`, `return` and thrown values.
 */
import type { Evaluation } from './evaluation.ts';
import type { Meter } from './meter.ts';
import { Scope } from './scope.ts';
import { ScriptError, scriptFailure } from './script-error.ts';
import type { Block, ExpressionOf } from './syntax.ts';
import { Char, copied, Range, typeName, type Value } from './values.ts';

/** Caught by the loop, function or script that it ends; invisible to `try`. */
export class Leap {
  readonly kind: 'break' | 'continue' | 'return';
  readonly value: Value;
  readonly at: number;

  constructor(kind: Leap['kind'], value: Value, at: number) {
    this.kind = kind;
    this.value = value;
    this.at = at;
  }
}

/** The result of a script or function: that of the work, or of the `return` that ends it. */
export function untilReturn(work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Leap)) throw error;
    if (error.kind === 'return') return error.value;
    throw scriptFailure(`\`${error.kind}\` is outside of a loop`, error.at);
  }
}

/** The script's own `throw`, with its value. */
export class Thrown extends ScriptError {
  readonly value: Value;

  constructor(reason: string, at: number, value: Value) {
    super('thrown', reason, at);
    this.value = value;
  }
}

/** The value of `break`, or `()`. */
export function runLoop(
  run: Evaluation,
  { condition, test, isUntil, body, at }: ExpressionOf<'loop'>,
  scope: Scope,
): Value {
  const goesOn = (): boolean => condition === null || run.condition(condition, scope) !== isUntil;
  if (test === 'before' && !goesOn()) return null;
  do {
    run.meter.step(at);
    const end = takeTurn(run, body, scope);
    if (end !== null) return end.value;
  } while (goesOn());
  return null;
}

/** Like `runLoop`, for each item of an array, range or string. */
export function runFor(
  run: Evaluation,
  { variable, counter, items, body, at }: ExpressionOf<'for'>,
  scope: Scope,
): Value {
  let count = 0n;
  for (const item of itemsOf(run.evaluate(items, scope), at, run.meter)) {
    run.meter.step(at);
    const inner = new Scope(scope);
    inner.declare(variable, copied(item, run.meter, at));
    if (counter !== null) inner.declare(counter, count++, true);
    const end = takeTurn(run, body, inner);
    if (end !== null) return end.value;
  }
  return null;
}

/** The items at the start of the loop. */
function itemsOf(value: Value, at: number, meter: Meter): Iterable<Value> {
  if (value instanceof Range) return integersOf(value);
  if (Array.isArray(value)) {
    meter.items(at, value.length, value.length);
    return [...value];
  }
  if (typeof value === 'string') {
    meter.text(at, value.length);
    return [...value].map((text) => new Char(text));
  }
  throw scriptFailure(
    `\`for\` goes over an array, a range or a string, not ${typeName(value)}`,
    at,
  );
}

/** One iteration; not null if it ends the loop. */
function takeTurn(run: Evaluation, body: Block, scope: Scope): { readonly value: Value } | null {
  const depth = run.levels.expressions;
  try {
    run.block(body, scope);
    return null;
  } catch (error) {
    if (!(error instanceof Leap) || error.kind === 'return') throw error;
    run.levels.expressions = depth;
    return error.kind === 'break' ? { value: error.value } : null;
  }
}

function* integersOf({ from, end }: Range): Generator<bigint> {
  for (let value = from; value < end; value++) yield value;
}

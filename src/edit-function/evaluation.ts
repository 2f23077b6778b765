/** The interface of a run for the parts of the interpreter. */
import type { Meter } from './meter.ts';
import type { Scope } from './scope.ts';
import type { Block, Expression } from './syntax.ts';
import type { Value } from './values.ts';

/** Nesting depth of a run. Code that catches a leap or an error restores it. */
export interface Levels {
  expressions: number;
  /** Functions and closures of the script. */
  calls: number;
}

/** All methods throw `ScriptError`, or a `Leap` out of the evaluated code. */
export interface Evaluation {
  readonly meter: Meter;
  readonly levels: Levels;
  /** The value itself; an array or map may be stored elsewhere. */
  evaluate(expression: Expression, scope: Scope): Value;
  /** The value, copied if it is stored elsewhere. */
  own(expression: Expression, scope: Scope): Value;
  condition(expression: Expression, scope: Scope): boolean;
  /** The value of the last statement, or `()`. */
  block(block: Block, outer: Scope): Value;
}

/** What the parts of the interpreter ask of the run that they belong to. */
import type { Meter } from './meter.ts';
import type { Scope } from './scope.ts';
import type { Block, Expression } from './syntax.ts';
import type { Value } from './values.ts';

/** How deep a run is. Who catches a leap or an error sets this back to what it was. */
export interface Levels {
  expressions: number;
  /** Functions and closures of the script. */
  calls: number;
}

/** All of it throws a `ScriptError`, or a `Leap` out of what it runs. */
export interface Evaluation {
  readonly meter: Meter;
  readonly levels: Levels;
  /** The value itself; an array or map may have its place elsewhere. */
  evaluate(expression: Expression, scope: Scope): Value;
  /** The value as one that may be stored. */
  own(expression: Expression, scope: Scope): Value;
  condition(expression: Expression, scope: Scope): boolean;
  /** The value of its last statement, or nothing. */
  block(block: Block, outer: Scope): Value;
}

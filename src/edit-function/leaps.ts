/** Non-local exits of a running script: `break`, `continue`, `return` and thrown values. */
import { ScriptError } from './script-error.ts';
import type { Value } from './values.ts';

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

/** The script's own `throw`, with its value. */
export class Thrown extends ScriptError {
  readonly value: Value;

  constructor(reason: string, at: number, value: Value) {
    super('thrown', reason, at);
    this.value = value;
  }
}

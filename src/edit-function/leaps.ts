/** Non-local exits of a running script: `break`, `continue`, `return` and thrown values. */
import { ScriptError, scriptFailure } from './script-error.ts';
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

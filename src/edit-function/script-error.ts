/** The error class of edit functions: a message and a position in the script. */

/**
 * `limit`: a bound of `limits.ts` was exceeded; scripts cannot catch it. `thrown`: the script's own
 * `throw`.
 */
export type ScriptErrorKind = 'syntax' | 'runtime' | 'thrown' | 'limit';

/** Position of an error in the result instead of the script. */
export const NO_POSITION = -1;

export class ScriptError extends Error {
  override readonly name = 'ScriptError';
  readonly kind: ScriptErrorKind;
  readonly reason: string;
  /** Offset in the script in UTF-16 units, or `NO_POSITION`. */
  readonly at: number;

  constructor(kind: ScriptErrorKind, reason: string, at: number, source?: string) {
    super(
      source === undefined || at === NO_POSITION ? reason : `${reason} (${placeOf(source, at)})`,
    );
    this.kind = kind;
    this.reason = reason;
    this.at = at;
  }

  /** The same error with line and position in its message. */
  inSource(source: string): ScriptError {
    return new ScriptError(this.kind, this.reason, this.at, source);
  }
}

function placeOf(source: string, at: number): string {
  const before = source.slice(0, at);
  const line = before.split('\n').length;
  const position = [...before.slice(before.lastIndexOf('\n') + 1)].length + 1;
  return `line ${line}, position ${position}`;
}

export const scriptFailure = (reason: string, at: number): ScriptError =>
  new ScriptError('runtime', reason, at);

export const syntaxError = (reason: string, at: number): ScriptError =>
  new ScriptError('syntax', reason, at);

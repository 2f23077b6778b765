/** Exit codes of commands, and the error class of expected failures. */

export const EXIT = {
  done: 0,
  /** The work failed, or a check found a problem. */
  failed: 1,
  /** The command line is invalid. */
  usage: 2,
} as const;

/** An expected failure, as one sentence for the user. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: number;
  /** Error code of the API, if the failure comes from the API. */
  readonly code: string | null;

  constructor(message: string, exitCode: number = EXIT.failed, code: string | null = null) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
  }
}

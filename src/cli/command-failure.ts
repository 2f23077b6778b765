/** How commands end: exit codes, and what is expected to fail. */

export const EXIT = {
  done: 0,
  /** The work failed, or what was looked at is not as it should be. */
  failed: 1,
  /** The command was not understood. */
  usage: 2,
} as const;

/** A failure in one sentence for the user. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: number;
  /** Of the API, where it comes from there. */
  readonly code: string | null;

  constructor(message: string, exitCode: number = EXIT.failed, code: string | null = null) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
  }
}

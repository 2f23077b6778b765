/** Output of a command: results on stdout, progress and errors on stderr. */

export interface Terminal {
  /** True if results are printed as JSON for programs, one value a line. */
  readonly isJson: boolean;
  readonly input: AsyncIterable<Uint8Array>;
  /** Prints a line of results for people; prints nothing in JSON mode. */
  print(line: string): void;
  /** Prints a result for programs; prints nothing without JSON mode. */
  json(value: unknown): void;
  /** Writes bytes of results in either mode. Resolves when more bytes may follow. */
  write(bytes: Uint8Array): Promise<void>;
  /** Prints a line to stderr. */
  note(line: string): void;
  /** Replaces the previous `progress` line; null ends it. */
  progress(line: string | null): void;
}

interface OutputStream {
  readonly isTTY?: boolean | undefined;
  write(chunk: string | Uint8Array, done?: () => void): boolean;
}

export interface TerminalStreams {
  readonly input: AsyncIterable<Uint8Array>;
  readonly output: OutputStream;
  readonly errors: OutputStream;
}

const CLEAR_LINE = '\r\u001b[2K';
/** Minimum milliseconds between progress lines if stderr is not a terminal. */
const PLAIN_EVERY_MS = 5000;

export function createTerminal(
  { input, output, errors }: TerminalStreams,
  isJson: boolean,
  nowMs: () => number,
): Terminal {
  let isLineOpen = false;
  let wroteMs = Number.NEGATIVE_INFINITY;
  const closeLine = () => {
    if (isLineOpen) errors.write(CLEAR_LINE);
    isLineOpen = false;
  };
  return {
    isJson,
    input,
    print: (line) => {
      closeLine();
      if (!isJson) output.write(`${line}\n`);
    },
    json: (value) => {
      closeLine();
      if (isJson) output.write(`${JSON.stringify(value)}\n`);
    },
    write: (bytes) => new Promise((resolve) => void output.write(bytes, resolve)),
    note: (line) => {
      closeLine();
      errors.write(`${line}\n`);
    },
    progress: (line) => {
      if (line === null) return closeLine();
      if (errors.isTTY === true) {
        errors.write(`${CLEAR_LINE}${line}`);
        isLineOpen = true;
      } else if (nowMs() - wroteMs >= PLAIN_EVERY_MS) {
        errors.write(`${line}\n`);
        wroteMs = nowMs();
      }
    },
  };
}

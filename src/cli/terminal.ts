/** Where a command writes: results to one stream, progress and complaints to the other. */

export interface Terminal {
  /** Whether results are JSON, one value a line, for programs. */
  readonly isJson: boolean;
  readonly input: AsyncIterable<Uint8Array>;
  /** A line of results for people; nothing where results are JSON. */
  print(line: string): void;
  /** A result for programs; nothing where they are for people. */
  json(value: unknown): void;
  /** Bytes of results, whoever reads them. Resolves when they may be followed by more. */
  write(bytes: Uint8Array): Promise<void>;
  /** A line beside the results. */
  note(line: string): void;
  /** Replaces the line that `progress` wrote before; null ends it. */
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
/** Where no line can be replaced, so many milliseconds pass between two. */
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

const BAR_CELLS = 30;

/** A bar with what it stands for. @param part 0 to 1 */
export function progressBar(part: number, label: string): string {
  const full = Math.round(Math.min(1, Math.max(0, part)) * BAR_CELLS);
  return `[${'='.repeat(full)}${' '.repeat(BAR_CELLS - full)}] ${Math.floor(part * 100)} % ${label}`;
}

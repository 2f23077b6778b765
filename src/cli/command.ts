/** What a command of the command line is: data from which parsing, help and completion are made. */
import { CommandFailure, EXIT } from './command-failure.ts';
import type { Instance } from './instance.ts';
import type { Terminal } from './terminal.ts';

export interface CommandOption {
  /** What its value is called in the help; absent = it takes none. */
  readonly value?: string;
  readonly doc: string;
}

/** Values by name: text, or true for options without a value. */
export type GivenOptions = Readonly<Record<string, string | true | undefined>>;

export interface CommandCall {
  readonly arguments: readonly string[];
  readonly options: GivenOptions;
  readonly terminal: Terminal;
  /** The server that `--url` names, with the key that was given. */
  readonly instance: Instance;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  /** What follows the name, such as `FILE...`. */
  readonly usage: string;
  readonly options: Readonly<Record<string, CommandOption>>;
  /** Whether it speaks to a server, and so takes `--url` and `--key`. */
  readonly asksServer: boolean;
  /** Whether all that follows its name is for itself to read. */
  readonly readsArguments?: true;
  /** Fewest and most arguments beside options. */
  readonly arguments: readonly [number, number];
  /**
   * Resolves with the exit code.
   * @throws CommandFailure for what is expected to fail
   */
  run(call: CommandCall): Promise<number>;
}

export function numberOption(options: GivenOptions, name: string, absent: number): number {
  const text = options[name];
  if (text === undefined) return absent;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new CommandFailure(`--${name} takes a number, not \`${String(text)}\``, EXIT.usage);
}

export const textOption = (options: GivenOptions, name: string): string | null => {
  const text = options[name];
  return typeof text === 'string' ? text : null;
};

/** The value of an option that is JSON; undefined when it is not given. */
export function jsonOption(options: GivenOptions, name: string): unknown {
  const text = textOption(options, name);
  if (text === null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandFailure(`--${name} takes JSON, not \`${text.slice(0, 80)}\``, EXIT.usage);
  }
}

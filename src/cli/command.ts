/** A command of the command line as data, from which parsing, help and completion are made. */
import { parseJson } from '../core/json.ts';
import { CommandFailure, EXIT } from './command-failure.ts';
import type { Instance } from './instance-client.ts';
import type { Terminal } from './terminal.ts';

/** Values by option name: text, or true for options without a value. */
export type GivenOptions = Readonly<Record<string, string | true | undefined>>;

export interface CommandCall {
  readonly arguments: readonly string[];
  readonly options: GivenOptions;
  readonly terminal: Terminal;
  /** The server at `--url`, with the API key of `--key`. */
  readonly instance: Instance;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  /** Arguments after the command's name, such as `FILE...`. */
  readonly usage: string;
  /**
   * Help by option: `name VALUE`, where VALUE is shown in the help, or `name` for an option without
   * a value.
   */
  readonly options: Readonly<Record<string, string>>;
  /** True if the command sends requests to a server, and so takes `--url` and `--key`. */
  readonly asksServer: boolean;
  /** True if the command parses all arguments after its name itself. */
  readonly readsArguments?: true;
  /** Minimum and maximum number of arguments, options not counted. */
  readonly arguments: readonly [number, number];
  /**
   * Resolves to the exit code, or to nothing when it is done.
   * @throws CommandFailure for expected failures
   */
  run(call: CommandCall): Promise<number | void>;
}

/**
 * A number of at least 0; `absent` without the option.
 * @param kind by default only whole numbers. @throws CommandFailure
 */
export function numberOption(
  options: GivenOptions,
  name: string,
  absent: number,
  kind: 'whole' | 'any' = 'whole',
): number {
  const text = textOption(options, name);
  if (text === null) return absent;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  const isAllowed = kind === 'whole' ? Number.isSafeInteger(value) : Number.isFinite(value);
  if (isAllowed && value >= 0) return value;
  throw new CommandFailure(
    `--${name} takes a ${kind === 'whole' ? 'whole number' : 'number'} of at least 0, not \`${text}\``,
    EXIT.usage,
  );
}

export const textOption = (options: GivenOptions, name: string): string | null => {
  const text = options[name];
  return typeof text === 'string' ? text : null;
};

/** The items between commas, without empty ones; null if the option is absent. */
export function listOption(options: GivenOptions, name: string): string[] | null {
  const items = textOption(options, name)
    ?.split(',')
    .map((item) => item.trim());
  return items?.filter((item) => item !== '') ?? null;
}

/** The failure of a call without an argument or option that the command needs. */
export const wrongUsage = ({ name, usage }: Command): CommandFailure =>
  new CommandFailure(`usage: gannet ${name} ${usage}`, EXIT.usage);

/** The parsed value of a JSON option; undefined if the option is absent. */
export function jsonOption(options: GivenOptions, name: string): unknown {
  const text = textOption(options, name);
  if (text === null) return undefined;
  const value = parseJson(text);
  if (value !== undefined) return value;
  throw new CommandFailure(`--${name} takes JSON, not \`${text.slice(0, 80)}\``, EXIT.usage);
}

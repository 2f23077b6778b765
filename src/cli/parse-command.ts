/** Parses arguments of the command line into a command and its options. Pure. */
import { parseArgs } from 'node:util';
import { didYouMean } from '../../config/nearest.ts';
import { type Command, type GivenOptions, wrongUsage } from './command.ts';
import { CommandFailure, EXIT } from './command-failure.ts';

interface ParsedCommand {
  readonly command: Command;
  readonly arguments: readonly string[];
  readonly options: GivenOptions;
}

interface CommandOption {
  /** Name of the option's value in the help; absent = the option takes no value. */
  readonly value?: string | undefined;
  readonly doc: string;
}

/** Options of every command that sends requests to a server. */
const SERVER_OPTIONS: Command['options'] = {
  'url URL': 'the server (default: GANNET_URL, or http://localhost:7700)',
  'key KEY': 'API key (default: GANNET_KEY, or SVC_MASTER_KEY)',
};
const COMMON_OPTIONS: Command['options'] = {
  json: 'results as JSON, one value a line',
  help: 'this text',
};

export function optionsOf({
  options,
  asksServer,
  readsArguments,
}: Command): Readonly<Record<string, CommandOption>> {
  const all = {
    ...options,
    ...(asksServer && SERVER_OPTIONS),
    ...(readsArguments !== true && COMMON_OPTIONS),
  };
  return Object.fromEntries(
    Object.entries(all).map(([usage, doc]) => {
      const [name = '', value] = usage.split(' ');
      return [name, { value, doc }];
    }),
  );
}

/** @throws CommandFailure with the exit code of an invalid command line */
export function parseCommand(commands: readonly Command[], args: readonly string[]): ParsedCommand {
  const [name = '', ...rest] = args;
  const command = commands.find((known) => known.name === name);
  if (command === undefined) {
    throw unknownCommand(commands, name);
  }
  if (command.readsArguments === true) return { command, arguments: rest, options: {} };
  const { options, positional } = readTokens(command, rest);
  const [fewest, most] = command.arguments;
  if (options['help'] === undefined && (positional.length < fewest || positional.length > most))
    throw wrongUsage(command);
  return { command, arguments: positional, options };
}

const USAGE = 'options follow a command: `gannet COMMAND [options]`';

function unknownCommand(commands: readonly Command[], name: string): CommandFailure {
  if (name.startsWith('-')) {
    const known = commands.flatMap((command) => Object.keys(optionsOf(command)));
    const option = name.replace(/^-+/, '').replace(/=.*/s, '');
    if (known.includes(option)) return wrongCall(`\`${name}\` needs a command before it; ${USAGE}`);
    const hint = didYouMean(option, known, (found) => `--${found}`);
    return wrongCall(`unknown option \`${name}\`${hint || `; ${USAGE}`}`);
  }
  const names = commands.map((known) => known.name);
  return wrongCall(
    `unknown command \`${name}\`${didYouMean(name, names) || `; commands are ${names.join(', ')}`}`,
  );
}

function readTokens(
  command: Command,
  args: readonly string[],
): { readonly options: GivenOptions; readonly positional: readonly string[] } {
  const known = optionsOf(command);
  const types = Object.entries(known).map(([option, { value }]) => {
    return [option, { type: value === undefined ? 'boolean' : 'string' }] as const;
  });
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(types),
    strict: false,
    tokens: true,
    allowPositionals: true,
  });
  const options: Record<string, string | true> = {};
  const positional: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positional.push(token.value);
    if (token.kind === 'option') options[token.name] = optionValue(command.name, known, token);
  }
  return { options, positional };
}

interface OptionToken {
  readonly name: string;
  /** As given, such as `-o`. */
  readonly rawName: string;
  readonly value?: string | undefined;
}

function optionValue(
  command: string,
  known: Readonly<Record<string, CommandOption>>,
  { name, rawName, value }: OptionToken,
): string | true {
  const wanted = Object.hasOwn(known, name) ? known[name] : undefined;
  if (wanted === undefined) {
    const hint = didYouMean(name, Object.keys(known), (found) => `--${found}`);
    throw wrongCall(`unknown option \`${rawName}\` of \`gannet ${command}\`${hint}`);
  }
  if (wanted.value === undefined) {
    if (value === undefined) return true;
    throw wrongCall(`--${name} takes no value`);
  }
  if (value === undefined) throw wrongCall(`--${name} needs a value: ${wanted.doc}`);
  return value;
}

const wrongCall = (message: string): CommandFailure => new CommandFailure(message, EXIT.usage);

const COLUMN = 26;
const row = (left: string, right: string): string => `  ${left.padEnd(COLUMN)} ${right}`;

export const commandHelp = (command: Command): string =>
  [
    `Usage: gannet ${command.name} ${command.usage}`.trimEnd(),
    '',
    `${command.summary}.`,
    '',
    'Options:',
    ...Object.entries(optionsOf(command)).map(([name, { value, doc }]) =>
      row(`--${name}${value === undefined ? '' : ` ${value}`}`, doc),
    ),
  ].join('\n');

export const overview = (commands: readonly Command[]): string =>
  [
    'Usage: gannet COMMAND [options]',
    '',
    'Commands:',
    ...commands.map(({ name, summary }) => row(name, summary)),
    '',
    '`gannet COMMAND --help` shows its options. Exit codes: 0 success, 1 failure, 2 invalid usage.',
  ].join('\n');

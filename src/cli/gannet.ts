/** Start here: the command line. Finds the command, runs it and exits with its exit code. */

import { ConfigError } from '../../config/config-error.ts';
import { packageVersion } from '../../config/version.ts';
import { type CommandCall, textOption } from './command.ts';
import { CommandFailure, EXIT } from './command-failure.ts';
import { allCommands, commandsNamed } from './commands.ts';
import { Instance } from './instance-client.ts';
import { commandHelp, optionsOf, overview, parseCommand } from './parse-command.ts';
import { createTerminal, type TerminalStreams } from './terminal.ts';

type Environment = CommandCall['env'];

const URL_DEFAULT = 'http://localhost:7700';

/** Resolves to the exit code. @param args arguments after the program's name */
export async function runCommand(
  args: readonly string[],
  streams: TerminalStreams,
  env: Environment,
): Promise<number> {
  const isJson = args.includes('--json');
  const terminal = createTerminal(streams, isJson, () => performance.now());
  const [first] = args.filter((arg) => arg !== '--json');
  if (first === undefined || ['--help', '-h', 'help'].includes(first)) {
    const commands = await allCommands();
    terminal.print(overview(commands));
    terminal.json(commands.map(({ name, usage, summary }) => ({ name, usage, summary })));
    return EXIT.done;
  }
  if (first === '--version' || first === 'version') {
    terminal.print(packageVersion());
    terminal.json({ version: packageVersion() });
    return EXIT.done;
  }
  try {
    const { command, ...given } = parseCommand(await commandsNamed(args[0] ?? ''), args);
    if (given.options['help'] === true) {
      const { name, usage, summary } = command;
      terminal.print(commandHelp(command));
      terminal.json({ name, usage, summary, options: optionsOf(command) });
      return EXIT.done;
    }
    const instance = instanceOf(given.options, env);
    return (await command.run({ ...given, terminal, env, instance })) ?? EXIT.done;
  } catch (error) {
    if (!isExpected(error)) throw error;
    terminal.progress(null);
    terminal.note(`gannet: ${error.message}`);
    const code = error instanceof CommandFailure ? error.code : null;
    terminal.json({ error: { message: error.message, code } });
    return exitCodeOf(error);
  }
}

/** Includes refusals of the system: a folder instead of a file, no permission, a full disk. */
const isExpected = (error: unknown): error is Error =>
  error instanceof CommandFailure ||
  error instanceof ConfigError ||
  (error instanceof Error && 'syscall' in error);

const exitCodeOf = (error: Error): number => {
  if (error instanceof CommandFailure) return error.exitCode;
  return error instanceof ConfigError ? EXIT.usage : EXIT.failed;
};

const instanceOf = (options: CommandCall['options'], env: Environment): Instance =>
  new Instance(
    textOption(options, 'url') ?? (env['GANNET_URL'] || URL_DEFAULT),
    textOption(options, 'key') ?? (env['GANNET_KEY'] || env['SVC_MASTER_KEY'] || null),
  );

/**
 * A reader such as `head` that has enough closes the pipe: the command ends without an error.
 * Without a reader of its notes it goes on.
 */
function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(EXIT.done);
  });
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

export async function main(): Promise<void> {
  endWithReader();
  const args = process.argv.slice(2);
  const { stdin: input, stdout: output, stderr: errors } = process;
  const code = await runCommand(args, { input, output, errors }, process.env);
  // A server that fails to start has already printed its error.
  process.exitCode ??= code;
}

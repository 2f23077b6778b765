/** Start here: the command line. Finds the command, runs it and exits with its exit code. */

import { ConfigError } from '../../config/config-error.ts';
import { packageVersion } from '../../config/version.ts';
import { type CommandCall, textOption } from './command.ts';
import { CommandFailure, EXIT } from './command-failure.ts';
import { commands } from './commands.ts';
import { Instance } from './instance-client.ts';
import { commandHelp, overview, parseCommand } from './parse-command.ts';
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
  const [first] = args;
  if (first === undefined || first === '--help' || first === '-h' || first === 'help') {
    await terminal.write(Buffer.from(overview(commands)));
    return EXIT.done;
  }
  if (first === '--version') {
    await terminal.write(Buffer.from(`${packageVersion()}\n`));
    return EXIT.done;
  }
  try {
    const { command, ...given } = parseCommand(commands, args);
    if (given.options['help'] === true) {
      await terminal.write(Buffer.from(commandHelp(command)));
      return EXIT.done;
    }
    const instance = instanceOf(given.options, env);
    return (await command.run({ ...given, terminal, env, instance })) ?? EXIT.done;
  } catch (error) {
    const isExpected = error instanceof CommandFailure || error instanceof ConfigError;
    if (!isExpected) throw error;
    terminal.progress(null);
    terminal.note(`gannet: ${error.message}`);
    const { exitCode, code } =
      error instanceof CommandFailure ? error : { exitCode: EXIT.usage, code: null };
    terminal.json({ error: { message: error.message, code } });
    return exitCode;
  }
}

const instanceOf = (options: CommandCall['options'], env: Environment): Instance =>
  new Instance(
    textOption(options, 'url') ?? (env['GANNET_URL'] || URL_DEFAULT),
    textOption(options, 'key') ?? (env['GANNET_KEY'] || env['SVC_MASTER_KEY'] || null),
  );

export async function main(): Promise<void> {
  const args = process.argv.slice(2);
  const { stdin: input, stdout: output, stderr: errors } = process;
  const code = await runCommand(args, { input, output, errors }, process.env);
  // A server that fails to start has already printed its error.
  process.exitCode ??= code;
}

/** Commands of the command line, run in this process, with what they wrote. */
import { runCommand } from '../../src/cli/gannet.ts';

export interface EndedCommand {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** The results as JSON, one value a line. */
  readonly values: readonly unknown[];
}

export async function runGannet(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<EndedCommand> {
  const written = { out: '', err: '' };
  const streamTo = (name: 'out' | 'err') => ({
    write(chunk: string | Uint8Array, done?: () => void) {
      written[name] += Buffer.from(chunk).toString();
      done?.();
      return true;
    },
  });
  const input = (async function* () {})();
  const streams = { input, output: streamTo('out'), errors: streamTo('err') };
  const code = await runCommand(args, streams, env);
  const lines = written.out.split('\n').filter((line) => line !== '');
  const isJson = args.includes('--json');
  return {
    code,
    ...written,
    values: isJson ? lines.map((line) => JSON.parse(line) as unknown) : [],
  };
}

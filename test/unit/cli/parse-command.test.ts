/** Parsing of the command line, and errors of invalid command lines. */
import { describe, expect, it } from 'vitest';
import { allCommands } from '../../../src/cli/commands.ts';
import { commandHelp, overview, parseCommand } from '../../../src/cli/parse-command.ts';

const commands = await allCommands();
const parse = (...args: string[]) => parseCommand(commands, args);
const refusal = (...args: string[]): string => {
  try {
    parse(...args);
  } catch (error) {
    expect(error).toMatchObject({ name: 'CommandFailure', exitCode: 2 });
    return (error as Error).message;
  }
  throw new Error(`${args.join(' ')} was taken`);
};

describe('a call', () => {
  it('has options before, between and after arguments', () => {
    expect(
      parse('import', 'a.json', '--index', 'films', '--update', 'b.json', '--url=http://x'),
    ).toMatchObject({
      arguments: ['a.json', 'b.json'],
      options: { index: 'films', update: true, url: 'http://x' },
    });
  });

  it('passes all arguments after `serve` on', () => {
    expect(parse('serve', '--db-path', 'x', '--help')).toMatchObject({
      arguments: ['--db-path', 'x', '--help'],
      options: {},
    });
  });

  it.each([
    [['serch', 'films'], 'unknown command `serch`; did you mean `search`?'],
    [
      ['search', 'films', '--limmit', '3'],
      'unknown option `--limmit` of `gannet search`; did you mean `--limit`?',
    ],
    [['--jsno'], 'unknown option `--jsno`; did you mean `--json`?'],
    [
      ['--zzzzzzzzz', 'search'],
      'unknown option `--zzzzzzzzz`; options follow a command: `gannet COMMAND [options]`',
    ],
    [
      ['--json=1', 'search'],
      '`--json=1` needs a command before it; options follow a command: `gannet COMMAND [options]`',
    ],
    [['search'], 'usage: gannet search INDEX [WORDS...]'],
    [['import', 'a.json', '--update=x'], '--update takes no value'],
    [['verify', 'a', 'b'], 'usage: gannet verify DIR | --source FILE|URL|postgres://… --index UID'],
  ])('%j is refused', (args, message) => expect(refusal(...args)).toBe(message));

  it('of a command like no other is refused with the list of commands', () => {
    expect(refusal('foo')).toMatch(/^unknown command `foo`; commands are serve, import, .*, mcp/);
  });

  it('is refused if the value of an option is missing', () => {
    expect(refusal('import', 'a.json', '--index')).toContain('--index needs a value');
  });
});

describe('the help', () => {
  it.each(commands.map((command) => [command.name, command] as const))(
    'of %s tells all its options',
    (name, command) => {
      const help = commandHelp(command);
      expect(help).toContain(`Usage: gannet ${name}`);
      for (const option of Object.keys(command.options)) expect(help).toContain(`--${option}`);
      expect(overview(commands)).toContain(`  ${name} `);
    },
  );
});

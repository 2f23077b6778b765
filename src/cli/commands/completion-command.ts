/** `gannet completion`: what shells need to complete commands and options. */
import type { Command } from '../command.ts';
import { CommandFailure, EXIT } from '../command-failure.ts';
import { optionsOf } from '../parse-command.ts';

const wordsOf = (command: Command): string =>
  Object.keys(optionsOf(command))
    .map((name) => `--${name}`)
    .join(' ');

const SHELLS: Readonly<Record<string, (commands: readonly Command[]) => string>> = {
  bash: (commands) => `_gannet() {
  local word=\${COMP_WORDS[COMP_CWORD]} words
  case "\${COMP_WORDS[1]}" in
${commands.map((command) => `    ${command.name}) words='${wordsOf(command)}' ;;`).join('\n')}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then words='${commands.map(({ name }) => name).join(' ')}'; fi
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
    *) if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W "$words" -- "$word"))
       else COMPREPLY=($(compgen -f -- "$word")); fi ;;
  esac
}
complete -F _gannet gannet
`,
  zsh: (commands) => `autoload -U +X bashcompinit && bashcompinit
${SHELLS['bash']?.(commands) ?? ''}`,
  fish: (commands) =>
    commands
      .flatMap((command) => [
        `complete -c gannet -n __fish_use_subcommand -a ${command.name} -d '${command.summary.replaceAll("'", "\\'")}'`,
        ...Object.keys(optionsOf(command)).map(
          (name) =>
            `complete -c gannet -n '__fish_seen_subcommand_from ${command.name}' -l ${name}`,
        ),
      ])
      .join('\n'),
};

/** @param commands called when it runs; the command itself is among them */
export const completionCommand = (commands: () => Promise<readonly Command[]>): Command => ({
  name: 'completion',
  summary: 'Prints a shell completion script',
  usage: Object.keys(SHELLS).join('|'),
  arguments: [1, 1],
  asksServer: false,
  options: {},
  async run({ arguments: [shell = ''], terminal }) {
    const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
    if (script === undefined)
      throw new CommandFailure(`shells are ${Object.keys(SHELLS).join(', ')}`, EXIT.usage);
    const text = script(await commands()).trimEnd();
    terminal.print(text);
    terminal.json({ shell, script: text });
  },
});

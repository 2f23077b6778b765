/** `gannet verify`: reads and checks every byte of a data folder that no server has open. */
import type { Command } from '../command.ts';
import { EXIT } from '../command-failure.ts';
import { ownEntries } from '../own-entries.ts';

interface Checker {
  checkIndex(dir: string, print: (line: string) => void): Promise<0 | 1 | 2>;
}

export const verifyCommand: Command = {
  name: 'verify',
  summary: 'Reads and checks every file of a data folder that no server has open',
  usage: 'DIR',
  arguments: [1, 1],
  asksServer: false,
  options: {},
  async run({ arguments: [dir = ''], terminal }) {
    const { checkIndex } = (await import(ownEntries.checkIndex.href)) as Checker;
    const lines: string[] = [];
    const code = await checkIndex(dir, (line) => {
      lines.push(line);
      terminal.print(line);
    });
    terminal.json({ folder: dir, isSound: code === EXIT.done, report: lines });
    return code === EXIT.done ? EXIT.done : EXIT.failed;
  },
};

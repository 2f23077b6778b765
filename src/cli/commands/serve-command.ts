/** `gannet serve`: starts the server, which parses its options itself. */
import { launchOptions } from '../../../config/help.ts';
import type { Command } from '../command.ts';
import { ownEntries } from '../own-entries.ts';

export const serveCommand: Command = {
  name: 'serve',
  summary: 'Starts the server; `gannet serve --help` lists its options',
  usage: '[options]',
  readsArguments: true,
  arguments: [0, Number.POSITIVE_INFINITY],
  asksServer: false,
  options: launchOptions(),
  async run() {
    process.argv.splice(process.argv.indexOf('serve'), 1);
    await import(ownEntries.server.href);
  },
};

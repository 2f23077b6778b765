/** `gannet move`: copies all data of a stopped server from a data folder into a store, or back. */
import { isStoreUrl } from '../../storage/object-store/store-url.ts';
import type { Command } from '../command.ts';
import { CommandFailure, EXIT } from '../command-failure.ts';
import { runCopy } from '../copy-program.ts';

export const moveCommand: Command = {
  name: 'move',
  summary: 'Copies all data of a stopped server from a data folder into an object store, or back',
  usage: 'DIR STORE | STORE DIR',
  arguments: [2, 2],
  asksServer: false,
  options: {},
  async run(call) {
    const [from = '', to = ''] = call.arguments;
    if (isStoreUrl(from) === isStoreUrl(to))
      throw new CommandFailure(
        'move takes a data folder and the URL of a store, in either order',
        EXIT.usage,
      );
    await runCopy(call, { from, to });
    const option = isStoreUrl(to) ? `--store '${to}' --db-path NEW_FOLDER` : `--db-path ${to}`;
    call.terminal.print(
      `${to} is ready: gannet serve ${option}\n${from} is unchanged: do not start it again`,
    );
  },
};

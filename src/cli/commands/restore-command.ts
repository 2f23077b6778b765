/** `gannet restore`: creates a data folder from a snapshot or a dump, without serving it. */

import { toInherited, withheldVariables } from '../../../config/inherited.ts';
import { loadConfig } from '../../../config/load.ts';
import { createLogger } from '../../observability/logger.ts';
import { CONFIG_VARIABLE } from '../../runtime/lifecycle-protocol.ts';
import { OneOffProcess } from '../../runtime/one-off-process.ts';
import { StartFailure } from '../../runtime/start-failure.ts';
import { workerUrls } from '../../runtime/worker-urls.ts';
import { checkDataFolder, DataFolderRefused } from '../../storage/data-folder/data-folder-check.ts';
import { importSource } from '../../storage/data-folder/import-source.ts';
import { type Command, textOption } from '../command.ts';
import { CommandFailure, EXIT } from '../command-failure.ts';

const isExpected = (error: unknown): error is Error =>
  error instanceof DataFolderRefused || error instanceof StartFailure;

export const restoreCommand: Command = {
  name: 'restore',
  summary: 'Creates a data folder from a snapshot or a dump, without starting a server',
  usage: 'FILE --db-path DIR',
  arguments: [1, 1],
  asksServer: false,
  options: { 'db-path DIR': 'the new data folder' },
  async run({ arguments: [file = ''], options, terminal, env }) {
    const folder = textOption(options, 'db-path');
    if (folder === null)
      throw new CommandFailure(`usage: gannet restore ${restoreCommand.usage}`, EXIT.usage);
    const kind = file.endsWith('.dump') ? 'dump' : 'snapshot';
    const args = [`--import-${kind}`, file, '--db-path', folder];
    const config = loadConfig({ args, env, cwd: process.cwd() });
    try {
      checkDataFolder(config.dbPath);
      const log = createLogger({ level: config.logLevel, mode: config.logsMode, name: 'restore' });
      importSource(config, log);
      const inherited = {
        ...withheldVariables(env),
        [CONFIG_VARIABLE]: toInherited(config, 'indexer'),
      };
      await new OneOffProcess({ name: 'import', entry: workerUrls.restore, env: inherited }).ended;
    } catch (error) {
      if (isExpected(error)) throw new CommandFailure(error.message);
      throw error;
    }
    terminal.print(`${config.dbPath} is ready: gannet serve --db-path ${folder}`);
    terminal.json({ folder: config.dbPath, kind });
  },
};

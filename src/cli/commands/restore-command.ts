/** `gannet restore`: creates a data folder or a store from a backup, without serving it. */

import { toInherited, withheldVariables } from '../../../config/inherited.ts';
import { loadConfig } from '../../../config/load.ts';
import { counted } from '../../core/counted.ts';
import { humanSize } from '../../core/human-size.ts';
import { createLogger } from '../../observability/logger.ts';
import { CONFIG_VARIABLE } from '../../runtime/lifecycle-protocol.ts';
import { OneOffProcess } from '../../runtime/one-off-process.ts';
import { StartFailure } from '../../runtime/start-failure.ts';
import { workerUrls } from '../../runtime/worker-urls.ts';
import { checkDataFolder, DataFolderRefused } from '../../storage/data-folder/data-folder-check.ts';
import { importSource } from '../../storage/data-folder/import-source.ts';
import { ObjectStoreError } from '../../storage/object-store/object-store.ts';
import { openObjectStore } from '../../storage/object-store/open-store.ts';
import { DamagedObject } from '../../storage/object-store/sealed-objects.ts';
import { readSnapshot, snapshotNames } from '../../storage/object-store/store-snapshots.ts';
import { isStoreUrl } from '../../storage/object-store/store-url.ts';
import { type Command, type CommandCall, textOption, wrongUsage } from '../command.ts';
import { CommandFailure, EXIT } from '../command-failure.ts';
import { runCopy } from '../copy-program.ts';

const isExpected = (error: unknown): error is Error =>
  error instanceof DataFolderRefused || error instanceof StartFailure;

export const restoreCommand: Command = {
  name: 'restore',
  summary: 'Creates a data folder or a store from a snapshot or a dump, without starting a server',
  usage: 'FILE --db-path DIR | STORE [--snapshot NAME] [--db-path DIR | --store STORE]',
  arguments: [1, 1],
  asksServer: false,
  options: {
    'db-path DIR': 'the new data folder',
    'store STORE': 'the new store, for a snapshot of a store: s3://bucket/prefix without objects',
    'snapshot NAME': 'a snapshot of a store (default: the newest)',
  },
  async run(call) {
    const [source = ''] = call.arguments;
    const folder = textOption(call.options, 'db-path');
    const store = textOption(call.options, 'store');
    const snapshot = textOption(call.options, 'snapshot');
    if (isStoreUrl(source)) return restoreStore(call, source, { folder, store, snapshot });
    if (folder === null || store !== null || snapshot !== null) throw wrongUsage(restoreCommand);
    await restoreFile(call, source, folder);
  },
};

interface StoreOptions {
  readonly folder: string | null;
  readonly store: string | null;
  readonly snapshot: string | null;
}

/** Without a target, lists the snapshots. */
async function restoreStore(
  call: CommandCall,
  from: string,
  { folder, store, snapshot }: StoreOptions,
): Promise<void> {
  const to = folder ?? store;
  if (to === null) return listSnapshots(call, from);
  if (folder !== null && store !== null)
    throw new CommandFailure('give either --db-path or --store', EXIT.usage);
  if (store !== null && !isStoreUrl(store))
    throw new CommandFailure(`--store takes a URL, not \`${store}\``, EXIT.usage);
  await runCopy(call, { from, to, snapshot: snapshot ?? 'newest' });
  const option = store === null ? `--db-path ${to}` : `--store '${to}' --db-path NEW_FOLDER`;
  call.terminal.print(`${to} is ready: gannet serve ${option}`);
}

async function listSnapshots({ terminal, env }: CommandCall, url: string): Promise<void> {
  const objects = openObjectStore(url, { env, nowMs: Date.now, random: Math.random });
  try {
    const names = await snapshotNames(objects);
    for (const name of names) {
      const found = await readSnapshot(objects, name).catch((error: unknown) => {
        if (!(error instanceof DamagedObject)) throw error;
        terminal.note(`snapshot ${name} is damaged: ${error.message}`);
        return null;
      });
      if (found === null) continue;
      const { createdAt, rows } = found;
      const bytes = found.objects.reduce((sum, object) => sum + object.bytes, rows.bytes);
      const files = found.objects.length;
      terminal.print(`${name}  ${humanSize(bytes)} in ${counted(files, 'file')}`);
      terminal.json({ name, createdAt, bytes, files, entries: rows.count });
    }
    if (names.length === 0) terminal.note(`${url} has no snapshots`);
  } catch (error) {
    throw error instanceof ObjectStoreError ? new CommandFailure(error.message) : error;
  } finally {
    objects.close();
  }
}

async function restoreFile(
  { terminal, env }: CommandCall,
  file: string,
  folder: string,
): Promise<void> {
  const kind = file.endsWith('.dump') ? 'dump' : 'snapshot';
  const args = [`--import-${kind}`, file, '--db-path', folder];
  const config = loadConfig({ args, env, cwd: process.cwd() });
  try {
    checkDataFolder(config.dbPath);
    const log = createLogger({ level: config.logLevel, mode: config.logsMode, name: 'restore' });
    importSource(config, log, { namesOptions: false });
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
}

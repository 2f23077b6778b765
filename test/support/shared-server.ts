/**
 * A server that the files of a worker share, because the start of one takes one to two seconds of
 * processor time. It has a master key, may send requests to this machine and records searches; all else
 * is as by default. A file names its indexes with `freshUid`, leaves alone what it has not made, and
 * turns off the features that it turned on; a file that needs names or lists of its own takes
 * `emptiedServer`. A file that restarts its server starts one of its own.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NO_FEATURES } from '../../src/model/features.ts';
import { TestServer } from './test-server.ts';

export const MASTER_KEY = 'a-master-key-of-many-tests';
const DEFAULT_KEYS = 4;

/** Flags of a server that may send requests to this machine. */
export const LOCAL_TARGETS = ['--experimental-allowed-ip-networks', '127.0.0.0/8'];

/** Ends with the worker; no file stops it. */
export type SharedServer = Pick<
  TestServer,
  'call' | 'client' | 'dbPath' | 'port' | 'stderr' | 'stdout' | 'url'
>;

/** Removed with the folder of the run. */
const folder = mkdtempSync(join(tmpdir(), 'gannet-shared-'));
/** Where the server writes dumps and snapshots. */
export const SHARED_BACKUPS = join(folder, 'backups');
/** Where it looks for local models. */
export const SHARED_MODELS = join(folder, 'models');
const FLAGS = [
  ...[...LOCAL_TARGETS, '--search-analytics', '--model-dir', SHARED_MODELS],
  ...['--dump-dir', SHARED_BACKUPS, '--snapshot-dir', SHARED_BACKUPS],
];

let shared: Promise<TestServer> | null = null;
let uidCount = 0;

export function sharedServer(): Promise<SharedServer> {
  shared ??= TestServer.start({
    masterKey: MASTER_KEY,
    flags: FLAGS,
    isShared: true,
    dbPath: join(folder, 'data'),
  });
  return shared;
}

/** The shared server without what earlier files have made: indexes, tasks, API keys, features. */
export async function emptiedServer(): Promise<SharedServer> {
  const server = await sharedServer();
  const { client } = server;
  await client.updateExperimentalFeatures(NO_FEATURES);
  const keys = await client.getKeys({ limit: 1000 });
  // The newest are first.
  for (const { uid } of keys.results.slice(0, -DEFAULT_KEYS)) await client.deleteKey(uid);
  const { results } = await client.getRawIndexes({ limit: 1000 });
  const deletions = await Promise.all(results.map(({ uid }) => client.deleteIndex(uid)));
  await client.tasks.waitForTasks(deletions);
  await client.tasks.deleteTasks({ statuses: ['succeeded', 'failed', 'canceled'] }).waitTask();
  return server;
}

/** The uid of an index that no other file of this worker names. */
export function freshUid(name: string): string {
  uidCount += 1;
  return `${name}-${uidCount}`;
}

/**
 * A server that the files of a worker share, because the start of one takes one to two seconds of
 * processor time. It has a master key and may send requests to this machine; all else is as by
 * default. A file names its indexes with `freshUid`, leaves alone what it has not made, and turns off
 * the features that it turned on. A file that restarts its server, or reads lists of the whole
 * server, starts one of its own.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestServer } from './test-server.ts';

export const MASTER_KEY = 'a-master-key-of-many-tests';

/** Flags of a server that may send requests to this machine. */
export const LOCAL_TARGETS = ['--experimental-allowed-ip-networks', '127.0.0.0/8'];

/** Ends with the worker; no file stops it. */
export type SharedServer = Pick<TestServer, 'call' | 'client' | 'dbPath' | 'port' | 'url'>;

let shared: Promise<TestServer> | null = null;
let uidCount = 0;

export function sharedServer(): Promise<SharedServer> {
  shared ??= TestServer.start({
    masterKey: MASTER_KEY,
    flags: LOCAL_TARGETS,
    isShared: true,
    // Removed with the folder of the run.
    dbPath: join(mkdtempSync(join(tmpdir(), 'gannet-shared-')), 'data'),
  });
  return shared;
}

/** The uid of an index that no other file of this worker names. */
export function freshUid(name: string): string {
  uidCount += 1;
  return `${name}-${uidCount}`;
}

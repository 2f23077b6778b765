/** `gannet doctor`: what is wrong with this host, configuration and data folder. Changes nothing. */
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { createServer, isIPv6 } from 'node:net';
import { dirname } from 'node:path';
import { ConfigError } from '../../../config/config-error.ts';
import { type Config, loadConfig } from '../../../config/load.ts';
import { unknownVariables } from '../../../config/unknown-variables.ts';
import { humanSize } from '../../core/human-size.ts';
import { checkDataFolder, DataFolderRefused } from '../../storage/data-folder/data-folder-check.ts';
import { ObjectStoreError } from '../../storage/object-store/object-store.ts';
import { openObjectStore } from '../../storage/object-store/open-store.ts';
import { probeStore } from '../../storage/object-store/probe.ts';
import { type Command, type CommandCall, textOption } from '../command.ts';
import { EXIT } from '../command-failure.ts';

interface Finding {
  readonly about: string;
  readonly state: 'ok' | 'warning' | 'error';
  readonly message: string;
}

const NODE_MAJORS = [20, 22, 24];
const FREE_BYTES_MIN = 1024 ** 3;
const FREE_SHARE_MIN = 0.1;
const OPEN_FILES_MIN = 4096;
/** Numbers by which Linux tells file systems of other machines. */
const REMOTE_FILE_SYSTEMS = new Map([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x65735546, 'FUSE'],
]);

type Judged = (about: string, message: string) => Finding;

const ok: Judged = (about, message) => ({ about, state: 'ok', message });
const warning: Judged = (about, message) => ({ about, state: 'warning', message });
const fault: Judged = (about, message) => ({ about, state: 'error', message });

function nodeFinding(): Finding {
  const { version, versions } = process;
  const isTested = NODE_MAJORS.includes(Number(versions.node.split('.')[0]));
  return isTested
    ? ok('Node', version)
    : warning('Node', `${version}; tested versions are ${NODE_MAJORS.join(', ')}`);
}

function openFilesFinding(): Finding | null {
  const match = /^Max open files\s+(\d+)/m.exec(textOf('/proc/self/limits') ?? '');
  if (match === null) return null;
  const limit = Number(match[1]);
  return limit >= OPEN_FILES_MIN
    ? ok('open files', `up to ${limit}`)
    : warning('open files', `only ${limit} are allowed; run \`ulimit -n ${OPEN_FILES_MIN}\``);
}

function memoryFinding({ maxIndexingMemory: most }: Config): Finding | null {
  const limit = Number(textOf('/sys/fs/cgroup/memory.max'));
  if (!Number.isFinite(limit) || limit === 0) return null;
  const size = humanSize(limit);
  if (most < limit / 2) return ok('memory', `${size} for this cgroup`);
  return warning(
    'memory',
    `--max-indexing-memory ${humanSize(most)} is more than half of the ${size} limit of this cgroup`,
  );
}

function folderFindings({ dbPath }: Config): Finding[] {
  try {
    checkDataFolder(dbPath);
  } catch (error) {
    if (!(error instanceof DataFolderRefused)) throw error;
    return [fault('data folder', error.message)];
  }
  return [ok('data folder', dbPath), ...diskFindings(nearestExisting(dbPath))];
}

function diskFindings(folder: string): Finding[] {
  const { bavail, bsize, blocks, type } = statfsSync(folder);
  const free = bavail * bsize;
  const isShort = free < FREE_BYTES_MIN || bavail < blocks * FREE_SHARE_MIN;
  const disk = `${humanSize(free)} of ${humanSize(blocks * bsize)} free`;
  const found = [isShort ? warning('disk', disk) : ok('disk', disk)];
  const remote = REMOTE_FILE_SYSTEMS.get(type);
  if (remote !== undefined)
    found.push(
      warning('file system', `${remote}: network file systems can be slow, and locks may not work`),
    );
  return found;
}

/** Whether the address can be listened at, or this server answers there already. */
async function addressFinding({ http: { host, port } }: Config): Promise<Finding> {
  const code = await new Promise<string | null>((resolve) => {
    const server = createServer()
      .once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
      .listen(port, host, () => server.close(() => resolve(null)));
  });
  if (code === null) return ok('address', `${host}:${port} is free`);
  if (code !== 'EADDRINUSE') return fault('address', `${host}:${port} cannot be bound: ${code}`);
  return (await answersHealth(host, port))
    ? ok('address', `a server answers at ${host}:${port}`)
    : fault('address', `${host}:${port} is taken by another program`);
}

async function answersHealth(host: string, port: number): Promise<boolean> {
  const name = isIPv6(host) ? `[${host}]` : host;
  try {
    const response = await fetch(`http://${name}:${port}/health`, {
      signal: AbortSignal.timeout(2000),
    });
    return response.ok && 'status' in ((await response.json()) as object);
  } catch {
    return false;
  }
}

function configOf({ env, options }: CommandCall): Config | Finding {
  const file = textOption(options, 'config-file-path');
  const folder = textOption(options, 'db-path');
  const args = [
    ...(file === null ? [] : ['--config-file-path', file]),
    ...(folder === null ? [] : ['--db-path', folder]),
  ];
  try {
    return loadConfig({ args, env, cwd: process.cwd() });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return fault('configuration', error.message);
  }
}

async function examine(call: CommandCall): Promise<Finding[]> {
  const config = configOf(call);
  const variables = unknownVariables(call.env).map((message) => warning('environment', message));
  const found: (Finding | null)[] = [nodeFinding(), openFilesFinding(), ...variables];
  if ('state' in config) found.push(config);
  else
    found.push(
      ok('configuration', config.configFile ?? 'no config file'),
      memoryFinding(config),
      ...folderFindings(config),
      await addressFinding(config),
    );
  return found.filter((finding) => finding !== null);
}

/** Milliseconds until a call of the store fails, retries included. */
const STORE_CALL_MS = 20_000;

/** What the object store promises, and what it does. */
async function examineStore(
  url: string,
  { env }: CommandCall,
  onFinding: (finding: Finding) => void,
): Promise<void> {
  const open = (aheadMs: number) =>
    openObjectStore(url, {
      env,
      nowMs: () => Date.now() + aheadMs,
      random: Math.random,
      callMs: STORE_CALL_MS,
    });
  const run = `gannet-probe-${randomUUID()}`;
  try {
    await probeStore({ open, run, bytes: randomBytes }, ({ promise, failure }) => {
      onFinding(failure === null ? ok(promise, 'kept') : fault(promise, failure));
    });
  } catch (error) {
    if (!(error instanceof ObjectStoreError)) throw error;
    onFinding(fault('store', error.message));
  }
}

const textOf = (path: string): string | null =>
  existsSync(path) ? readFileSync(path, 'utf8').trim() : null;

const nearestExisting = (path: string): string =>
  existsSync(path) ? path : nearestExisting(dirname(path));

const MARKS = { ok: 'ok   ', warning: 'WARN ', error: 'ERROR' } as const;

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Checks this host, its configuration and the data folder, or an object store',
  usage: '[--db-path DIR | --store URL]',
  arguments: [0, 0],
  asksServer: false,
  options: {
    'db-path DIR': "data folder (default: the server's default)",
    'config-file-path FILE': 'config file',
    'store URL': 'checks only this object store: s3://bucket/prefix or file:///path',
  },
  async run(call) {
    let isWrong = false;
    const show = (finding: Finding): void => {
      isWrong ||= finding.state === 'error';
      call.terminal.print(`${MARKS[finding.state]} ${finding.about}: ${finding.message}`);
      call.terminal.json(finding);
    };
    const store = textOption(call.options, 'store');
    if (store === null) for (const finding of await examine(call)) show(finding);
    else await examineStore(store, call, show);
    return isWrong ? EXIT.failed : EXIT.done;
  },
};

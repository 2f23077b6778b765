/**
 * Start here: reads the configuration, then supervises the indexer and the front, or runs one of
 * the two roles in this process.
 */
import { randomBytes } from 'node:crypto';
import { ConfigError } from '../config/config-error.ts';
import { helpText } from '../config/help.ts';
import { configFor, type Reader, toInherited, withheldVariables } from '../config/inherited.ts';
import { type Config, loadConfig } from '../config/load.ts';
import { unknownVariables } from '../config/unknown-variables.ts';
import { packageVersion } from '../config/version.ts';
import { createLogger, type ProcessLogger } from './observability/logger.ts';
import { banner, bannerLine } from './runtime/banner.ts';
import {
  hostRole,
  type RunningRole,
  STOP_GRACE_MS,
  type StartSignals,
} from './runtime/host-role.ts';
import { CONFIG_VARIABLE, type RoleInfo } from './runtime/lifecycle-protocol.ts';
import { OneOffProcess } from './runtime/one-off-process.ts';
import { type ChildSpec, ProcessManager } from './runtime/process-manager.ts';
import { StartFailure } from './runtime/start-failure.ts';
import { workerUrls } from './runtime/worker-urls.ts';
import { createDataFolder } from './storage/data-folder/data-folder.ts';
import {
  checkDataFolder,
  DataFolderRefused,
  isOlder,
} from './storage/data-folder/data-folder-check.ts';
import { importSource } from './storage/data-folder/import-source.ts';
import { checkStoreNote } from './storage/data-folder/notes.ts';
import { ObjectStoreError } from './storage/object-store/object-store.ts';
import { slateDbVariables } from './storage/object-store/slatedb-place.ts';

/** New files below the data folder are for its owner alone; child processes inherit the umask. */
const OWNER_ONLY_UMASK = 0o077;

const EXIT_START_FAILED = 1;
const EXIT_BAD_CONFIG = 2;
/** A second Ctrl-C ends the process without waiting. */
const EXIT_INTERRUPTED = 130;
/** Milliseconds between the lines of the log about a shutdown that takes long. */
const WAIT_NOTE_MS = 3000;
/** Milliseconds after its own time limit at which a child is killed. */
const KILL_AFTER_MS = 2000;
/** A front does nothing long on its event loop. The indexer may: it has no limit. */
const FRONT_HANG_MS = 60_000;

function printBanner(config: Config, info: RoleInfo): void {
  const facts = {
    version: packageVersion(),
    role: config.role,
    url: info['url'] === undefined ? null : String(info['url']),
    dbPath: config.dbPath,
    configFile: config.configFile,
    env: config.env,
    queryThreads: config.queryThreads,
    indexingThreads: config.maxIndexingThreads,
    indexerAddress: config.indexerAddress,
    masterKeyBytes: config.masterKey === null ? null : Buffer.byteLength(config.masterKey),
    suggestedKey: randomBytes(32).toString('base64url'),
  };
  const isJson = config.logsMode === 'JSON';
  const text = isJson ? bannerLine(facts, new Date().toISOString()) : banner(facts);
  process.stdout.write(`${text}\n`);
}

const inheritedBy = (reader: Reader, config: Config) => ({
  ...withheldVariables(process.env),
  [CONFIG_VARIABLE]: toInherited(config, reader),
});

function childSpecs(config: Config): ChildSpec[] {
  return [
    {
      name: 'indexer',
      entry: workerUrls.indexer,
      env: {
        ...inheritedBy('indexer', config),
        ...(config.store !== null && slateDbVariables(config.store, process.env)),
      },
      stopGraceMs: STOP_GRACE_MS.indexer + KILL_AFTER_MS,
    },
    {
      name: 'front',
      entry: workerUrls.front,
      env: inheritedBy('front', config),
      servesAfter: 'indexer',
      stopGraceMs: STOP_GRACE_MS.front + KILL_AFTER_MS,
      hangMs: FRONT_HANG_MS,
    },
  ];
}

async function supervise(config: Config, log: ProcessLogger): Promise<void> {
  process.title = 'gannet supervisor';
  let isAnnounced = false;
  const processes = new ProcessManager({
    children: childSpecs(config),
    log,
    onReady: (name, info) => {
      log.debug(`${name} is ready`);
      if (name !== 'front' || isAnnounced) return;
      isAnnounced = true;
      printBanner(config, info);
    },
    onFenced:
      config.role === 'writer'
        ? () => {
            process.stderr.write(
              `gannet: another server has opened ${config.store} for writing; this one stops, so that it cannot answer for a state that has moved on\n`,
            );
            void processes.stop().finally(() => process.exit(EXIT_START_FAILED));
          }
        : undefined,
  });
  let isStopping = false;
  const onSignal = async (signal: NodeJS.Signals): Promise<void> => {
    if (isStopping && signal === 'SIGINT') {
      processes.kill();
      process.exit(EXIT_INTERRUPTED);
    }
    if (isStopping) return;
    isStopping = true;
    log.info(`stopping${signal === 'SIGINT' ? '; press Ctrl+C again to end at once' : ''}`);
    setInterval(() => {
      log.info(`waiting for the processes to end: ${processes.running.join(', ')}`);
    }, WAIT_NOTE_MS).unref();
    await processes.stop();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => void onSignal(signal));
  if (config.sslCertPath !== null) process.on('SIGHUP', () => processes.signal('front', 'SIGHUP'));
  try {
    await processes.start();
  } catch (error) {
    if (!(error instanceof StartFailure)) throw error;
    process.stderr.write(`gannet: ${error.message}\n`);
    await processes.stop();
    process.exit(EXIT_START_FAILED);
  }
}

/** Runs an import or upgrade of the data folder in its own process, before all other processes. */
async function runFirst(name: 'import' | 'upgrade', config: Config): Promise<void> {
  const entry = { import: workerUrls.restore, upgrade: workerUrls.upgrade }[name];
  const first = new OneOffProcess({
    name,
    entry,
    env: inheritedBy('indexer', config),
  });
  const interrupt = (): void => {
    first.kill();
    process.exit(EXIT_INTERRUPTED);
  };
  const signals = ['SIGTERM', 'SIGINT'] as const;
  for (const signal of signals) process.once(signal, interrupt);
  await first.ended;
  for (const signal of signals) process.off(signal, interrupt);
}

/** Prepares the data folder: imports a backup, upgrades it, or uses it unchanged. */
async function prepareFolder(config: Config, log: ProcessLogger): Promise<void> {
  const { dbPath, role, upgradeDb } = config;
  const ownsFolder = role !== 'front';
  checkStoreNote(dbPath, config.store);
  checkDataFolder(dbPath, { mayBeOlder: upgradeDb && ownsFolder });
  if (ownsFolder && importSource(config, log) !== null) return runFirst('import', config);
  createDataFolder(dbPath);
  if (ownsFolder && isOlder(dbPath)) await runFirst('upgrade', config);
}

/** A role in this process, without a supervisor. */
type LoneRole = 'front' | 'indexer';

const isAlone = (config: Config): config is Config & { readonly role: LoneRole } =>
  config.role === 'front' || config.role === 'indexer';

async function runAlone(config: Config, role: LoneRole, log: ProcessLogger): Promise<void> {
  const entry = (await import(workerUrls[role].href)) as {
    default: (config: Config, log: ProcessLogger, signals: StartSignals) => Promise<RunningRole>;
  };
  await hostRole({
    name: role,
    log,
    start: (signals) => entry.default(configFor(config, role), log, signals),
    onReady: (info) => printBanner(config, info),
    stopGraceMs: STOP_GRACE_MS[role],
  });
}

/**
 * Without TLS a SIGHUP has nothing to reload. `systemctl reload` must not end the process, but a
 * closed terminal must.
 */
function outliveReload({ role, sslCertPath }: Config, log: ProcessLogger): void {
  const isReloadable = sslCertPath !== null && role !== 'indexer';
  if (isReloadable || process.stdout.isTTY) return;
  process.on('SIGHUP', () => log.info('SIGHUP: there are no TLS files to reload'));
}

async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(helpText());
    return;
  }
  if (args.includes('--version')) {
    process.stdout.write(`${packageVersion()}\n`);
    return;
  }
  const config = loadConfig({ args, env: process.env, cwd: process.cwd() });
  process.umask(OWNER_ONLY_UMASK);
  const log = createLogger({
    level: config.logLevel,
    mode: config.logsMode,
    name: isAlone(config) ? config.role : 'supervisor',
  });
  for (const warning of unknownVariables(process.env)) log.warn(warning);
  outliveReload(config, log);
  await prepareFolder(config, log);
  if (isAlone(config)) await runAlone(config, config.role, log);
  else await supervise(config, log);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  const isExpected =
    error instanceof ConfigError ||
    error instanceof DataFolderRefused ||
    error instanceof ObjectStoreError ||
    error instanceof StartFailure;
  if (!isExpected) throw error;
  process.stderr.write(`gannet: ${error.message}\n`);
  process.exitCode = error instanceof ConfigError ? EXIT_BAD_CONFIG : EXIT_START_FAILED;
}

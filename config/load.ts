/**
 * Start here: loads the launch configuration from flags, environment, config.toml and defaults, in
 * this order of precedence; frozen and validated.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import convict from 'convict';
import { parse as parseToml } from 'smol-toml';
import { whyAbsent } from './absent-options.ts';
import { ConfigError } from './config-error.ts';
import { parseFlags } from './flags.ts';
import { parseAddress } from './formats.ts';
import { didYouMean } from './nearest.ts';
import { type RawOptions, schema } from './option-table.ts';
import type { OptionSpec } from './options/option.ts';

/** The configuration of all processes. Paths are absolute, sizes in bytes. */
export interface Config
  extends Omit<
    RawOptions,
    | 'configFilePath'
    | 'masterKeyFile'
    | 'httpAddr'
    | 'indexerAddr'
    | 'dropSearchAfter'
    | 'limitBatchedTasksTotalSize'
    | 'reduceIndexingMemoryUsage'
    | 'modelDir'
  > {
  readonly http: { readonly host: string; readonly port: number };
  readonly modelDir: string;
  /** Path of a unix socket, or `host:port`. */
  readonly indexerAddress: string;
  readonly dropSearchAfterMs: number;
  readonly limitBatchedTasksTotalBytes: number;
  /** Options that were set by any source. */
  readonly givenOptions: readonly Key[];
  /** Path of the config file, for the banner. */
  readonly configFile: string | null;
}

export interface Launch {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Base folder of relative paths. */
  readonly cwd: string;
}

type Key = keyof RawOptions;
/** A value as given, and the name of its source for messages. */
interface Given {
  readonly value: unknown;
  readonly source: string;
}
type Layer = Map<Key, Given>;

/** Formats that accept `true` and `false` in addition to their own values. */
const SWITCHABLE = new Set<unknown>(['interval', 'share']);

const KEYS = Object.keys(schema) as Key[];
const keyByFileKey = new Map(KEYS.map((key) => [schema[key].arg.replaceAll('-', '_'), key]));
keyByFileKey.delete('config_file_path');

/** Longest unix socket path that every platform accepts, with a margin. */
const SOCKET_PATH_BYTES_MAX = 100;
const BATCH_BYTES_MAX = 10 * 1024 ** 3;
const SECRET_BYTES_MIN = 16;
const REDUCED_INDEXING_BYTES_MIN = 256 * 1024 ** 2;

function readFlags(args: readonly string[]): Layer {
  const layer: Layer = new Map();
  for (const { key, name, value } of parseFlags(args)) {
    if (layer.has(key)) throw new ConfigError(`option \`--${name}\` is given twice`);
    layer.set(key, { value, source: `option \`--${name}\`` });
  }
  return layer;
}

/** `NODE_ENV` sets the environment unless another source does. */
function impliedByNode(env: Launch['env']): Layer {
  const given = { value: 'production', source: 'environment variable `NODE_ENV`' };
  return new Map(env['NODE_ENV'] === 'production' ? [['env', given]] : []);
}

function readEnvironment(env: Launch['env']): Layer {
  const layer: Layer = new Map();
  for (const key of KEYS) {
    const { env: own, commonEnv }: OptionSpec<unknown> = schema[key];
    const common =
      commonEnv === undefined ? [] : Object.keys(env).filter((name) => commonEnv.test(name));
    const name = [own, ...common.sort()].find((candidate) => (env[candidate] ?? '') !== '');
    if (name !== undefined)
      layer.set(key, { value: env[name], source: `environment variable \`${name}\`` });
  }
  return layer;
}

/** Keys of config.toml: option names in snake_case, one flat table. */
export function parseFile(text: string, path: string): Layer {
  let table: Record<string, unknown>;
  try {
    table = parseToml(text);
  } catch (cause) {
    const [reason] = (cause as Error).message.split('\n');
    throw new ConfigError(`config file ${path} is not valid TOML: ${reason}`, { cause });
  }
  const layer: Layer = new Map();
  for (const [name, value] of Object.entries(table)) {
    const key = keyByFileKey.get(name);
    if (key === undefined) {
      const reason = whyAbsent(name);
      if (reason !== null)
        throw new ConfigError(`key \`${name}\` in config file ${path} is not supported: ${reason}`);
      throw new ConfigError(
        `unknown key \`${name}\` in config file ${path}${didYouMean(name, keyByFileKey.keys())}`,
      );
    }
    // Only strings are converted.
    const isSwitch = SWITCHABLE.has(schema[key].format) && typeof value === 'boolean';
    const given = isSwitch ? String(value) : value;
    layer.set(key, { value: given, source: `key \`${name}\` in config file ${path}` });
  }
  return layer;
}

function readFileLayer(
  launch: Launch,
  named: Given | undefined,
): { layer: Layer; path: string | null } {
  const path = resolve(launch.cwd, named === undefined ? 'config.toml' : String(named.value));
  if (!existsSync(path)) {
    if (named === undefined) return { layer: new Map(), path: null };
    throw new ConfigError(`config file ${path} does not exist (${named.source})`);
  }
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new ConfigError(`config file ${path} cannot be read: ${(cause as Error).message}`, {
      cause,
    });
  }
  return { layer: parseFile(text, path), path };
}

/** The allowed values, and the given value unless it is secret. */
function refusalOf(key: Key, value: unknown, { message }: Error): string {
  const allowed = message.replace(/^\w+: /, '').replace(/: value was .*$/s, '');
  const { sensitive }: OptionSpec<unknown> = schema[key];
  return sensitive === true ? allowed : `${allowed}: value was ${JSON.stringify(value)}`;
}

/**
 * Applies the layers from weakest to strongest and validates each value while its source is known.
 */
function applyLayers(layers: readonly Layer[]): RawOptions {
  const options = convict<RawOptions>(schema as unknown as convict.Schema<RawOptions>, {
    env: {},
    args: [],
  });
  for (const layer of layers) {
    for (const [key, { value, source }] of layer) {
      options.set(key as string, value);
      try {
        options.validate({ allowed: 'strict' });
      } catch (cause) {
        throw new ConfigError(`${source}: ${refusalOf(key, value, cause as Error)}`, { cause });
      }
    }
  }
  return options.getProperties();
}

/**
 * A socket in the data folder, or in the folder for temporary files when that path would be too
 * long.
 */
function defaultIndexerAddress(dbPath: string): string {
  const inside = join(dbPath, 'indexer.sock');
  if (Buffer.byteLength(inside) <= SOCKET_PATH_BYTES_MAX) return inside;
  const digest = createHash('sha256').update(dbPath).digest('hex').slice(0, 16);
  return join(tmpdir(), `gannet-${digest}.sock`);
}

function resolveIndexerAddress(given: string | null, dbPath: string, cwd: string): string {
  if (given === null) return defaultIndexerAddress(dbPath);
  if (parseAddress(given) !== null) return given;
  const path = resolve(cwd, given);
  if (Buffer.byteLength(path) > SOCKET_PATH_BYTES_MAX) {
    throw new ConfigError(
      `option \`--indexer-addr\`: a socket path has at most ${SOCKET_PATH_BYTES_MAX} bytes: ${path}`,
    );
  }
  return path;
}

/** Surrounding white space, such as the final line end, is not part of the key. */
function readMasterKey({ masterKey, masterKeyFile }: RawOptions, cwd: string): string | null {
  if (masterKeyFile === null) return masterKey;
  if (masterKey !== null)
    throw new ConfigError('give either `--master-key` or `--master-key-file`, not both');
  const path = resolve(cwd, masterKeyFile);
  let key: string;
  try {
    key = readFileSync(path, 'utf8').trim();
  } catch (cause) {
    throw new ConfigError(`option \`--master-key-file\`: ${(cause as Error).message}`, { cause });
  }
  if (key === '') throw new ConfigError(`option \`--master-key-file\`: ${path} has no key`);
  return key;
}

/** The indexer accepts only fronts, which authenticate with a separate secret. */
function checkMasterKey(raw: RawOptions): void {
  const { env, role, masterKey, formerMasterKey, oidcIssuer } = raw;
  // Without a master key every request is allowed, so a token would restrict nothing.
  const restricting = { 'master-key-previous': formerMasterKey, 'oidc-issuer': oidcIssuer };
  for (const [option, value] of Object.entries(restricting))
    if (value !== null && masterKey === null && role !== 'indexer')
      throw new ConfigError(
        `option \`--${option}\` needs \`--master-key\` or \`--master-key-file\``,
      );
  if (env !== 'production' || role === 'indexer') return;
  if (masterKey === null) {
    throw new ConfigError(
      'a master key is required in production: set `--master-key-file`, `--master-key` or `SVC_MASTER_KEY` (`openssl rand -hex 32` generates one), or start with `--env development`',
    );
  }
  if (Buffer.byteLength(masterKey) < SECRET_BYTES_MIN) {
    throw new ConfigError(
      `the master key must have at least ${SECRET_BYTES_MIN} bytes in production (\`openssl rand -hex 32\` generates one)`,
    );
  }
}

function checkIndexerSecret({ indexerAddr, indexerSecret }: RawOptions): void {
  if (indexerSecret !== null && Buffer.byteLength(indexerSecret) < SECRET_BYTES_MIN)
    throw new ConfigError(`the indexer secret must have at least ${SECRET_BYTES_MIN} bytes`);
  if (indexerSecret !== null || indexerAddr === null || parseAddress(indexerAddr) === null) return;
  throw new ConfigError(
    `option \`--indexer-addr\`: any client that reaches ${indexerAddr} could read and write everything: ` +
      'give fronts and indexer the same `--indexer-secret` or `SVC_INDEXER_SECRET`',
  );
}

function checkSources(raw: RawOptions): void {
  const isOfStore = raw.role === 'reader' || raw.role === 'writer';
  if (isOfStore && raw.store === null)
    throw new ConfigError(`option \`--role ${raw.role}\` needs \`--store\``);
  if (raw.store !== null && !isOfStore && raw.role !== 'all')
    throw new ConfigError('option `--store` needs `--role all`, `reader` or `writer`');
  if (raw.store !== null && raw.searchAnalytics)
    throw new ConfigError(
      'option `--store` excludes `--search-analytics`, which keeps its files in one data folder',
    );
  if (raw.importDump !== null && raw.importSnapshot !== null)
    throw new ConfigError('give either `--import-dump` or `--import-snapshot`, not both');
  if (raw.store !== null && (raw.importDump ?? raw.importSnapshot) !== null)
    throw new ConfigError(
      'option `--store` excludes `--import-dump` and `--import-snapshot`: send documents, or `gannet migrate` from another server',
    );
}

const TLS_PATHS = ['sslCertPath', 'sslKeyPath', 'sslAuthPath', 'sslOcspPath'] as const;
const TLS_FLAGS = ['sslRequireAuth', 'sslResumption', 'sslTickets'] as const;
const PATHS = [...TLS_PATHS, 'oidcRolesFile', 'importDump', 'importSnapshot'] as const;

/** Options that have no effect, or an unsafe one, without another one. */
const NEEDED: readonly (readonly [option: Key, needed: Key])[] = [
  ['ignoreMissingDump', 'importDump'],
  ['ignoreDumpIfDbExists', 'importDump'],
  ['ignoreMissingSnapshot', 'importSnapshot'],
  ['ignoreSnapshotIfDbExists', 'importSnapshot'],
  ['oidcAudience', 'oidcIssuer'],
  ['oidcRolesFile', 'oidcIssuer'],
  ['oidcIssuer', 'oidcAudience'],
  ['oidcIssuer', 'oidcRolesFile'],
  ...[...TLS_PATHS, ...TLS_FLAGS].flatMap((key) => [
    [key, 'sslCertPath'] as const,
    [key, 'sslKeyPath'] as const,
  ]),
  ['sslRequireAuth', 'sslAuthPath'],
];

function checkNeeded(raw: RawOptions): void {
  const isGiven = (key: Key) => raw[key] !== null && raw[key] !== false;
  for (const [option, needed] of NEEDED)
    if (isGiven(option) && !isGiven(needed))
      throw new ConfigError(`option \`--${schema[option].arg}\` needs \`--${schema[needed].arg}\``);
}

const absolutePaths = (raw: RawOptions, cwd: string) =>
  Object.fromEntries(
    PATHS.map((key) => [key, raw[key] === null ? null : resolve(cwd, raw[key])]),
  ) as Pick<RawOptions, (typeof PATHS)[number]>;

function indexingMemory({ maxIndexingMemory, reduceIndexingMemoryUsage }: RawOptions): number {
  if (!reduceIndexingMemoryUsage) return maxIndexingMemory;
  const quarter = Math.floor(maxIndexingMemory / 4);
  return Math.min(maxIndexingMemory, Math.max(quarter, REDUCED_INDEXING_BYTES_MIN));
}

function derive(raw: RawOptions, cwd: string): Omit<Config, 'configFile' | 'givenOptions'> {
  const {
    configFilePath: _,
    masterKeyFile: _file,
    httpAddr,
    indexerAddr,
    dropSearchAfter,
    limitBatchedTasksTotalSize,
    reduceIndexingMemoryUsage: _reduce,
    ...rest
  } = raw;
  const http = parseAddress(httpAddr);
  if (http === null)
    throw new ConfigError(`option \`--http-addr\`: \`${httpAddr}\` is not an address`);
  const dbPath = resolve(cwd, raw.dbPath);
  const maxIndexingMemory = indexingMemory(raw);
  return {
    ...rest,
    ...absolutePaths(raw, cwd),
    dbPath,
    maxIndexingMemory,
    dumpDir: resolve(cwd, raw.dumpDir),
    modelDir: raw.modelDir === null ? join(dbPath, 'models') : resolve(cwd, raw.modelDir),
    snapshotDir: resolve(cwd, raw.snapshotDir),
    http: Object.freeze(http),
    indexerAddress: resolveIndexerAddress(indexerAddr, dbPath, cwd),
    dropSearchAfterMs: dropSearchAfter * 1000,
    limitBatchedTasksTotalBytes:
      limitBatchedTasksTotalSize ?? Math.min(Math.floor(maxIndexingMemory / 2), BATCH_BYTES_MAX),
  };
}

/** Throws `ConfigError` when a value is unknown, out of range or contradictory. */
export function loadConfig(launch: Launch): Config {
  const flags = readFlags(launch.args);
  const environment = readEnvironment(launch.env);
  const named = flags.get('configFilePath') ?? environment.get('configFilePath');
  const file = readFileLayer(launch, named);
  const layers = [impliedByNode(launch.env), file.layer, environment, flags];
  const given = applyLayers(layers);
  const raw = { ...given, masterKey: readMasterKey(given, launch.cwd) };
  checkMasterKey(raw);
  checkIndexerSecret(raw);
  checkSources(raw);
  checkNeeded(raw);
  return Object.freeze({
    ...derive(raw, launch.cwd),
    configFile: file.path,
    givenOptions: [...new Set(layers.flatMap((layer) => [...layer.keys()]))],
  });
}

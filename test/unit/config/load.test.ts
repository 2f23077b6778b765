/**
 * Launch options: precedence of sources, forms of values, and one readable line for everything that
 * is wrong.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError } from '../../../config/config-error.ts';
import { helpText } from '../../../config/help.ts';
import { loadConfig } from '../../../config/load.ts';
import { schema } from '../../../config/option-table.ts';
import { unknownVariables } from '../../../config/unknown-variables.ts';
import { forcedFeatures, warningsOfFront } from '../../../workers/forced-features.ts';
import { SPECIFIED_OPTIONS } from '../../support/specified-options.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'gannet-config-'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

const load = (args: string[] = [], env: Record<string, string> = {}) =>
  loadConfig({ args, env, cwd });
const writeToml = (text: string, name = 'config.toml') => writeFileSync(join(cwd, name), text);

describe('sources', () => {
  it('has a default for every option', () => {
    const config = load();
    expect(config.http).toEqual({ host: 'localhost', port: 7700 });
    expect(config.dbPath).toBe(join(cwd, 'data.ms'));
    expect(config.indexerAddress).toBe(join(cwd, 'data.ms', 'indexer.sock'));
    expect(config.httpPayloadSizeLimit).toBe(100_000_000);
    expect(config.queryThreads).toBe(availableParallelism());
    expect(config).toMatchObject({
      env: 'development',
      masterKey: null,
      role: 'all',
      logLevel: 'INFO',
    });
    expect(config.configFile).toBeNull();
  });

  it('takes an empty environment variable for absent', () => {
    expect(load([], { SVC_MASTER_KEY: '' }).masterKey).toBeNull();
  });

  it('reads the variable of OpenAI, after its own', () => {
    const common = { OPENAI_API_KEY: 'common' };
    expect(load([], common).openAiApiKey).toBe('common');
    expect(load([], { ...common, SVC_OPENAI_API_KEY: 'own' }).openAiApiKey).toBe('own');
    expect(load([], { ...common, SVC_OPENAI_API_KEY: '' }).openAiApiKey).toBe('common');
  });

  it('reads the config file that a flag or a variable names', () => {
    writeToml('http_addr = "0.0.0.0:80"', 'other.toml');
    expect(load(['--config-file-path=other.toml']).http).toEqual({ host: '0.0.0.0', port: 80 });
    expect(load([], { SVC_CONFIG_FILE_PATH: 'other.toml' }).http.port).toBe(80);
  });

  it('gives a result that cannot be changed', () => {
    const config = load();
    expect(Object.isFrozen(config) && Object.isFrozen(config.http)).toBe(true);
  });
});

describe('values', () => {
  it('accepts `--flag value` and `--flag=value`, also with an equals sign in the value', () => {
    expect(load(['--db-path', 'a b', '--master-key=k=v==']).masterKey).toBe('k=v==');
    expect(load(['--db-path', 'a b']).dbPath).toBe(join(cwd, 'a b'));
    expect(load(['--master-key=--k']).masterKey).toBe('--k');
  });

  it('keeps a master key that looks like a number', () => {
    expect(load(['--master-key', '0123456789012345678']).masterKey).toBe('0123456789012345678');
  });

  it('accepts boolean flags alone and with a value', () => {
    expect(load(['--no-analytics']).noAnalytics).toBe(true);
    expect(load(['--no-analytics', '--env', 'development']).noAnalytics).toBe(true);
    expect(load(['--no-analytics=false']).noAnalytics).toBe(false);
    expect(load(['--no-analytics', 'false']).noAnalytics).toBe(false);
    writeToml('no_analytics = true');
    expect(load().noAnalytics).toBe(true);
  });

  it.each([
    ['100 MB', 100_000_000],
    ['24MiB', 24 * 1024 ** 2],
    ['1.5 GiB', 1.5 * 1024 ** 3],
    ['2kb', 2000],
    ['12345', 12_345],
  ])('reads the size %s', (text, bytes) => {
    expect(load(['--http-payload-size-limit', text]).httpPayloadSizeLimit).toBe(bytes);
  });

  it('reads sizes from the file as text and as bytes', () => {
    writeToml('http_payload_size_limit = "1 MB"\nmax_indexing_memory = 5000');
    expect(load()).toMatchObject({ httpPayloadSizeLimit: 1e6, maxIndexingMemory: 5000 });
  });

  it('derives the size limit of a batch from the indexing memory', () => {
    expect(load(['--max-indexing-memory', '2 GiB']).limitBatchedTasksTotalBytes).toBe(1024 ** 3);
    expect(load(['--max-indexing-memory', '90 GiB']).limitBatchedTasksTotalBytes).toBe(
      10 * 1024 ** 3,
    );
  });

  it('takes `unlimited` threads for all cores', () => {
    expect(load(['--max-indexing-threads', 'unlimited']).maxIndexingThreads).toBe(
      availableParallelism(),
    );
  });

  it('reads log levels in any case', () => {
    expect(load(['--log-level', 'warn']).logLevel).toBe('WARN');
  });

  it.each([
    ['[::1]:7700', { host: '::1', port: 7700 }],
    [':9000', { host: '0.0.0.0', port: 9000 }],
    ['search.local:0', { host: 'search.local', port: 0 }],
  ])('reads the address %s', (text, parts) => {
    expect(load(['--http-addr', text]).http).toEqual(parts);
  });

  it.each([
    ['10.0.0.0/8, ::1,fd00::/8', ['10.0.0.0/8', '::1', 'fd00::/8']],
    ['any', ['any']],
  ])('reads the networks %s', (text, networks) => {
    expect(load(['--experimental-allowed-ip-networks', text]).allowedIpNetworks).toEqual(networks);
  });

  it('reads what of documents without vectors does not fail their tasks', () => {
    const modesOf = (text: string) =>
      load(['--experimental-config-embedder-failure-modes', text]).embedderFailureModes;
    expect(modesOf('ignore_embedder_failures')).toEqual(['ignore_embedder_failures']);
    expect(() => modesOf('ignore_embedder_failures,ignore')).toThrow(
      'ignore_document_template_failures',
    );
  });

  it.each(['localhost', '10.0.0.0/33', '::1/129', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/8,', '*'])(
    'refuses the network %j',
    (text) => {
      expect(() => load(['--experimental-allowed-ip-networks', text])).toThrow(ConfigError);
    },
  );

  it('reads the webhook of the launch', () => {
    const url = 'https://example.com/hook?a=b';
    const header = 'Bearer secret';
    expect(
      load(['--task-webhook-url', url], { SVC_TASK_WEBHOOK_AUTHORIZATION_HEADER: header }),
    ).toMatchObject({ taskWebhookUrl: url, taskWebhookAuthorizationHeader: header });
  });

  it.each(['example.com', 'file:///etc', ''])('refuses the webhook %j', (url) => {
    expect(() => load(['--task-webhook-url', url])).toThrow(ConfigError);
  });

  it('reads the secret that its requests are signed with, and shows none that it refuses', () => {
    const secret = 'sixteen-or-more-characters';
    const flag = '--task-webhook-signing-secret';
    expect(load([flag, secret])).toMatchObject({ taskWebhookSigningSecret: secret });
    expect(() => load([flag, 'too-short'])).toThrow(
      /--task-webhook-signing-secret(?!.*too-short)/s,
    );
  });

  it('refuses a header that no request can carry, without showing it', () => {
    const given = ['--task-webhook-authorization-header', 'secret\r\nx: y'];
    expect(() => load(given)).toThrow(/--task-webhook-authorization-header(?!.*secret)/s);
  });

  it('moves the socket to the folder for temporary files when the data folder has a long path', () => {
    const config = load(['--db-path', 'd'.repeat(120)]);
    expect(Buffer.byteLength(config.indexerAddress)).toBeLessThan(100);
    expect(config.indexerAddress.startsWith(tmpdir())).toBe(true);
    expect(load(['--db-path', `e${'d'.repeat(119)}`]).indexerAddress).not.toBe(
      config.indexerAddress,
    );
  });

  it('takes an indexer address as path or host and port', () => {
    const secret = ['--indexer-secret', 'sixteen-bytes-ke'];
    expect(load(['--indexer-addr', 'indexer:7701', ...secret]).indexerAddress).toBe('indexer:7701');
    expect(load(['--indexer-addr', 'run/i.sock']).indexerAddress).toBe(join(cwd, 'run/i.sock'));
  });
});

describe('the interval of snapshots', () => {
  it.each<readonly [string[], number | null]>([
    [[], null],
    [['--schedule-snapshot'], 86_400],
    [['--schedule-snapshot', '--no-analytics'], 86_400],
    [['--schedule-snapshot', '60'], 60],
    [['--schedule-snapshot=false'], null],
  ])('of %j is %j', (args, seconds) => {
    expect(load(args).scheduleSnapshot).toBe(seconds);
  });

  it.each([
    ['true', 86_400],
    ['false', null],
    ['120', 120],
  ])('in a config file with %s is %j', (value, seconds) => {
    writeToml(`schedule_snapshot = ${value}`, 'schedule.toml');
    expect(load(['--config-file-path', 'schedule.toml']).scheduleSnapshot).toBe(seconds);
  });

  it('is refused when it is no number of seconds', () => {
    expect(() => load(['--schedule-snapshot', 'daily'])).toThrow(/--schedule-snapshot.*seconds/);
  });
});

describe('backups to begin with', () => {
  it('are one at most, and their flags need them', () => {
    const both = ['--import-dump', 'a', '--import-snapshot', 'b'];
    expect(() => load(both)).toThrow(/not both/);
    expect(() => load(['--ignore-missing-snapshot'])).toThrow(/needs `--import-snapshot`/);
    expect(() => load(['--ignore-dump-if-db-exists'])).toThrow(/needs `--import-dump`/);
  });
});

describe('what is wrong stops the launch with one line', () => {
  const message = (args: string[], env: Record<string, string> = {}): string => {
    try {
      load(args, env);
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      const text = (error as Error).message;
      expect(text).not.toContain('\n');
      return text;
    }
    throw new Error('nothing was wrong');
  };

  it('names an unknown option and the nearest known one', () => {
    expect(message(['--db-pth', 'x'])).toBe('unknown option `--db-pth`; did you mean `--db-path`?');
    expect(message(['--zzzzzzzzzzzzzzzzzzzzzzzzzzz'])).toBe(
      'unknown option `--zzzzzzzzzzzzzzzzzzzzzzzzzzz`',
    );
    expect(message(['--__proto__=1'])).toContain('unknown option `--__proto__`');
  });

  it('names an argument that is no option, and an option without its value', () => {
    expect(message(['data'])).toBe('unexpected argument `data`: options start with `--`');
    expect(message(['-d', 'data'])).toBe('unexpected argument `-d`: options start with `--`');
    expect(message(['--no-analytics', 'maybe'])).toContain('unexpected argument `maybe`');
    expect(message(['--db-path'])).toBe('option `--db-path` needs a value');
    expect(message(['--db-path', '--no-analytics'])).toBe('option `--db-path` needs a value');
    expect(message(['--db-path', 'a', '--db-path', 'b'])).toContain('is given twice');
  });

  it('names an unknown key of the file and the nearest known one', () => {
    writeToml('http_adr = "x"');
    expect(message([])).toBe(
      `unknown key \`http_adr\` in config file ${join(cwd, 'config.toml')}; did you mean \`http_addr\`?`,
    );
  });

  it('does not let a config file name another', () => {
    writeToml('config_file_path = "x"');
    expect(message([])).toContain('unknown key `config_file_path`');
  });

  it('reports a missing file that was named, and TOML that cannot be read', () => {
    expect(message(['--config-file-path', 'none.toml'])).toContain(
      'does not exist (option `--config-file-path`)',
    );
    writeToml('db_path = ');
    expect(message([])).toContain('is not valid TOML');
  });

  it.each([
    [
      ['--query-threads', '0'],
      'option `--query-threads`: must be a whole number, 1 or more, or `unlimited`',
    ],
    [
      ['--query-threads', '1.5'],
      'must be a whole number, 1 or more, or `unlimited`: value was "1.5"',
    ],
    [
      ['--http-payload-size-limit', '12 apples'],
      'must be a size such as `100 MB`, `24MiB` or bytes: value was "12 apples"',
    ],
    [
      ['--http-addr', 'nowhere'],
      'must be `host:port`, such as `localhost:7700`: value was "nowhere"',
    ],
    [['--http-addr', 'x:70000'], 'must be `host:port`'],
    [['--log-level', 'loud'], 'must be one of OFF, ERROR, WARN, INFO, DEBUG, TRACE'],
    [
      ['--env', 'test'],
      'option `--env`: must be one of the possible values: ["development","production"]',
    ],
    [['--no-analytics=maybe'], 'option `--no-analytics`: must be `true` or `false`'],
    [['--db-path'], 'option `--db-path` needs a value'],
    [['--db-path', '--env', 'production'], 'option `--db-path` needs a value'],
    [['--db-path', 'a', '--db-path=b'], 'option `--db-path` is given twice'],
    [['data.ms'], 'unexpected argument `data.ms`'],
    [['--indexer-addr', `/${'x'.repeat(200)}`], 'a socket path has at most 100 bytes'],
  ])('refuses %j', (args, expected) => {
    expect(message(args)).toContain(expected);
  });

  it('says which source a bad value came from', () => {
    expect(message([], { SVC_QUERY_THREADS: 'many' })).toContain(
      'environment variable `SVC_QUERY_THREADS`: must be',
    );
    writeToml('query_threads = "many"');
    expect(message([])).toContain('key `query_threads` in config file');
  });

  it('requires a master key of 16 bytes in production and never shows it', () => {
    expect(message(['--env', 'production'])).toContain('a master key is required in production');
    const short = message(['--env', 'production', '--master-key', 'short']);
    expect(short).toContain('at least 16 bytes');
    expect(short).not.toContain('`short`');
    expect(load(['--env', 'production', '--master-key', 'k'.repeat(16)]).masterKey).toHaveLength(
      16,
    );
  });
});

it('takes a former master key only with a new one', () => {
  const former = ['--master-key-previous', 'former'];
  expect(load(['--master-key', 'new', ...former]).formerMasterKey).toBe('former');
  expect(() => load(former)).toThrow('`--master-key-previous` needs `--master-key`');
});

describe('the file of the master key', () => {
  it('holds the key, without the white space around it', () => {
    writeFileSync(join(cwd, 'key'), '  a key of some length\n');
    expect(load(['--master-key-file', 'key']).masterKey).toBe('a key of some length');
    expect(load(['--env', 'production'], { SVC_MASTER_KEY_FILE: 'key' }).masterKey).toBe(
      'a key of some length',
    );
  });

  it('must be there, hold something, and be the only source', () => {
    expect(() => load(['--master-key-file', 'none'])).toThrow(/`--master-key-file`: ENOENT/);
    writeFileSync(join(cwd, 'key'), '\n');
    expect(() => load(['--master-key-file', 'key'])).toThrow('has no key');
    expect(() => load(['--master-key-file', 'key', '--master-key', 'x'])).toThrow('not both');
  });
});

describe('NODE_ENV=production', () => {
  const NODE_ENV = 'production';

  it('makes production the default, so that a key is needed', () => {
    expect(() => load([], { NODE_ENV })).toThrow(/a master key is required in production/);
    const key = 'x'.repeat(16);
    expect(load(['--master-key', key], { NODE_ENV }).env).toBe('production');
    expect(load([], { NODE_ENV: 'test' }).env).toBe('development');
  });

  it('yields to whatever else says the environment', () => {
    expect(load([], { NODE_ENV, SVC_ENV: 'development' }).env).toBe('development');
    writeToml('env = "development"');
    expect(load([], { NODE_ENV }).env).toBe('development');
  });

  it('asks no key of an indexer alone, which callers do not reach', () => {
    expect(load(['--role', 'indexer'], { NODE_ENV }).masterKey).toBeNull();
  });
});

describe('the options of TLS', () => {
  it('name files from where the server was started', () => {
    const { sslCertPath, sslKeyPath } = load([
      '--ssl-cert-path',
      'a.pem',
      '--ssl-key-path',
      '/b.key',
    ]);
    expect([sslCertPath, sslKeyPath]).toEqual([join(cwd, 'a.pem'), '/b.key']);
  });

  it.each([
    [['--ssl-cert-path', 'a'], /`--ssl-cert-path` needs `--ssl-key-path`/],
    [['--ssl-key-path', 'a'], /`--ssl-key-path` needs `--ssl-cert-path`/],
    [['--ssl-tickets'], /`--ssl-tickets` needs `--ssl-cert-path`/],
    [
      ['--ssl-cert-path', 'a', '--ssl-key-path', 'b', '--ssl-require-auth'],
      /`--ssl-require-auth` needs `--ssl-auth-path`/,
    ],
  ])('%o say what they need', (args, message) => {
    expect(() => load(args)).toThrow(message);
  });
});

describe('variables that are no options', () => {
  it('are each named, without their value, with the one that was meant', () => {
    expect(
      unknownVariables({
        SVC_MASTER_KYE: 'secret',
        MEILI_DB_PATH: '/data',
        SVC_ZZZZZZZZZZZZZZZZZZ: '1',
        SVC_DB_PATH: '/data',
        SVC_EMPTY: '',
        HOME: '/root',
        STORE_READER_PREFETCH_MEMORY: 'true',
        OPENAI_API_KEY: 'k',
      }),
    ).toEqual([
      'the environment variable `MEILI_DB_PATH` is not read; did you mean `SVC_DB_PATH`?',
      'the environment variable `SVC_MASTER_KYE` is not read; did you mean `SVC_MASTER_KEY`?',
      'the environment variable `SVC_ZZZZZZZZZZZZZZZZZZ` is not read',
    ]);
  });
});

describe('options that other servers of this API have', () => {
  it('are refused with the reason, as flag and as key', () => {
    const snapshots =
      /`--s3-bucket-url` is not supported: snapshots are written to `--snapshot-dir`/;
    expect(() => load(['--s3-bucket-url', 'http://s3'])).toThrow(snapshots);
    writeToml('experimental_no_snapshot_compaction = true');
    expect(() => load()).toThrow(/`experimental_no_snapshot_compaction`.* never compacted/);
  });

  it('are warned about with the reason, as variable of either name', () => {
    const name = 'EXPERIMENTAL_NO_SNAPSHOT_COMPACTION';
    for (const prefix of ['SVC_', 'MEILI_'])
      expect(unknownVariables({ [prefix + name]: 'k' })).toEqual([
        `the environment variable \`${prefix}${name}\` is not read: snapshots are never compacted; remove the option`,
      ]);
  });
});

describe('memory for indexing', () => {
  const MIB = 1024 ** 2;
  it.each([
    ['4GiB', 1024],
    ['512MiB', 256],
    ['100MiB', 100],
  ])('of %s is %i MiB when it is to be reduced', (given, mebibytes) => {
    const flags = ['--max-indexing-memory', given];
    const reduced = load([...flags, '--experimental-reduce-indexing-memory-usage']);
    expect(reduced.maxIndexingMemory).toBe(mebibytes * MIB);
    expect(reduced.limitBatchedTasksTotalBytes).toBe((mebibytes * MIB) / 2);
    expect(load(flags).maxIndexingMemory).toBeGreaterThanOrEqual(reduced.maxIndexingMemory);
  });
});

it('features that an option switches on are not for a front alone, which says so', () => {
  const flags = ['--experimental-enable-metrics'];
  expect(forcedFeatures(load(flags))).toEqual(['metrics']);
  expect(warningsOfFront(load(flags))).toEqual([]);
  expect(warningsOfFront(load([...flags, '--role', 'front']))).toEqual([
    'option `--experimental-enable-metrics` has no effect on a front without an indexer: set it for the indexer, which enables `metrics`',
  ]);
});

describe('the indexer secret', () => {
  it('must be given where the indexer is reached over TCP, and be long enough', () => {
    const tcp = ['--indexer-addr', '127.0.0.1:7701'];
    expect(() => load(tcp)).toThrow(/`--indexer-addr`.*the same `--indexer-secret`/);
    expect(() => load([...tcp, '--indexer-secret', 'short'])).toThrow('at least 16 bytes');
    expect(load(tcp, { SVC_INDEXER_SECRET: 'k'.repeat(16) }).indexerSecret).toBe('k'.repeat(16));
    expect(load(['--indexer-addr', 'run/i.sock']).indexerSecret).toBeNull();
  });
});

describe('the table of options', () => {
  it('explains each in the help text', () => {
    for (const { arg, env, doc } of Object.values(schema)) {
      expect(helpText()).toContain(`--${arg}`);
      expect(helpText()).toContain(env);
      expect(doc.length).toBeGreaterThan(5);
    }
    for (const line of helpText().split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  });

  it('derives each environment variable from its flag, where the specification has no other', () => {
    const specified = new Map(
      SPECIFIED_OPTIONS.map(([flag, facts]) => [flag, facts === 'refused' ? undefined : facts.env]),
    );
    for (const { arg, env } of Object.values(schema)) {
      expect(env).toBe(specified.get(arg) ?? `SVC_${arg.toUpperCase().replaceAll('-', '_')}`);
    }
  });
});

it('offers the roles of nodes of an object store only with one', () => {
  for (const role of ['reader', 'writer']) {
    expect(load(['--role', role, '--store', 'file:///s']).role).toBe(role);
    expect(() => load(['--role', role])).toThrow(`option \`--role ${role}\` needs \`--store\``);
  }
  const front = ['--role', 'front', '--store', 'file:///s'];
  expect(() => load(front)).toThrow('option `--store` needs `--role all`, `reader` or `writer`');
});

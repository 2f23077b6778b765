/**
 * Every launch option, by the table: taken from a flag, a variable and the config file, in this
 * order; a bad value is refused with the name it was given by, itself, and what is allowed. And the
 * table against the options that the API's specification names.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { type RawOptions, schema } from '../../../config/option-table.ts';
import type { OptionSpec } from '../../../config/options/option.ts';
import { SPECIFIED_OPTIONS } from '../../support/specified-options.ts';

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'gannet-options-'));
  for (const name of ['a.pem', 'b.pem', 'c.pem']) writeFileSync(join(cwd, name), name);
});
afterAll(() => rmSync(cwd, { recursive: true }));

type Key = keyof RawOptions;
const KEYS = Object.keys(schema) as Key[];
const specOf = (key: Key): OptionSpec<unknown> => schema[key];
const formatOf = (key: Key): string => {
  const { format } = specOf(key);
  return typeof format === 'string' ? format : format.join('|');
};

interface Samples {
  /** Three values that differ, as text. */
  readonly good: readonly [string, string, string];
  readonly bad: string;
  /** What a refusal says is allowed. */
  readonly allowed: RegExp;
}

const NUMBERS = ['3', '4', '5'] as const;
/** By format. */
const SAMPLES: Readonly<Record<string, Samples>> = {
  size: { good: ['3 MB', '4MiB', '5000000'], bad: 'big', allowed: /a size such as `100 MB`/ },
  share: { good: ['3 MB', '4MiB', 'true'], bad: 'big', allowed: /a size such as.*`true` or/ },
  count: { good: NUMBERS, bad: '-1', allowed: /a whole number, 0 or more/ },
  positive: { good: NUMBERS, bad: '0', allowed: /a whole number, 1 or more/ },
  threads: { good: NUMBERS, bad: '0', allowed: /1 or more, or `unlimited`/ },
  interval: { good: NUMBERS, bad: 'daily', allowed: /seconds, `true` or `false`/ },
  flag: { good: ['true', 'false', '1'], bad: 'maybe', allowed: /`true` or `false`/ },
  address: { good: ['h:1', 'h:2', 'h:3'], bad: 'here', allowed: /`host:port`/ },
  httpUrl: {
    good: ['http://a', 'http://b', 'http://c'],
    bad: 'ftp://a',
    allowed: /an absolute `http:` or `https:` URL/,
  },
  word: { good: ['a', 'b', 'c'], bad: 'a b', allowed: /letters, digits/ },
  headerValue: { good: ['a', 'b', 'c'], bad: 'a\u0001b', allowed: /visible ASCII characters/ },
  signingSecret: {
    good: ['a'.repeat(16), 'b'.repeat(16), 'c'.repeat(16)],
    bad: 'short',
    allowed: /16 to 256 visible/,
  },
  networks: { good: ['10.0.0.0/8', '::1', 'any'], bad: '10.0.0.0/99', allowed: /networks such as/ },
  failureModes: {
    good: [
      'ignore_embedder_failures',
      'ignore_document_template_failures',
      'ignore_embedder_failures,ignore_document_template_failures',
    ],
    bad: 'ignore',
    allowed: /ignore_document_template_failures, ignore_embedder_failures/,
  },
  logLevel: { good: ['WARN', 'DEBUG', 'OFF'], bad: 'loud', allowed: /OFF, ERROR, WARN, INFO/ },
  logsMode: { good: ['JSON', 'HUMAN', 'json'], bad: 'XML', allowed: /HUMAN or JSON/ },
  'development|production': {
    good: ['production', 'development', 'production'],
    bad: 'test',
    allowed: /"development","production"/,
  },
  'all|front|indexer|writer|reader': {
    good: ['front', 'indexer', 'all'],
    bad: 'both',
    allowed: /"all","front","indexer","writer","reader"/,
  },
  text: { good: ['a.pem', 'b.pem', 'c.pem'], bad: '', allowed: /a non-empty string/ },
};

const SECRETS = ['a', 'b', 'c'].map((letter) => letter.repeat(16)) as [string, string, string];
/** Of options whose values must be more than their format says. */
const OWN_SAMPLES: Partial<Record<Key, Samples['good']>> = { indexerSecret: SECRETS };

/** Options that another option requires. */
const BESIDE: Partial<Record<Key, readonly string[]>> = {
  formerMasterKey: ['--master-key', 'new'],
  oidcIssuer: ['--oidc-audience', 'a', '--oidc-roles-file', 'r', '--master-key', 'm'],
  oidcAudience: ['--oidc-issuer', 'http://a', '--oidc-roles-file', 'r', '--master-key', 'm'],
  oidcRolesFile: ['--oidc-issuer', 'http://a', '--oidc-audience', 'a', '--master-key', 'm'],
  sslCertPath: ['--ssl-key-path', 'k.pem'],
  sslKeyPath: ['--ssl-cert-path', 'c.pem'],
  ignoreMissingDump: ['--import-dump', 'd'],
  ignoreDumpIfDbExists: ['--import-dump', 'd'],
  ignoreMissingSnapshot: ['--import-snapshot', 's'],
  ignoreSnapshotIfDbExists: ['--import-snapshot', 's'],
  env: ['--master-key', 'sixteen-bytes-key'],
};
const TLS_PAIR = ['--ssl-cert-path', 'c.pem', '--ssl-key-path', 'k.pem'];
const besideOf = (key: Key): readonly string[] => {
  if (key === 'sslRequireAuth') return [...TLS_PAIR, '--ssl-auth-path', 'a.pem'];
  if (/^ssl(AuthPath|OcspPath|Resumption|Tickets)$/.test(key)) return TLS_PAIR;
  return BESIDE[key] ?? [];
};

const samplesOf = (key: Key): Samples => {
  const samples = SAMPLES[formatOf(key)];
  if (samples === undefined) throw new Error(`no samples of the format ${formatOf(key)}`);
  return { ...samples, good: OWN_SAMPLES[key] ?? samples.good };
};

const fileKeyOf = (key: Key): string => specOf(key).arg.replaceAll('-', '_');
/** Numbers and booleans as such; text in quotes. */
const tomlOf = (text: string): string =>
  /^(\d+|true|false)$/.test(text) ? text : JSON.stringify(text);

interface Given {
  readonly flag?: string;
  readonly variable?: string;
  readonly file?: string;
}

/** What a launch makes of a value of the option, however it is given. */
function launched(key: Key, { flag, variable, file }: Given) {
  const { arg, env, format } = specOf(key);
  const inFile = file === '1' && format === 'flag' ? 'true' : file;
  writeFileSync(
    join(cwd, 'config.toml'),
    inFile === undefined ? '' : `${fileKeyOf(key)} = ${tomlOf(inFile)}\n`,
  );
  const args = [...besideOf(key), ...(flag === undefined ? [] : [`--${arg}=${flag}`])];
  const { givenOptions: _, ...config } = loadConfig({
    cwd,
    args,
    env: variable === undefined ? {} : { [env]: variable },
  });
  return config;
}

/** Names a file, which is not read from itself. */
const TABLED = KEYS.filter((key) => key !== 'configFilePath');

describe.each(TABLED)('%s', (key) => {
  const { good, bad, allowed } = samplesOf(key);
  const { arg, env, sensitive } = specOf(key);
  const [first, second, third] = good;

  it('means the same as a flag, a variable and a key of the file, and is taken in this order', () => {
    const asFlags = good.map((value) => launched(key, { flag: value }));
    const [one, two, three] = asFlags;
    const meanings = new Set(asFlags.map((config) => JSON.stringify(config)));
    expect(meanings.size).toBeGreaterThanOrEqual(formatOf(key) === 'text' ? 3 : 2);
    expect(launched(key, { file: first })).toEqual(one);
    expect(launched(key, { variable: second, file: first })).toEqual(two);
    expect(launched(key, { variable: third })).toEqual(three);
    expect(launched(key, { flag: third, variable: second, file: first })).toEqual(three);
    expect(launched(key, { flag: first, file: second })).toEqual(one);
  });

  it('is refused by the name it was given by, with the value and what is allowed', () => {
    const path = join(cwd, 'config.toml');
    const sources: [Given, string][] = [
      [{ flag: bad }, `option \`--${arg}\``],
      [{ file: bad }, `key \`${fileKeyOf(key)}\` in config file ${path}`],
    ];
    // An empty variable is none.
    if (bad !== '') sources.push([{ variable: bad }, `environment variable \`${env}\``]);
    for (const [given, source] of sources) {
      const message = refusalOf(() => launched(key, given));
      expect(message).toContain(source);
      expect(message).toMatch(allowed);
      if (sensitive === true && bad !== '') expect(message).not.toContain(bad);
      if (sensitive !== true) expect(message).toContain(`value was ${shown(given)}`);
    }
  });
});

/** A number of the file is one. */
const shown = ({ flag, variable, file = '' }: Given): string =>
  /^\d+$/.test(file) ? file : JSON.stringify(flag ?? variable ?? file);

function refusalOf(launch: () => unknown): string {
  try {
    launch();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
}

describe('options that the specification names', () => {
  const optionOf = (flag: string) => Object.values(schema).find(({ arg }) => arg === flag);

  it.each(SPECIFIED_OPTIONS)('%s is here, by these names and with this default', (flag, more) => {
    const option = optionOf(flag);
    if (more === 'refused') {
      expect(option).toBeUndefined();
      const launch = () => loadConfig({ cwd, args: [`--${flag}`, 'x'], env: {} });
      expect(refusalOf(launch)).toMatch(new RegExp(`option \`--${flag}\` is not supported: \\w+`));
      return;
    }
    expect(option?.env).toBe(more.env ?? `SVC_${flag.toUpperCase().replaceAll('-', '_')}`);
    if (more.default !== undefined) expect(option?.default).toEqual(more.default);
  });

  const FILE = new URL('../../../../shared/spec/api.md', import.meta.url);
  const text = readIfThere(FILE);

  it.skipIf(text === null)(
    'are all that the specification names, if it is next to the project',
    () => {
      const section = /\n# 25\. Launch options\n([\s\S]*?)\n# 26\./.exec(text ?? '')?.[1] ?? '';
      const experimental = /## 25\.2([\s\S]*?)## 25\.3/.exec(section)?.[1] ?? '';
      const flags = [...section.matchAll(/`--([a-z][a-z0-9-]*[a-z0-9])/g)].map(([, flag]) => flag);
      const prefixed = [...experimental.matchAll(/^\| `([a-z0-9-]+)`/gm)].map(
        ([, name]) => `experimental-${name}`,
      );
      const known = new Set(SPECIFIED_OPTIONS.map(([flag]) => flag));
      // Former names, which it says are gone, and a prefix.
      for (const name of ['experimental', 'experimental-dumpless-upgrade']) known.add(name);
      expect(prefixed.length).toBeGreaterThan(12);
      expect([...flags, ...prefixed].filter((flag) => !known.has(flag ?? ''))).toEqual([]);
      const variables = [...section.matchAll(/`((?:SVC_|OPENAI)[A-Z0-9_]+)`/g)].map(
        ([, name]) => name,
      );
      const ours = new Set(Object.values(schema).map(({ env }): string => env));
      const refused = new Set(
        SPECIFIED_OPTIONS.filter(([, more]) => more === 'refused').map(
          ([flag]) => `SVC_${flag.toUpperCase().replaceAll('-', '_')}`,
        ),
      );
      const isPrefix = (name: string) => name.endsWith('_');
      expect(
        variables.filter(
          (name = '') =>
            !(ours.has(name) || refused.has(name) || isPrefix(name) || name === 'OPENAI_API_KEY'),
        ),
      ).toEqual([]);
    },
  );
});

function readIfThere(url: URL): string | null {
  try {
    return readFileSync(url, 'utf8');
  } catch {
    return null;
  }
}

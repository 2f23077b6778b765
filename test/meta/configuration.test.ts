/**
 * docs/configuration.md is written from the table of launch options (`npx vitest run test/meta
 * -u` writes it).
 */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { schema } from '../../config/option-table.ts';
import type { OptionSpec } from '../../config/options/option.ts';

const FORMATS: Readonly<Record<string, string>> = {
  text: 'text',
  size: 'size: bytes, or with a unit (`100 MB`, `24MiB`)',
  share: 'size, or `true` or `false`; the flag alone means `true`',
  count: 'whole number, 0 or more',
  positive: 'whole number, 1 or more',
  threads: 'whole number, 1 or more, or `unlimited`',
  flag: '`true` or `false`; the flag alone means `true`',
  interval: 'seconds; the flag alone, or `true`, means a day, `false` never',
  address: '`host:port`',
  failureModes: 'modes, separated by commas',
  logLevel: 'name of a level',
  logsMode: '`HUMAN` or `JSON`',
  networks: 'networks, addresses or `any`, separated by commas',
  httpUrl: '`http:` or `https:` URL',
  word: '1 to 40 letters, digits, `.`, `-`, `_`',
  headerValue: 'value of a header',
  signingSecret: '16 to 256 visible ASCII characters',
};

const options: readonly OptionSpec<unknown>[] = Object.values(schema);

const formatOf = ({ format }: OptionSpec<unknown>): string =>
  typeof format === 'string'
    ? (FORMATS[format] ?? format)
    : format.map((value) => `\`${value}\``).join(', ');

/** A default that depends on the machine is described in words. */
const defaultOf = ({ doc, default: value }: OptionSpec<unknown>): string =>
  value === null || String(value) === '' || /\bdefault\b/i.test(doc) ? '' : `\`${String(value)}\``;

const escaped = (text: string): string => text.replaceAll('|', '\\|');

function rowOf(option: OptionSpec<unknown>): string {
  const { arg, env, doc } = option;
  const fileKey = arg === 'config-file-path' ? '' : `\`${arg.replaceAll('-', '_')}\``;
  const cells = [
    `\`--${arg}\``,
    `\`${env}\``,
    fileKey,
    escaped(doc),
    formatOf(option),
    defaultOf(option),
  ];
  return `| ${cells.join(' | ')} |`;
}

it('documents every launch option', async () => {
  const text = [
    '# Configuration',
    '',
    'Written from `config/options`. A flag is stronger than its environment variable, that than the key in `config.toml`, that than the default.',
    'Unknown flags and keys stop the start; so do values that are no such thing. `--help` prints the same list, `--version` the version.',
    '',
    '| flag | environment | key in config.toml | meaning | form | default |',
    '| --- | --- | --- | --- | --- | --- |',
    ...options.map(rowOf),
    '',
  ].join('\n');
  await expect(text).toMatchFileSnapshot('../../docs/configuration.md');
});

it('gives every option a meaning, a known form and names of its own', () => {
  for (const { doc, format } of options) {
    expect(doc).toMatch(/\.$/);
    if (typeof format === 'string') expect(Object.keys(FORMATS)).toContain(format);
  }
  for (const name of ['arg', 'env'] as const)
    expect(new Set(options.map((option) => option[name])).size).toBe(options.length);
});

it('names only flags that exist in the readmes', () => {
  const flags = new Set([...options.map(({ arg }) => arg), 'help', 'version']);
  for (const file of [
    'README.md',
    'ARCHITECTURE.md',
    'workers/README.md',
    'docs/adr/0001-processes-and-threads.md',
  ]) {
    const named = [...readFileSync(file, 'utf8').matchAll(/(?<![\w-])--([a-z][a-z-]+)/g)].map(
      ([, flag = '']) => flag,
    );
    const foreign = new Set(['inspect', 'profile', 'scale']);
    expect(
      named.filter((flag) => !flags.has(flag) && !foreign.has(flag)),
      file,
    ).toEqual([]);
  }
});

/** The text of `--help`. */

import { type RawOptions, schema } from './option-table.ts';
import type { OptionSpec } from './options/option.ts';

const COLUMNS_MAX = 100;
const INDENT = '      ';
const EXPERIMENTAL = 'experimental-';

type Spec = OptionSpec<unknown>;

const specs: readonly Spec[] = (Object.keys(schema) as (keyof RawOptions)[]).map(
  (key) => schema[key],
);

/** Lines of at most `COLUMNS_MAX` columns, broken between words. */
function wrapped(text: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && INDENT.length + line.length + 1 + word.length > COLUMNS_MAX) {
      lines.push(INDENT + line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, INDENT + line];
}

function valueForm({ format }: Spec): string {
  if (format === 'flag') return '';
  return typeof format === 'string' ? ` <${format}>` : ` <${format.join('|')}>`;
}

function optionLines(spec: Spec): string[] {
  const { arg, env, doc, default: value } = spec;
  const fallback = value === null || value === false || String(value) === '';
  const facts = [...(fallback ? [] : [`default: ${String(value)}`]), `variable: ${env}`];
  return [`  --${arg}${valueForm(spec)}`, ...wrapped(`${doc} [${facts.join('; ')}]`)];
}

/** Meaning of each launch option, by its name and the form of its value. */
export const launchOptions = (): Readonly<Record<string, string>> =>
  Object.fromEntries(specs.map((spec) => [`${spec.arg}${valueForm(spec)}`, spec.doc]));

export function helpText(): string {
  const isExperimental = ({ arg }: Spec) => arg.startsWith(EXPERIMENTAL);
  return [
    'Usage: gannet serve [options], in a checkout: npm start -- [options]',
    '',
    'Each option is also an environment variable and a key of config.toml (`db_path`).',
    'Precedence: flags, environment variables, config file, defaults.',
    '',
    'Options:',
    ...specs.filter((spec) => !isExperimental(spec)).flatMap(optionLines),
    '  -h, --help',
    `${INDENT}Prints this text.`,
    '  --version',
    `${INDENT}Prints the version.`,
    '',
    'Experimental options, which may change:',
    ...specs.filter(isExperimental).flatMap(optionLines),
    '',
  ].join('\n');
}

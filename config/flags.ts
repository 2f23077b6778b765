/** Flags of the command line as `--flag value`, `--flag=value` or, for booleans, `--flag`. */
import { parseArgs } from 'node:util';
import { whyAbsent } from './absent-options.ts';
import { ConfigError } from './config-error.ts';
import { didYouMean } from './nearest.ts';
import { type RawOptions, schema } from './option-table.ts';

type Key = keyof RawOptions;
export interface GivenFlag {
  readonly key: Key;
  readonly name: string;
  readonly value: string;
}

const KEYS = Object.keys(schema) as Key[];
const keyByArg = new Map(KEYS.map((key) => [schema[key].arg, key]));
/** Formats of options that may stand without a value, and the value used then. */
const VALUES_OF_LONE = new Map<unknown, RegExp>([
  ['flag', /^(true|false)$/],
  ['interval', /./],
  ['share', /./],
]);
const mayStandAlone = (key: Key): boolean => VALUES_OF_LONE.has(schema[key].format);

const PARSED = Object.fromEntries(
  KEYS.map((key) => [
    schema[key].arg,
    { type: mayStandAlone(key) ? 'boolean' : 'string' } as const,
  ]),
);

interface FlagToken {
  readonly rawName: string;
  readonly name: string;
  readonly value?: string | undefined;
  /** True if the value follows an equals sign. */
  readonly inlineValue?: boolean | undefined;
}

/** Throws `ConfigError` for an unknown option and for a missing value. */
export function parseFlags(args: readonly string[]): GivenFlag[] {
  const { tokens } = parseArgs({
    args: [...args],
    options: PARSED,
    strict: false,
    tokens: true,
    allowPositionals: true,
  });
  const given: GivenFlag[] = [];
  for (const [i, token] of tokens.entries()) {
    if (token.kind === 'option') {
      const next = tokens[i + 1];
      const following = next?.kind === 'positional' ? next.value : undefined;
      given.push(readFlag(token, following));
    } else if (token.kind === 'option-terminator' || !isValueOf(given.at(-1), token.value)) {
      throw unexpected(token.kind === 'positional' ? token.value : '--');
    }
  }
  return given;
}

/** @param following the next argument, unless it is an option */
function readFlag(
  { rawName, name, value, inlineValue }: FlagToken,
  following: string | undefined,
): GivenFlag {
  if (!rawName.startsWith('--')) throw unexpected(rawName);
  const key = keyByArg.get(name);
  if (key === undefined) {
    const reason = whyAbsent(name);
    if (reason !== null) throw new ConfigError(`option \`--${name}\` is not supported: ${reason}`);
    const hint = didYouMean(name, keyByArg.keys(), (found) => `--${found}`);
    throw new ConfigError(`unknown option \`--${name}\`${hint}`);
  }
  const values = VALUES_OF_LONE.get(schema[key].format);
  if (values !== undefined) {
    const isFollowed = following !== undefined && values.test(following);
    return { key, name, value: value ?? (isFollowed ? following : 'true') };
  }
  if (value === undefined || (inlineValue !== true && value.startsWith('--')))
    throw new ConfigError(`option \`--${name}\` needs a value`);
  return { key, name, value };
}

/** True if a separate argument was read as the value of the previous option. */
const isValueOf = (flag: GivenFlag | undefined, text: string): boolean =>
  flag !== undefined && mayStandAlone(flag.key) && flag.value === text;

const unexpected = (text: string): ConfigError =>
  new ConfigError(`unexpected argument \`${text}\`: options start with \`--\``);

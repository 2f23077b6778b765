/** Finds environment variables that look like options but are none, to report misspelt names. */
import { whyVariableAbsent } from './absent-options.ts';
import { nearest } from './nearest.ts';
import { schema } from './option-table.ts';
import type { OptionSpec } from './options/option.ts';

const OWN = 'SVC_';
/** Prefix of Meilisearch's variables. */
const FOREIGN = 'MEILI_';

const options: readonly OptionSpec<unknown>[] = Object.values(schema);
const known = options.map(({ env }) => env);

const isRead = (name: string): boolean =>
  options.some(({ env, commonEnv }) => env === name || commonEnv?.test(name) === true);

function warningOf(name: string): string {
  const asOwn = name.startsWith(FOREIGN) ? OWN + name.slice(FOREIGN.length) : name;
  const reason = whyVariableAbsent(asOwn);
  if (reason !== null) return `the environment variable \`${name}\` is not read: ${reason}`;
  const meant = nearest(asOwn, known);
  const hint = meant === null ? '' : `; did you mean \`${meant}\`?`;
  return `the environment variable \`${name}\` is not read${hint}`;
}

/** One line for each variable, without its value. */
export const unknownVariables = (env: Readonly<Record<string, string | undefined>>): string[] =>
  Object.keys(env)
    .filter((name) => name.startsWith(OWN) || name.startsWith(FOREIGN))
    .filter((name) => !isRead(name) && (env[name] ?? '') !== '')
    .sort()
    .map(warningOf);

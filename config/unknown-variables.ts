/** Variables of the environment that look like options and are none, so that a misspelt one shows. */
import { whyVariableAbsent } from './absent-options.ts';
import { nearest } from './nearest.ts';
import { schema } from './schema.ts';

const OWN = 'SVC_';
/** Of the server whose API this one speaks. */
const FOREIGN = 'MEILI_';

const known = Object.values(schema).map(({ env }) => env);

function warningOf(name: string): string {
  const asOwn = name.startsWith(FOREIGN) ? OWN + name.slice(FOREIGN.length) : name;
  const reason = whyVariableAbsent(asOwn);
  if (reason !== null) return `the environment variable \`${name}\` is not read: ${reason}`;
  const meant = nearest(asOwn, known);
  const hint = meant === null ? '' : `; did you mean \`${meant}\`?`;
  return `the environment variable \`${name}\` is not read${hint}`;
}

/** Of servers whose vector store has to be loaded; the prefix is the store's name. */
const PREFETCH = /_READER_PREFETCH_MEMORY$/;

const prefetchWarning = (name: string): string =>
  `the environment variable \`${name}\` is not read: vectors are searched in mapped files, which a start need not load`;

/** One line for each, which never holds its value. */
export const unknownVariables = (env: Readonly<Record<string, string | undefined>>): string[] =>
  Object.keys(env)
    .filter((name) => name.startsWith(OWN) || name.startsWith(FOREIGN) || PREFETCH.test(name))
    .filter((name) => !known.includes(name) && (env[name] ?? '') !== '')
    .sort()
    .map((name) => (PREFETCH.test(name) ? prefetchWarning(name) : warningOf(name)));

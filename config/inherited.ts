/** Environment variables that the supervisor passes to its child processes. */
import type { Config } from './load.ts';
import { schema } from './option-table.ts';
import type { OptionSpec } from './options/option.ts';

/** A process that serves requests, or a process that works on the data folder. */
export type Reader = 'front' | 'indexer';

/** Secrets that the other kind of process does not use. */
const UNUSED_SECRETS = {
  front: { taskWebhookAuthorizationHeader: null, taskWebhookSigningSecret: null },
  indexer: { masterKey: null, formerMasterKey: null, personalizationApiKey: null },
} as const satisfies Record<Reader, Partial<Config>>;

/** The configuration without the secrets that this kind of process does not use. */
export const configFor = (config: Config, reader: Reader): Config =>
  Object.freeze({ ...config, ...UNUSED_SECRETS[reader] });

export const toInherited = (config: Config, reader: Reader): string =>
  JSON.stringify(configFor(config, reader));

/**
 * undefined for each variable of a secret option, so that no child process inherits it. The secrets
 * that a child uses are part of its configuration.
 */
export function withheldVariables(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, undefined> {
  const secrets = (Object.values(schema) as OptionSpec<unknown>[]).filter(
    ({ sensitive }) => sensitive === true,
  );
  const isSecret = (name: string): boolean =>
    secrets.some(({ env: own, commonEnv }) => own === name || commonEnv?.test(name) === true);
  return Object.fromEntries(
    Object.keys(env)
      .filter(isSecret)
      .map((name) => [name, undefined]),
  );
}

/**
 * Removes the variable from the environment and returns it, so that child processes do not inherit
 * its secrets.
 */
export function takeInherited(env: NodeJS.ProcessEnv, variable: string): Config {
  const text = env[variable];
  if (text === undefined)
    throw new Error(`${variable} is not set: start the server with \`npm start\``);
  delete env[variable];
  return Object.freeze(JSON.parse(text) as Config);
}

/** Removes and returns an optional variable, so that child processes do not inherit it. */
export function takeVariable(env: NodeJS.ProcessEnv, variable: string): string | null {
  const text = env[variable] ?? null;
  delete env[variable];
  return text;
}

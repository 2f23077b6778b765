/** What the supervisor hands to its child processes through the environment. */
import type { Config } from './load.ts';

export const toInherited = (config: Config): string => JSON.stringify(config);

/**
 * Takes the variable out of the environment, which holds the master key, so that nothing started
 * from here inherits it.
 */
export function takeInherited(env: NodeJS.ProcessEnv, variable: string): Config {
  const text = env[variable];
  if (text === undefined)
    throw new Error(`${variable} is not set: start the server with \`npm start\``);
  delete env[variable];
  return Object.freeze(JSON.parse(text) as Config);
}

/** Takes a variable that may be absent, so that nothing started from here inherits it. */
export function takeVariable(env: NodeJS.ProcessEnv, variable: string): string | null {
  const text = env[variable] ?? null;
  delete env[variable];
  return text;
}

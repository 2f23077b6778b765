/** A launch option: help text, format, default, environment variable, flag. */

interface OptionEntry<T> {
  readonly doc: string;
  readonly format: string | readonly string[];
  /** An option with the default null may be null. */
  readonly default: T;
  readonly arg: string;
  /** Default: `SVC_` and the flag in upper case. */
  readonly env?: string;
  /** Read when `env` is not set: variables that other programs use too. */
  readonly commonEnv?: RegExp;
  readonly sensitive?: boolean;
}

export interface OptionSpec<T> extends OptionEntry<T> {
  readonly env: string;
  readonly nullable: boolean;
}

/** An entry of an option table, with values of type `T`. */
export const option = <T>(entry: OptionEntry<T>): OptionSpec<T> => ({
  env: `SVC_${entry.arg.toUpperCase().replaceAll('-', '_')}`,
  nullable: entry.default === null,
  ...entry,
});

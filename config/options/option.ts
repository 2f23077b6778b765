/** A launch option: help text, format, default, environment variable, flag. */

export interface OptionSpec<T> {
  readonly doc: string;
  readonly format: string | readonly string[];
  readonly default: T;
  readonly env: string;
  /** Read when `env` is not set: variables that other programs use too. */
  readonly commonEnv?: RegExp;
  readonly arg: string;
  readonly nullable?: boolean;
  readonly sensitive?: boolean;
}

/** An entry of an option table, with values of type `T`. */
export const option = <T>(spec: OptionSpec<T>): OptionSpec<T> => spec;

/** What a launch option is: meaning, format, default, environment variable, flag. */

export interface OptionSpec<T> {
  readonly doc: string;
  readonly format: string | readonly string[];
  readonly default: T;
  readonly env: string;
  /** Read where `env` is not set: names that other programs use too. */
  readonly commonEnv?: RegExp;
  readonly arg: string;
  readonly nullable?: boolean;
  readonly sensitive?: boolean;
}

/** An entry of a table of options, whose values have type `T`. */
export const option = <T>(spec: OptionSpec<T>): OptionSpec<T> => spec;

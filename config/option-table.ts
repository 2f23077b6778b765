/**
 * Start here: every launch option in one table, composed of one table for each subject. The key in
 * config.toml is the flag in snake_case.
 */
import { backupsOptions } from './options/backups.ts';
import { embeddingOptions } from './options/embedding.ts';
import { httpOptions } from './options/http.ts';
import { identityOptions } from './options/identity.ts';
import { indexingOptions } from './options/indexing.ts';
import { instanceOptions } from './options/instance.ts';
import { observingOptions } from './options/observing.ts';
import type { OptionSpec } from './options/option.ts';
import { outgoingOptions } from './options/outgoing.ts';
import { searchingOptions } from './options/searching.ts';

export const schema = {
  ...instanceOptions,
  ...httpOptions,
  ...identityOptions,
  ...searchingOptions,
  ...indexingOptions,
  ...backupsOptions,
  ...embeddingOptions,
  ...outgoingOptions,
  ...observingOptions,
};

/** The parsed options; `load.ts` derives the `Config` of the processes from them. */
export type RawOptions = {
  [K in keyof typeof schema]: (typeof schema)[K] extends OptionSpec<infer T> ? T : never;
};

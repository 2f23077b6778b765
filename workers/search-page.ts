/** The search page as the build left it, in memory: some ten kilobytes. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Config } from '../config/load.ts';
import { searchPageFolder } from '../src/runtime/search-page-files.ts';

/** Its files by name; null where it is not wanted, or the sources run without a build. */
export function readSearchPage({
  searchPage,
  env,
}: Pick<Config, 'searchPage' | 'env'>): ReadonlyMap<string, Uint8Array> | null {
  const isWanted = searchPage || env === 'development';
  if (!isWanted || !existsSync(searchPageFolder)) return null;
  const names = readdirSync(searchPageFolder);
  return new Map(names.map((name) => [name, readFileSync(new URL(name, searchPageFolder))]));
}

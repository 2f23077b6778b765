/** The version of this package, from package.json next to the sources or above dist and its bundles. */
import { existsSync, readFileSync } from 'node:fs';

/** This package, or the package that npm installs for a platform. */
const NAME = /^gannet(-|$)/;

export function packageVersion(): string {
  for (const path of ['../package.json', '../../package.json', '../../../package.json']) {
    const url = new URL(path, import.meta.url);
    if (!existsSync(url)) continue;
    const { name, version } = JSON.parse(readFileSync(url, 'utf8')) as {
      name?: string;
      version?: string;
    };
    if (NAME.test(name ?? '') && version !== undefined) return version;
  }
  return 'unknown';
}

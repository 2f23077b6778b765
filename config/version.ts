/** The version of this package, from package.json next to the sources or above dist. */
import { existsSync, readFileSync } from 'node:fs';

export function packageVersion(): string {
  for (const path of ['../package.json', '../../package.json']) {
    const url = new URL(path, import.meta.url);
    if (!existsSync(url)) continue;
    const { name, version } = JSON.parse(readFileSync(url, 'utf8')) as {
      name?: string;
      version?: string;
    };
    if (name === 'gannet' && version !== undefined) return version;
  }
  return 'unknown';
}

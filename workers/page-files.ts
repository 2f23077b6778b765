/** Build output for browsers, served by this server. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Config } from '../config/load.ts';
import type { PageFile, PageFiles } from '../src/api/contract/page-file.ts';

/** All files of the search page. */
const searchPageFolder: URL = new URL('../search-page/', import.meta.url);
/** The documentation: pages, pictures, script, style sheet and search data. */
const documentationFolder: URL = new URL('../docs/', import.meta.url);

const TAG_CHARACTERS = 16;

function readPageFile(url: URL): PageFile {
  const bytes = readFileSync(url);
  const digest = createHash('sha256').update(bytes).digest('base64url');
  // A weak ETag, since the response may be compressed.
  return { bytes, etag: `W/"${digest.slice(0, TAG_CHARACTERS)}"` };
}

/** The files of a folder by name, read at the first request and then cached. */
function filesOf(folder: URL): PageFiles {
  const names = new Set(existsSync(folder) ? readdirSync(folder) : []);
  const read = new Map<string, PageFile>();
  return {
    get(name) {
      const known = read.get(name);
      if (known !== undefined || !names.has(name)) return known;
      const file = readPageFile(new URL(name, folder));
      read.set(name, file);
      return file;
    },
  };
}

/** null when the page is disabled, or the sources run without a build. */
export function searchPageFiles({
  searchPage,
  env,
}: Pick<Config, 'searchPage' | 'env'>): PageFiles | null {
  const isWanted = searchPage || env === 'development';
  return isWanted && existsSync(searchPageFolder) ? filesOf(searchPageFolder) : null;
}

/** Without pages where the sources run without a build. */
export const documentationFiles = (): PageFiles => filesOf(documentationFolder);

/** Build output for browsers, served by this server. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config/load.ts';
import type { PageFile, PageFiles } from '../src/api/contract/page-file.ts';
import { type PublishedIndex, PublishedIndexes } from '../src/ipc/replica/published-indexes.ts';
import { BUILT_MANIFEST, docsIndexFolder } from '../src/runtime/built-indexes.ts';

/** All files of the search page. */
const searchPageFolder: URL = new URL('../search-page/', import.meta.url);
/** The documentation: pages, pictures, script and style sheet. */
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

/** Reads the manifest at the first call. */
export function documentationIndex(): () => PublishedIndex | null {
  let known: PublishedIndex | null = null;
  return () => {
    const manifest = new URL(BUILT_MANIFEST, docsIndexFolder);
    if (known !== null || !existsSync(manifest)) return known;
    const path = fileURLToPath(docsIndexFolder);
    const indexes = new PublishedIndexes(() => path);
    known = indexes.publish(readFileSync(manifest, 'utf8'));
    return known;
  };
}

/** Without pages where the sources run without a build. */
export const documentationFiles = (): PageFiles => filesOf(documentationFolder);

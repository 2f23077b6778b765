/** Whether a start begins with a backup, and which: looks without writing. */
import fs from 'node:fs';
import { DataFolderRefused } from './data-folder-check.ts';
import { holdsData } from './new-data-folder.ts';

export interface ImportOptions {
  readonly dbPath: string;
  readonly importDump: string | null;
  readonly ignoreMissingDump: boolean;
  readonly ignoreDumpIfDbExists: boolean;
}

export interface ImportSource {
  readonly kind: 'dump';
  readonly file: string;
}

/**
 * null when the start goes on with what the data folder holds.
 * @throws DataFolderRefused when there is data already or no file, and that is not to be ignored
 */
export function importSource(
  { dbPath, importDump: file, ignoreMissingDump, ignoreDumpIfDbExists }: ImportOptions,
  log: { readonly info: (message: string) => void },
): ImportSource | null {
  if (file === null) return null;
  if (holdsData(dbPath)) {
    if (!ignoreDumpIfDbExists) throw new DataFolderRefused(exists(dbPath, 'dump'));
    log.info(`${dbPath} holds data: the dump is not imported`);
    return null;
  }
  if (fs.existsSync(file)) return { kind: 'dump', file };
  if (!ignoreMissingDump)
    throw new DataFolderRefused(
      `the dump ${file} does not exist; \`--ignore-missing-dump\` starts without it`,
    );
  log.info(`the dump ${file} does not exist: the server starts without it`);
  return null;
}

const exists = (dbPath: string, what: 'dump'): string =>
  `${dbPath} holds data already, and a ${what} is only imported into a new data folder: choose another with \`--db-path\`, or start on this one with \`--ignore-${what}-if-db-exists\``;

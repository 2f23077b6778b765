/** Decides whether a start imports a backup, and which one. Only reads. */
import fs from 'node:fs';
import { DataFolderRefused, readVersion } from './data-folder-check.ts';

interface ImportOptions {
  readonly dbPath: string;
  readonly importDump: string | null;
  readonly ignoreMissingDump: boolean;
  readonly ignoreDumpIfDbExists: boolean;
  readonly importSnapshot: string | null;
  readonly ignoreMissingSnapshot: boolean;
  readonly ignoreSnapshotIfDbExists: boolean;
}

export interface ImportSource {
  readonly kind: 'dump' | 'snapshot';
  readonly file: string;
}

/**
 * null when the start uses the existing data folder.
 * @throws DataFolderRefused when the folder has data or the backup does not exist, unless an option
 * ignores this case
 * @param namesOptions false if the caller does not have the options that ignore such cases
 */
export function importSource(
  options: ImportOptions,
  log: { readonly info: (message: string) => void },
  { namesOptions = true }: { readonly namesOptions?: boolean } = {},
): ImportSource | null {
  const { dbPath, importDump, importSnapshot } = options;
  const file = importDump ?? importSnapshot;
  if (file === null) return null;
  const kind = importDump === null ? 'snapshot' : 'dump';
  const { ignoresMissing, ignoresData } = {
    dump: {
      ignoresMissing: options.ignoreMissingDump,
      ignoresData: options.ignoreDumpIfDbExists,
    },
    snapshot: {
      ignoresMissing: options.ignoreMissingSnapshot,
      ignoresData: options.ignoreSnapshotIfDbExists,
    },
  }[kind];
  if (readVersion(dbPath) !== null) {
    if (!ignoresData) throw new DataFolderRefused(exists(dbPath, kind, namesOptions));
    log.info(`${dbPath} has data: the ${kind} is not imported`);
    return null;
  }
  if (fs.existsSync(file)) return { kind, file };
  if (!ignoresMissing)
    throw new DataFolderRefused(
      `the ${kind} ${file} does not exist${namesOptions ? `; \`--ignore-missing-${kind}\` starts without it` : ''}`,
    );
  log.info(`the ${kind} ${file} does not exist: the server starts without it`);
  return null;
}

function exists(dbPath: string, what: ImportSource['kind'], namesOptions: boolean): string {
  const start = `, or start with the existing data with \`--ignore-${what}-if-db-exists\``;
  return `${dbPath} already has data, and a ${what} can only be imported into a new data folder: choose another with \`--db-path\`${namesOptions ? start : ''}`;
}

/** Launch options of dumps and snapshots. */
import { option } from './option.ts';

export const backupsOptions = {
  dumpDir: option<string>({
    doc: 'Folder for new dumps.',
    format: 'text',
    default: 'dumps/',
    arg: 'dump-dir',
  }),
  snapshotDir: option<string>({
    doc: 'Folder for new snapshots.',
    format: 'text',
    default: 'snapshots/',
    arg: 'snapshot-dir',
  }),
  scheduleSnapshot: option<number | null>({
    doc: 'Interval of scheduled snapshots in seconds; 86400 when given without a number.',
    format: 'interval',
    default: null,
    arg: 'schedule-snapshot',
  }),
  snapshotKeep: option<number>({
    doc: 'Number of snapshots to keep, the newest included; older snapshots have their dates in their names.',
    format: 'positive',
    default: 1,
    arg: 'snapshot-keep',
  }),
  importSnapshot: option<string | null>({
    doc: 'Snapshot to restore as the data folder before the server listens.',
    format: 'text',
    default: null,
    arg: 'import-snapshot',
  }),
  ignoreMissingSnapshot: option<boolean>({
    doc: 'Starts without the snapshot if its file does not exist.',
    format: 'flag',
    default: false,
    arg: 'ignore-missing-snapshot',
  }),
  ignoreSnapshotIfDbExists: option<boolean>({
    doc: 'Starts without restoring the snapshot if the data folder has data.',
    format: 'flag',
    default: false,
    arg: 'ignore-snapshot-if-db-exists',
  }),
  importDump: option<string | null>({
    doc: 'Dump to import into a new data folder before the server listens.',
    format: 'text',
    default: null,
    arg: 'import-dump',
  }),
  ignoreMissingDump: option<boolean>({
    doc: 'Starts without the dump if its file does not exist.',
    format: 'flag',
    default: false,
    arg: 'ignore-missing-dump',
  }),
  ignoreDumpIfDbExists: option<boolean>({
    doc: 'Starts without importing the dump if the data folder has data.',
    format: 'flag',
    default: false,
    arg: 'ignore-dump-if-db-exists',
  }),
  importSizeLimit: option<number | null>({
    doc: 'Largest unpacked size of an imported dump or snapshot; default 200 times the size of the archive, at least 1 GiB.',
    format: 'size',
    default: null,
    arg: 'import-size-limit',
  }),
  importEntryLimit: option<number>({
    doc: 'Most files and folders in an imported dump or snapshot.',
    format: 'positive',
    default: 1_000_000,
    arg: 'import-entry-limit',
  }),
};

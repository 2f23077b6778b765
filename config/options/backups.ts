/** Launch options of dumps and snapshots: made, begun with. */
import { option } from './option.ts';

export const backupsOptions = {
  dumpDir: option<string>({
    doc: 'Folder of the dumps that are made.',
    format: 'text',
    default: 'dumps/',
    env: 'SVC_DUMP_DIR',
    arg: 'dump-dir',
  }),
  snapshotDir: option<string>({
    doc: 'Folder of the snapshots that are made.',
    format: 'text',
    default: 'snapshots/',
    env: 'SVC_SNAPSHOT_DIR',
    arg: 'snapshot-dir',
  }),
  scheduleSnapshot: option<number | null>({
    doc: 'Seconds between two snapshots that are made by themselves; 86400 when no number is given.',
    format: 'interval',
    default: null,
    nullable: true,
    env: 'SVC_SCHEDULE_SNAPSHOT',
    arg: 'schedule-snapshot',
  }),
  snapshotKeep: option<number>({
    doc: 'Snapshots that stay, the newest included; older ones have their dates in their names.',
    format: 'positive',
    default: 1,
    env: 'SVC_SNAPSHOT_KEEP',
    arg: 'snapshot-keep',
  }),
  importSnapshot: option<string | null>({
    doc: 'Snapshot to begin with, as the data folder; nothing listens before it is restored.',
    format: 'text',
    default: null,
    nullable: true,
    env: 'SVC_IMPORT_SNAPSHOT',
    arg: 'import-snapshot',
  }),
  ignoreMissingSnapshot: option<boolean>({
    doc: 'Starts without the snapshot when its file does not exist.',
    format: 'flag',
    default: false,
    env: 'SVC_IGNORE_MISSING_SNAPSHOT',
    arg: 'ignore-missing-snapshot',
  }),
  ignoreSnapshotIfDbExists: option<boolean>({
    doc: 'Starts without restoring the snapshot when the data folder holds data.',
    format: 'flag',
    default: false,
    env: 'SVC_IGNORE_SNAPSHOT_IF_DB_EXISTS',
    arg: 'ignore-snapshot-if-db-exists',
  }),
  importDump: option<string | null>({
    doc: 'Dump to begin with, in a data folder that is made of it; nothing listens before it is imported.',
    format: 'text',
    default: null,
    nullable: true,
    env: 'SVC_IMPORT_DUMP',
    arg: 'import-dump',
  }),
  ignoreMissingDump: option<boolean>({
    doc: 'Starts without the dump when its file does not exist.',
    format: 'flag',
    default: false,
    env: 'SVC_IGNORE_MISSING_DUMP',
    arg: 'ignore-missing-dump',
  }),
  ignoreDumpIfDbExists: option<boolean>({
    doc: 'Starts without importing the dump when the data folder holds data.',
    format: 'flag',
    default: false,
    env: 'SVC_IGNORE_DUMP_IF_DB_EXISTS',
    arg: 'ignore-dump-if-db-exists',
  }),
};

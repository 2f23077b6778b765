/** Progress of the import of a file. The import starts over if the file has changed since. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type StateEnvironment, StateFile } from '../state-file.ts';

export interface ImportState {
  /** Bytes of the unpacked file that the server has acknowledged. */
  readonly end: number;
  /** Uids of the tasks of these bytes. */
  readonly taskUids: readonly number[];
}

export interface ImportJob {
  readonly file: string;
  readonly url: string;
  readonly indexUid: string;
  readonly partBytes: number;
}

/** Properties that show whether the file has changed. */
export function fileIdentity(file: string): object {
  const { size, mtimeMs } = statSync(file);
  return { file: resolve(file), size, mtimeMs };
}

export const importStateFile = (job: ImportJob, env: StateEnvironment): StateFile<ImportState> =>
  new StateFile<ImportState>(
    'imports',
    { ...job, ...fileIdentity(job.file) },
    ({ end, taskUids }) => Number.isSafeInteger(end) && Array.isArray(taskUids),
    env,
  );

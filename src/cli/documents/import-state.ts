/** How far an import of a file has come. A file that changed meanwhile begins anew. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type StateEnvironment, StateFile } from '../state-file.ts';

export interface ImportState {
  /** Bytes of the file, unpacked, that the server has acknowledged. */
  readonly end: number;
  /** Tasks of these. */
  readonly taskUids: readonly number[];
}

export interface ImportJob {
  readonly file: string;
  readonly url: string;
  readonly indexUid: string;
  readonly partBytes: number;
}

/** What tells a file from what it was before. */
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

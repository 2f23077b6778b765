/**
 * How far an import of a file has come, beside the data of programs of this user, so that one that
 * was cut off goes on. A file that changed meanwhile begins anew.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

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

const NOTHING: ImportState = { end: 0, taskUids: [] };

export class ImportStateFile {
  readonly #path: string;

  /** @param env names the folder as `XDG_STATE_HOME` does */
  constructor(job: ImportJob, env: Readonly<Record<string, string | undefined>>) {
    const { size, mtimeMs } = statSync(job.file);
    const what = JSON.stringify({ ...job, file: resolve(job.file), size, mtimeMs });
    const name = createHash('sha256').update(what).digest('hex').slice(0, 32);
    const base = env['XDG_STATE_HOME'] || join(homedir(), '.local/state');
    this.#path = join(base, 'gannet/imports', `${name}.json`);
  }

  read(): ImportState {
    try {
      const { end, taskUids } = JSON.parse(readFileSync(this.#path, 'utf8')) as ImportState;
      return Number.isSafeInteger(end) && Array.isArray(taskUids) ? { end, taskUids } : NOTHING;
    } catch {
      return NOTHING;
    }
  }

  write(state: ImportState): void {
    mkdirSync(join(this.#path, '..'), { recursive: true });
    writeFileSync(`${this.#path}.new`, JSON.stringify(state));
    renameSync(`${this.#path}.new`, this.#path);
  }

  remove(): void {
    rmSync(this.#path, { force: true });
  }
}

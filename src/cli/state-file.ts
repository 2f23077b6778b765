/**
 * Progress of a command, stored in the user's state directory, so that an interrupted command
 * resumes. Each piece of work has its own file.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { replaceFile } from '../storage/files/sync-folder.ts';
import { CommandFailure } from './command-failure.ts';

/** Environment variables; `XDG_STATE_HOME` names the parent of the state directory. */
export type StateEnvironment = Readonly<Record<string, string | undefined>>;

export class StateFile<State extends object> {
  readonly #path: string;
  readonly #isState: (value: Partial<State>) => boolean;

  /**
   * @param kind name of the folder
   * @param work JSON that identifies the work
   */
  constructor(
    kind: string,
    work: unknown,
    isState: (value: Partial<State>) => boolean,
    env: StateEnvironment,
  ) {
    const name = createHash('sha256').update(JSON.stringify(work)).digest('hex').slice(0, 32);
    const base = env['XDG_STATE_HOME'] || join(homedir(), '.local/state');
    this.#path = join(base, 'gannet', kind, `${name}.json`);
    this.#isState = isState;
  }

  /** Returns null if no progress is stored. */
  read(): State | null {
    try {
      const state = JSON.parse(readFileSync(this.#path, 'utf8')) as State;
      return this.#isState(state) ? state : null;
    } catch {
      return null;
    }
  }

  write(state: State): void {
    mkdirSync(join(this.#path, '..'), { recursive: true });
    replaceFile(this.#path, JSON.stringify(state));
  }

  remove(): void {
    rmSync(this.#path, { force: true });
  }
}

/** Properties that show whether the file has changed. @throws CommandFailure if there is no such file */
export function fileIdentity(file: string): object {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) throw new CommandFailure(`file not found: ${file}`);
  const { size, mtimeMs } = stats;
  return { file: resolve(file), size, mtimeMs };
}

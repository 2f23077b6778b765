/**
 * How far a command has come with a piece of work, beside the data of programs of this user, so that
 * one that was cut off goes on. Other work has another file.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Names the folder of files of state as `XDG_STATE_HOME` does. */
export type StateEnvironment = Readonly<Record<string, string | undefined>>;

export class StateFile<State extends object> {
  readonly #path: string;
  readonly #isState: (value: Partial<State>) => boolean;

  /**
   * @param kind the folder
   * @param work what tells it from other work: JSON
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

  /** null when nothing of it is known. */
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
    writeFileSync(`${this.#path}.new`, JSON.stringify(state));
    renameSync(`${this.#path}.new`, this.#path);
  }

  remove(): void {
    rmSync(this.#path, { force: true });
  }
}

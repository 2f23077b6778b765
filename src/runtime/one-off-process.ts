/** A child process that runs one job and ends. */
import type { ChildProcess } from 'node:child_process';
import type { ChildMessage } from './lifecycle-protocol.ts';
import { type ChildSpec, forkChild } from './process-manager.ts';
import { StartFailure } from './start-failure.ts';

/** Its name is for the error message when the process ends without a reason. */
type OneOffSpec = Pick<ChildSpec, 'name' | 'entry' | 'env'>;

export class OneOffProcess {
  /** Rejects with a `StartFailure` unless the job succeeds. */
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;

  constructor({ name, entry, env }: OneOffSpec) {
    const child = forkChild(entry, env);
    this.#child = child;
    let reason: string | null = null;
    child.on('message', (message: ChildMessage | null) => {
      if (message?.kind === 'failed') reason = message.message;
    });
    this.ended = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => {
        if (code === 0) resolve();
        else
          reject(new StartFailure(reason ?? `the ${name} ended with ${signal ?? `code ${code}`}`));
      });
    });
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}

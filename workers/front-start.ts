/** Part of a front, however it serves: what its start waits for, and where it is reached. */
import type { Config } from '../config/load.ts';
import type { StartSignals } from '../src/runtime/host-role.ts';

/** Rejects when the front must end before it serves; else never settles. */
export function untilStopped({ signal }: StartSignals): Promise<never> {
  return new Promise<never>((_, reject) => {
    const stop = () => reject(new Error('stopped before it served'));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

export const urlOf = ({ sslCertPath, http: { host } }: Config, port: number): string =>
  `${sslCertPath === null ? 'http' : 'https'}://${host}:${port}`;

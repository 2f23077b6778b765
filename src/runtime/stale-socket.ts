/** Removes the socket file of a killed process, but never a socket with a listener. */
import { rmSync } from 'node:fs';
import { connect } from 'node:net';
import { StartFailure } from './start-failure.ts';

function hasListener(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/**
 * Does nothing when the file does not exist. Throws `StartFailure` when another process listens on
 * it.
 */
export async function removeStaleSocket(path: string): Promise<void> {
  if (await hasListener(path)) {
    throw new StartFailure(
      `another indexer listens on ${path}; choose another with \`--indexer-addr\``,
    );
  }
  rmSync(path, { force: true });
}

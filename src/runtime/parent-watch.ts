/** Detects in a child process that its supervisor has died, even during the start of the child. */

/** State that the watch reads: this process, with an IPC channel to its parent. */
interface Child {
  /** False once the other end of the channel is closed; undefined without a channel. */
  readonly connected?: boolean;
  /** Parent process id: changes when the parent dies. */
  readonly ppid: number;
  on(event: 'disconnect', listener: () => void): unknown;
}

const LOOK_MS = 1000;

/**
 * Calls back at least once when the parent has died. Node emits 'disconnect' only once, to the
 * listeners at this time. A parent that died while this process loaded its code is therefore found
 * by checking the state.
 */
export function watchParent(child: Child, onGone: () => void, lookMs = LOOK_MS): void {
  const parent = child.ppid;
  const look = (): void => {
    if (child.connected === false || child.ppid !== parent) onGone();
  };
  child.on('disconnect', onGone);
  look();
  setInterval(look, lookMs).unref();
}

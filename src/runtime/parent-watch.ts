/** Tells a child process that its supervisor is gone, however early that happened. */

/** What the watch looks at: this process, with a channel to its parent. */
export interface Child {
  /** False from the moment the channel's other end is closed; undefined without a channel. */
  readonly connected?: boolean;
  /** Parent of the process: another one adopts it when its own has died. */
  readonly ppid: number;
  on(event: 'disconnect', listener: () => void): unknown;
}

const LOOK_MS = 1000;

/**
 * Calls back at least once when the parent is gone. The end of the channel is announced a single
 * time, to whoever listens then: a parent that died while this process was loading its code is
 * found by looking.
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

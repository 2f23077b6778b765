/** Messages between the supervisor and its child processes, over the IPC channel of `fork`. */

/** From child to supervisor. */
export type ChildMessage =
  | { readonly kind: 'ready'; readonly info: RoleInfo }
  /** The event loop runs; sent each `REPORT_MS` after `ready`. */
  | { readonly kind: 'alive' }
  /** The start failed for a reason that the user can fix; the child then ends. */
  | { readonly kind: 'failed'; readonly message: string };

/** From supervisor to child. */
export type SupervisorMessage =
  /** The child that this one depends on has been ready. */
  | { readonly kind: 'serve' }
  /** A shutdown of all children has begun; each child gets its own `stop` in sequence. */
  | { readonly kind: 'stopping' }
  | { readonly kind: 'stop' };

/** Facts about a started role, for the banner. */
export type RoleInfo = Readonly<Record<string, string | number>>;

/** Environment variable with the serialized configuration for a child. */
export const CONFIG_VARIABLE = 'GANNET_CONFIG';

/** Environment variable with the end of the previous process, for a restarted child. */
export const PREDECESSOR_VARIABLE = 'GANNET_PREDECESSOR_END';

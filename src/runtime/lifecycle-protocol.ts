/** Messages between the supervisor and its child processes, over the channel that fork makes. */

/** From child to supervisor. */
export type ChildMessage =
  | { readonly kind: 'ready'; readonly info: RoleInfo }
  /** The start failed for a reason the user can understand; the child ends after it. */
  | { readonly kind: 'failed'; readonly message: string };

/** From supervisor to child. */
export type SupervisorMessage =
  /** The child that must be ready before this one may serve has been ready. */
  | { readonly kind: 'serve' }
  /** All children will be told to stop, each in its turn. */
  | { readonly kind: 'stopping' }
  | { readonly kind: 'stop' };

/** What a started role says of itself, for the banner. */
export type RoleInfo = Readonly<Record<string, string | number>>;

/** Name of the environment variable that carries the parsed configuration to a child. */
export const CONFIG_VARIABLE = 'GANNET_CONFIG';

/** Name of the one that tells a child that is started again how the one before it ended. */
export const PREDECESSOR_VARIABLE = 'GANNET_PREDECESSOR_END';

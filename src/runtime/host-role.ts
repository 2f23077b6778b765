/**
 * Runs a role (front or indexer) as this whole process: signals, readiness, orderly end; alone or
 * under the supervisor.
 */
import type { Logger } from '../observability/logger.ts';
import type { ChildMessage, RoleInfo, SupervisorMessage } from './lifecycle-protocol.ts';
import { watchParent } from './parent-watch.ts';
import { StartFailure } from './start-failure.ts';

/**
 * Why a role ends: asked to, or because the supervisor is gone and nobody orders the end of the
 * others.
 */
export type StopReason = 'stop' | 'orphaned';

/** A started role. */
export interface RunningRole {
  readonly info: RoleInfo;
  /** Finishes what was accepted, closes everything. Called once. */
  stop(reason: StopReason): Promise<void>;
}

/** What a role that starts has to wait for, and when to give up. */
export interface StartSignals {
  /** Resolves when the role may serve: the data folder is held by whom it belongs to. */
  readonly mayServe: Promise<void>;
  /** Aborts when the role must end before it has started; `start` then rejects. */
  readonly signal: AbortSignal;
}

export interface HostOptions {
  readonly name: string;
  readonly log: Pick<Logger, 'info' | 'error'>;
  readonly start: (signals: StartSignals) => Promise<RunningRole>;
  /**
   * Given to a role that has no supervisor to report to; a channel to the parent says nothing,
   * `node --watch` opens one too.
   */
  readonly onReady?: (info: RoleInfo) => void;
  /** A drain that takes longer is cut off. */
  readonly stopGraceMs: number;
}

/**
 * How long a role may take to finish what it accepted: a request of a front, a batch of the
 * indexer.
 */
export const STOP_GRACE_MS = { front: 15_000, indexer: 60_000 } as const;

/**
 * A signal to the whole group reaches a child before the supervisor's order; the order is waited
 * for, so that roles end in turn.
 */
const ORDER_WAIT_MS = 500;

/** Ends the process when the role ends. */
export async function hostRole(options: HostOptions): Promise<void> {
  const { name, onReady } = options;
  process.title = `gannet ${name}`;
  const isSupervised = onReady === undefined;
  let permit = (): void => undefined;
  const mayServe = new Promise<void>((resolve) => {
    permit = resolve;
  });
  const abortion = new AbortController();
  let running: RunningRole | null = null;
  let stopping: StopReason | null = null;

  const stop = (reason: StopReason): void => {
    if (stopping !== null) return;
    stopping = reason;
    abortion.abort();
    if (running !== null) void end(running, reason, options);
  };
  listen(isSupervised, stop, permit);

  try {
    running = await options.start({ mayServe, signal: abortion.signal });
  } catch (error) {
    if (stopping !== null) process.exit(0);
    fail(error, options);
    return;
  }
  if (stopping !== null) return end(running, stopping, options);
  if (isSupervised) report({ kind: 'ready', info: running.info });
  else onReady?.(running.info);
}

/** Subscribes to everything that permits the role to serve or orders its end. */
function listen(
  isSupervised: boolean,
  stop: (reason: StopReason) => void,
  permit: () => void,
): void {
  let isOrderComing = false;
  const onSignal = (): void => {
    if (!isSupervised) stop('stop');
    else {
      setTimeout(() => {
        if (!isOrderComing) stop('stop');
      }, ORDER_WAIT_MS);
    }
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', isSupervised ? () => undefined : onSignal);
  if (!isSupervised) {
    process.on('disconnect', () => stop('orphaned'));
    permit();
    return;
  }
  process.on('message', ({ kind }: SupervisorMessage) => {
    if (kind === 'serve') permit();
    else if (kind === 'stopping') isOrderComing = true;
    else if (kind === 'stop') stop('stop');
  });
  watchParent(process, () => stop('orphaned'));
}

async function end(
  running: RunningRole,
  reason: StopReason,
  { log, stopGraceMs }: HostOptions,
): Promise<void> {
  const timer = setTimeout(() => {
    log.error({}, `not stopped within ${stopGraceMs} ms; ending anyway`);
    process.exit(1);
  }, stopGraceMs);
  try {
    await running.stop(reason);
    log.info('stopped');
    clearTimeout(timer);
    process.exit(0);
  } catch (error) {
    log.error({ err: error }, 'the orderly end failed');
    process.exit(1);
  }
}

function fail(error: unknown, { name, log, onReady }: HostOptions): void {
  const message =
    error instanceof StartFailure ? error.message : `${name} cannot start: ${String(error)}`;
  if (!(error instanceof StartFailure)) log.error({ err: error }, `${name} cannot start`);
  if (onReady !== undefined) {
    process.stderr.write(`gannet: ${message}\n`);
    process.exit(1);
  }
  report({ kind: 'failed', message }, () => process.exit(1));
}

function report(message: ChildMessage, then: () => void = () => undefined): void {
  process.send?.(message, undefined, undefined, then);
}

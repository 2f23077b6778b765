/**
 * Runs a role (front or indexer) as this process: signals, readiness, shutdown; alone or under the
 * supervisor.
 */
import type { Logger } from '../observability/logger.ts';
import { REPORT_MS } from './hang-watch.ts';
import type { ChildMessage, RoleInfo, SupervisorMessage } from './lifecycle-protocol.ts';
import { watchParent } from './parent-watch.ts';
import { StartFailure } from './start-failure.ts';

/**
 * Reason of a shutdown: requested, or the supervisor has died and does not order the shutdown of
 * the other processes.
 */
export type StopReason = 'stop' | 'orphaned';

/** A running role. */
export interface RunningRole {
  readonly info: RoleInfo;
  /**
   * A shutdown has begun: `stop` follows when the roles that use this one have ended. Called at most
   * once.
   */
  announced?(): void;
  /** Finishes accepted work and closes everything. Called once. */
  stop(reason: StopReason): Promise<void>;
}

/** Start conditions and abort signal of a starting role. */
export interface StartSignals {
  /** Resolves when the role may serve: the data folder is locked by the right indexer. */
  readonly mayServe: Promise<void>;
  /** Aborts when the role must end during its start; `start` then rejects. */
  readonly signal: AbortSignal;
}

interface HostOptions {
  readonly name: string;
  readonly log: Pick<Logger, 'info' | 'error'>;
  readonly start: (signals: StartSignals) => Promise<RunningRole>;
  /**
   * Set for a role without a supervisor. An IPC channel is no evidence of a supervisor: `node
   * --watch` opens one too.
   */
  readonly onReady?: (info: RoleInfo) => void;
  /** Time limit of a shutdown in milliseconds; then the process ends. */
  readonly stopGraceMs: number;
}

/** Time limit in milliseconds for accepted work: a request of a front, a batch of the indexer. */
export const STOP_GRACE_MS = { front: 15_000, indexer: 60_000 } as const;

/**
 * A signal to the process group reaches a child before the supervisor's order. The child waits for
 * the order, so that roles end in sequence.
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
  listen(isSupervised, { stop, permit, announced: () => running?.announced?.() });

  try {
    running = await options.start({ mayServe, signal: abortion.signal });
  } catch (error) {
    if (stopping !== null) process.exit(0);
    fail(error, options);
    return;
  }
  if (stopping !== null) return end(running, stopping, options);
  if (!isSupervised) return onReady?.(running.info);
  report({ kind: 'ready', info: running.info });
  setInterval(() => report({ kind: 'alive' }), REPORT_MS).unref();
}

interface Orders {
  readonly stop: (reason: StopReason) => void;
  readonly permit: () => void;
  readonly announced: () => void;
}

/** Subscribes to the messages and signals that start or stop the role. */
function listen(isSupervised: boolean, { stop, permit, announced }: Orders): void {
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
    else if (kind === 'stopping') {
      isOrderComing = true;
      announced();
    } else if (kind === 'stop') stop('stop');
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
    log.error({ err: error }, 'the shutdown failed');
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

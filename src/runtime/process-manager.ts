/**
 * Supervises child processes: starts them together, notifies a child when the child it depends on
 * has been ready, restarts a child that died, stops them in sequence in reverse order of start. The
 * delay before a restart doubles from 100 ms to 10 s and is reset after a minute of uptime.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { EXIT_FENCED, type ProcessEnd, processEnd } from '../core/process-end.ts';
import type { Logger } from '../observability/logger.ts';
import { HangWatch, REPORT_MS } from './hang-watch.ts';
import {
  type ChildMessage,
  PREDECESSOR_VARIABLE,
  type RoleInfo,
  type SupervisorMessage,
} from './lifecycle-protocol.ts';
import { StartFailure } from './start-failure.ts';

export interface ChildSpec {
  readonly name: string;
  readonly entry: URL;
  /** Overrides the inherited environment; undefined removes a variable. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Child that must have been ready once before this child is allowed to serve. */
  readonly servesAfter?: string;
  /** Milliseconds of draining before the child is killed. */
  readonly stopGraceMs: number;
  /** Milliseconds without a report of a ready child after which it is killed; absent = unlimited. */
  readonly hangMs?: number;
}

interface ProcessManagerOptions {
  /** In order of start. */
  readonly children: readonly ChildSpec[];
  readonly log: Pick<Logger, 'warn'>;
  /** Called at each start of a child, the first included. */
  readonly onReady?: (name: string, info: RoleInfo) => void;
  /**
   * A child ended because another server took over the object store; it is not restarted. Absent: it
   * is restarted.
   */
  readonly onFenced?: (() => void) | undefined;
  readonly restartPolicy?: RestartPolicy;
}

interface RestartPolicy {
  readonly delayMsMin: number;
  readonly delayMsMax: number;
  /** Milliseconds of uptime after which the restart delay is reset. */
  readonly healthyMs: number;
  /** Deaths before the first `ready` that are retried; then the start fails. */
  readonly failedStartsMax: number;
  /** Milliseconds between two looks for a child that hangs. */
  readonly lookMs: number;
}

export const RESTART_POLICY: RestartPolicy = {
  delayMsMin: 100,
  delayMsMax: 10_000,
  healthyMs: 60_000,
  failedStartsMax: 5,
  lookMs: REPORT_MS,
};

/**
 * Set by `node --watch`. A child that inherits it would report the files it loads over the channel
 * of its parent.
 */
const WATCH_VARIABLE = 'WATCH_REPORT_DEPENDENCIES';

/** @param env overrides the inherited environment; undefined removes a variable */
export const forkChild = (entry: URL, env: ChildSpec['env']): ChildProcess =>
  fork(entry, [], {
    env: { ...process.env, [WATCH_VARIABLE]: undefined, ...env },
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });

export class ProcessManager {
  readonly #children: readonly SupervisedChild[];

  constructor({
    children,
    log,
    onReady = () => undefined,
    onFenced,
    restartPolicy = RESTART_POLICY,
  }: ProcessManagerOptions) {
    const onChildReady = (name: string, info: RoleInfo): void => {
      for (const child of this.#children) child.permitAfter(name);
      onReady(name, info);
    };
    this.#children = children.map(
      (spec) => new SupervisedChild(spec, log, { onReady: onChildReady, onFenced }, restartPolicy),
    );
  }

  /**
   * Resolves when all children are ready. Rejects with `StartFailure` when one cannot start; the
   * caller then calls `stop`.
   */
  async start(): Promise<void> {
    await Promise.all(this.#children.map((child) => child.start()));
  }

  /**
   * Announces the shutdown to all children, then drains them in sequence, last started first.
   */
  async stop(): Promise<void> {
    for (const child of this.#children) child.announceStop();
    for (const child of [...this.#children].reverse()) await child.stop();
  }

  /** Names of the children that have not ended. */
  get running(): string[] {
    return this.#children.filter(({ pid }) => pid !== null).map(({ name }) => name);
  }

  /** Kills all children without waiting. */
  kill(): void {
    for (const child of this.#children) child.kill();
  }

  /** A child that is down gets no signal. */
  signal(name: string, signal: NodeJS.Signals): void {
    const pid = this.pidOf(name);
    if (pid !== null) process.kill(pid, signal);
  }

  /** Process id of a running child; null while it is down. */
  pidOf(name: string): number | null {
    return this.#children.find((child) => child.name === name)?.pid ?? null;
  }
}

interface ChildEvents {
  readonly onReady: (name: string, info: RoleInfo) => void;
  readonly onFenced: (() => void) | undefined;
}

class SupervisedChild {
  readonly #spec: ChildSpec;
  readonly #log: Pick<Logger, 'warn'>;
  readonly #events: ChildEvents;
  readonly #policy: RestartPolicy;
  #process: ChildProcess | null = null;
  #exited: Promise<void> = Promise.resolve();
  #restartTimer: NodeJS.Timeout | null = null;
  #hangWatch: HangWatch | null = null;
  #hangTimer: NodeJS.Timeout | undefined;
  #mayRestart = true;
  #mayServe = false;
  #wasEverReady = false;
  #failure: string | null = null;
  #deaths = 0;
  #lastEnd: ProcessEnd | null = null;
  #readyAtMs: number | null = null;
  #settleStart: { resolve: () => void; reject: (error: StartFailure) => void } | null = null;

  constructor(
    spec: ChildSpec,
    log: Pick<Logger, 'warn'>,
    events: ChildEvents,
    policy: RestartPolicy,
  ) {
    this.#spec = spec;
    this.#log = log;
    this.#events = events;
    this.#policy = policy;
  }

  get name(): string {
    return this.#spec.name;
  }

  get pid(): number | null {
    return this.#process?.pid ?? null;
  }

  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#settleStart = { resolve, reject };
      this.#spawn();
    });
  }

  permitAfter(name: string): void {
    if (this.#spec.servesAfter !== name || this.#mayServe) return;
    this.#mayServe = true;
    this.#send({ kind: 'serve' });
  }

  announceStop(): void {
    this.forbidRestart();
    this.#send({ kind: 'stopping' });
  }

  forbidRestart(): void {
    this.#mayRestart = false;
    clearInterval(this.#hangTimer);
    if (this.#restartTimer !== null) clearTimeout(this.#restartTimer);
  }

  async stop(): Promise<void> {
    this.forbidRestart();
    const child = this.#process;
    if (child === null) return;
    const timer = setTimeout(() => {
      this.#log.warn(`${this.name} did not stop within ${this.#spec.stopGraceMs} ms and is killed`);
      child.kill('SIGKILL');
    }, this.#spec.stopGraceMs);
    if (child.connected) this.#send({ kind: 'stop' });
    else child.kill('SIGTERM');
    await this.#exited;
    clearTimeout(timer);
  }

  kill(): void {
    this.forbidRestart();
    this.#process?.kill('SIGKILL');
  }

  /** A child that is down gets no message. */
  #send(message: SupervisorMessage): void {
    if (this.#process?.connected === true) this.#process.send(message, () => undefined);
  }

  #spawn(): void {
    const { entry, env } = this.#spec;
    const predecessor = this.#lastEnd === null ? {} : { [PREDECESSOR_VARIABLE]: this.#lastEnd };
    const child = forkChild(entry, { ...predecessor, ...env });
    this.#process = child;
    this.#failure = null;
    this.#readyAtMs = null;
    child.on('message', (message) => this.#receive(message as ChildMessage | null));
    this.#exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#lastEnd = processEnd(code, signal);
        resolve();
        this.#onExit(code, `ended with ${signal ?? `code ${code}`}`);
      });
      child.on('error', (error) => {
        this.#log.warn(`${this.name}: ${error.message}`);
        // A process that the system could not start emits no `exit`.
        if (child.pid !== undefined) return;
        resolve();
        this.#onExit(null, `did not start: ${error.message}`);
      });
    });
    if (this.#mayServe) this.#send({ kind: 'serve' });
  }

  /** Messages from other senders than the role can arrive on the channel. */
  #receive(message: ChildMessage | null): void {
    if (message?.kind === 'failed') this.#failure = message.message;
    if (message?.kind === 'alive') this.#hangWatch?.reported(performance.now());
    if (message?.kind !== 'ready') return;
    this.#watchForHangs();
    this.#wasEverReady = true;
    this.#readyAtMs = performance.now();
    this.#events.onReady(this.name, message.info);
    this.#settleStart?.resolve();
  }

  #watchForHangs(): void {
    const { hangMs } = this.#spec;
    if (hangMs === undefined || !this.#mayRestart) return;
    const { lookMs } = this.#policy;
    const watch = new HangWatch(hangMs, lookMs, performance.now());
    this.#hangWatch = watch;
    this.#hangTimer = setInterval(() => {
      if (!watch.hangs(performance.now())) return;
      this.#log.warn(`the event loop of ${this.name} has hung for ${hangMs} ms; it is killed`);
      this.#process?.kill('SIGKILL');
    }, lookMs).unref();
  }

  /** @param how for messages, such as `ended with code 1` */
  #onExit(code: number | null, how: string): void {
    this.#process = null;
    clearInterval(this.#hangTimer);
    const { onFenced } = this.#events;
    if (code === EXIT_FENCED && onFenced !== undefined) {
      this.forbidRestart();
      onFenced();
      return;
    }
    if (!this.#mayRestart) {
      if (code !== 0) this.#log.warn(`${this.name} ${how} while it stopped`);
      return;
    }
    const reason = this.#failure ?? how;
    const gaveUp = this.#failure !== null || this.#deaths >= this.#policy.failedStartsMax;
    if (!this.#wasEverReady && gaveUp) {
      this.#settleStart?.reject(
        new StartFailure(this.#failure ?? `${this.name} cannot start: it ${reason}`),
      );
      return;
    }
    if (this.#readyAtMs !== null && performance.now() - this.#readyAtMs > this.#policy.healthyMs)
      this.#deaths = 0;
    const delayMs = Math.min(this.#policy.delayMsMin * 2 ** this.#deaths, this.#policy.delayMsMax);
    this.#deaths += 1;
    this.#log.warn(`${this.name} is down (${reason}); restarting in ${delayMs} ms`);
    this.#restartTimer = setTimeout(() => this.#spawn(), delayMs);
  }
}

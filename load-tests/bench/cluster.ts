/**
 * Nodes of this build on one object store, and a client that sends requests as the balancer of
 * config/containers/haproxy.cfg does: to nodes that are ready, searches again to another node when a
 * node ends the connection without an answer.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './server.ts';

const MAIN = resolve(import.meta.dirname, '../../src/main.js');
const KEY = 'a-master-key-of-nodes';
const START_MS = 120_000;
export const POLL_MS = 100;
/** Until a node that has ended is started again. */
const RESTART_MS = 1000;
const CHECK_MS = 1000;
/** Nodes start without warm-up: their first searches load what they need. */
const YOUNG_MS = 10_000;
/** Failed checks after which a node gets no requests. */
const FALL = 2;
const RETRIES = 3;

/** NaN of a line without a time. */
const timeOfLine = (line: string): number => Date.parse(line.split(' ', 1)[0] ?? '');

export interface Attempt {
  /** 0 = no answer. */
  readonly status: number;
  readonly json: unknown;
  /** No node can have read it. */
  readonly isUnsent: boolean;
  /** Time, node, and the error of the connection or the code of the answer; null = answered well. */
  readonly failure: string | null;
}

export interface Reply extends Attempt {
  /** Attempts that ended without an answer. */
  readonly retries: number;
  /** Of each attempt that failed. */
  readonly failures: readonly string[];
}

/** The processes of a server, on a folder and a port that stay. */
export class ClusterNode {
  readonly name: string;
  readonly folder: string;
  readonly #flags: readonly string[];
  readonly #port: number;
  readonly #log: string;
  #child: ChildProcess | null = null;
  #ends = 0;
  /** performance.now() when its last process was ready. */
  #readyMs = Number.POSITIVE_INFINITY;

  private constructor(name: string, port: number, flags: readonly string[]) {
    this.name = name;
    this.#port = port;
    this.#flags = flags;
    this.folder = mkdtempSync(join(tmpdir(), `gannet-${name}-`));
    this.#log = `${this.folder}.log`;
  }

  /** Resolves when it is ready. */
  static async start(name: string, flags: readonly string[]): Promise<ClusterNode> {
    const node = new ClusterNode(name, await freePort(), flags);
    await node.begin();
    return node;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Lines of its log that begin within the time, in milliseconds since 1970. */
  logLines(fromMs: number, toMs: number): string[] {
    return readFileSync(this.#log, 'utf8')
      .split('\n')
      .filter((line) => {
        const time = timeOfLine(line);
        return time >= fromMs && time <= toMs;
      });
  }

  /** True for the node that has said last that it writes. */
  get isWriter(): boolean {
    const said = readFileSync(this.#log, 'utf8').match(/this node (reads|writes)/g);
    return (said?.at(-1) ?? 'this node writes').endsWith('writes');
  }

  /** Times that it ended without a signal of the caller and was started again. */
  get ends(): number {
    return this.#ends;
  }

  /** True until it has been ready for a while. */
  isYoungAt(ms: number): boolean {
    return ms < this.#readyMs + YOUNG_MS;
  }

  /** Resolves when it is ready. */
  async begin(): Promise<void> {
    this.#spawn();
    await this.untilReady();
  }

  #spawn(): void {
    this.#readyMs = Number.POSITIVE_INFINITY;
    const log = openSync(this.#log, 'a');
    const own = ['--db-path', this.folder, '--http-addr', `127.0.0.1:${this.#port}`];
    const more = ['--no-analytics', '--no-warm-up', '--master-key', KEY];
    // A process group of its own, which gets the signals.
    this.#child = spawn(process.execPath, [MAIN, ...own, ...more, ...this.#flags], {
      stdio: ['ignore', log, log],
      detached: true,
    });
    sharePriority(this.#child.pid);
  }

  /** A node that has ended is started again, as a service manager does. */
  async untilReady(): Promise<void> {
    for (const endMs = Date.now() + START_MS; !(await this.isReady()); await sleep(POLL_MS)) {
      if (Date.now() > endMs) throw new Error(`${this.name} is not ready, see ${this.#log}`);
      if (this.#isRunning) continue;
      this.#ends++;
      await sleep(RESTART_MS);
      this.#spawn();
    }
    this.#readyMs = Math.min(this.#readyMs, performance.now());
  }

  async isReady(): Promise<boolean> {
    const signal = AbortSignal.timeout(CHECK_MS);
    const answer = await fetch(`${this.url}/readyz`, { signal }).catch(() => null);
    await answer?.arrayBuffer().catch(() => null);
    return answer?.status === 200;
  }

  signal(signal: NodeJS.Signals): void {
    const pid = this.#child?.pid;
    if (pid !== undefined && this.#isRunning) process.kill(-pid, signal);
  }

  get #isRunning(): boolean {
    return this.#child?.exitCode === null && this.#child.signalCode === null;
  }

  /** Resolves when all of its processes have ended. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (child === null || !this.#isRunning) return;
    const ended = new Promise((done) => child.once('exit', done));
    if (signal === 'SIGTERM') child.kill(signal);
    else this.signal(signal);
    await ended;
  }
}

/** A session has its own share of the processors on Linux: it gets the priority of this process. */
function sharePriority(pid: number | undefined): void {
  const own = '/proc/self/autogroup';
  if (pid === undefined || !existsSync(own)) return;
  const nice = / nice (-?\d+)/.exec(readFileSync(own, 'utf8'))?.[1];
  if (nice !== undefined && nice !== '0') writeFileSync(`/proc/${pid}/autogroup`, nice);
}

export class Balancer {
  readonly #nodes: readonly ClusterNode[];
  readonly #failedChecks = new Map<ClusterNode, number>();
  readonly #checks: NodeJS.Timeout;
  readonly #onSearch: (node: ClusterNode, startMs: number, attempt: Attempt) => void;
  #next = 0;

  /** @param onSearch called when a node has answered a search or not, with performance.now() of its start */
  constructor(
    nodes: readonly ClusterNode[],
    onSearch: (node: ClusterNode, startMs: number, attempt: Attempt) => void,
  ) {
    this.#nodes = nodes;
    this.#onSearch = onSearch;
    this.#checks = setInterval(() => void this.#check(), CHECK_MS);
  }

  close(): void {
    clearInterval(this.#checks);
  }

  /** A read: sent again to another node when there is no answer. */
  search(path: string, body: unknown, timeoutMs: number): Promise<Reply> {
    return this.#send(path, body, timeoutMs, (attempt, node, startMs) => {
      this.#onSearch(node, startMs, attempt);
      return attempt.status === 0;
    });
  }

  /** Sent again only if it reached no node. */
  write(path: string, body: unknown, timeoutMs: number): Promise<Reply> {
    return this.#send(path, body, timeoutMs, ({ isUnsent }) => isUnsent);
  }

  async #send(
    path: string,
    body: unknown,
    timeoutMs: number,
    isRepeated: (reply: Attempt, node: ClusterNode, startMs: number) => boolean,
  ): Promise<Reply> {
    const tried: ClusterNode[] = [];
    const failures: string[] = [];
    for (;;) {
      const node = this.#pick(tried);
      tried.push(node);
      const startMs = performance.now();
      const reply = await send(node, 'POST', path, body, timeoutMs);
      if (reply.failure !== null) failures.push(reply.failure);
      if (!isRepeated(reply, node, startMs) || tried.length > RETRIES)
        return { ...reply, retries: tried.length - 1, failures };
    }
  }

  #pick(tried: readonly ClusterNode[]): ClusterNode {
    const isUp = (node: ClusterNode) => (this.#failedChecks.get(node) ?? 0) < FALL;
    const untried = this.#nodes.filter((node) => !tried.includes(node));
    const among = [untried.filter(isUp), untried, this.#nodes].find(({ length }) => length > 0);
    if (among === undefined) throw new Error('a balancer without nodes');
    return among[this.#next++ % among.length] as ClusterNode;
  }

  async #check(): Promise<void> {
    await Promise.all(
      this.#nodes.map(async (node) => {
        const failed = (await node.isReady()) ? 0 : (this.#failedChecks.get(node) ?? 0) + 1;
        this.#failedChecks.set(node, failed);
      }),
    );
  }
}

export async function send(
  node: ClusterNode,
  method: string,
  path: string,
  body?: unknown,
  timeoutMs = 60_000,
): Promise<Attempt> {
  const startMs = performance.now();
  const failureOf = (what: string): string => {
    const tookMs = Math.round(performance.now() - startMs);
    return `${new Date().toISOString()} ${node.name}: ${what} after ${tookMs} ms`;
  };
  try {
    const answer = await fetch(node.url + path, {
      method,
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(timeoutMs),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const json: unknown = await answer.json();
    const { status, ok } = answer;
    const failure = ok ? null : failureOf(`${status} ${(json as { code?: string }).code}`);
    return { status, json, isUnsent: false, failure };
  } catch (error) {
    const { name, message } = error as Error;
    const { code, message: reason } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
    const failure = failureOf(code === undefined ? `${name} ${message}` : `${code} ${reason}`);
    return { status: 0, json: null, isUnsent: code === 'ECONNREFUSED', failure };
  }
}

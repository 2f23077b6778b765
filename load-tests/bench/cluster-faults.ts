/** Faults of a cluster under load: processes of nodes and of the store are killed, paused or restarted. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type ClusterNode, POLL_MS } from './cluster.ts';
import type { Pausable, Pauses } from './pauses.ts';
import type { Takeovers } from './takeovers.ts';

/** Between faults. */
export const CALM_MS = 3000;
export const TICK_MS = 10;
/** After which the logs have what happened. */
const LOG_MS = 500;
/** A node or process that was killed stays away as long. */
const AWAY_MS = 1000;
/** A node takes over sooner, or the round has failed. */
const TAKEOVER_MS_MAX = 300_000;

export interface FaultSurroundings {
  readonly nodes: readonly ClusterNode[];
  readonly pauseMs: number;
  readonly pauses: Pauses;
  readonly store: StoreProcesses;
  readonly takeovers: Takeovers;
  /** Number of acknowledged writes. */
  readonly acknowledged: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** The processes of a store that runs on this machine. */
export class StoreProcesses {
  readonly #folder: string | null;
  readonly #start: string | null;

  /**
   * @param folder has a file `….pid` for each process
   * @param start command that starts the processes that are missing, and resolves when they are ready
   */
  constructor(folder: string | null, start: string | null) {
    this.#folder = folder;
    this.#start = start;
  }

  get hasProcesses(): boolean {
    return this.#folder !== null;
  }

  /** Sent to those that run. */
  signal(signal: NodeJS.Signals): void {
    for (const pid of this.#pids()) if (existsSync(`/proc/${pid}`)) process.kill(pid, signal);
  }

  /** Resolves when the store is complete again. */
  async killOne(random: number): Promise<void> {
    if (this.#start === null) throw new Error('kill-store needs --store-start');
    const pids = this.#pids();
    process.kill(pids[Math.floor(random * pids.length)] as number, 'SIGKILL');
    await sleep(AWAY_MS);
    await promisify(execFile)('bash', ['-c', this.#start]);
  }

  #pids(): number[] {
    const folder = this.#folder;
    if (folder === null) throw new Error('faults of the store need --store-run');
    const files = readdirSync(folder).filter((name) => name.endsWith('.pid'));
    return files.map((name) => Number(readFileSync(join(folder, name), 'utf8')));
  }
}

/** Numbers of faults by name. */
export class FaultCounts {
  readonly #counts = new Map<string, number>();

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  toString(): string {
    return [...this.#counts].map(([name, count]) => `${name} ${count}`).join(', ');
  }
}

type Fault = (around: FaultSurroundings, counts: FaultCounts) => Promise<void>;

/** Each resolves when the fault is over and every node runs. */
export const faults: Readonly<Record<string, Fault>> = {
  /** The writer is killed, and starts again when another node writes. */
  async kill({ nodes, takeovers, acknowledged }, counts) {
    const writer = writerOf(nodes);
    const others = nodes.filter((node) => node !== writer);
    const killedMs = Date.now();
    await writer.end('SIGKILL');
    counts.add('kill');
    // What the killed node had answered.
    await sleep(POLL_MS);
    const before = acknowledged();
    for (; acknowledged() === before; await sleep(TICK_MS))
      if (Date.now() - killedMs > TAKEOVER_MS_MAX) throw new Error('no takeover after a kill');
    const acknowledgedMs = Date.now();
    await sleep(LOG_MS);
    takeovers.add(others, killedMs, acknowledgedMs);
    await writer.begin();
  },
  /** The writer is killed, and starts again before another node writes. */
  'kill-briefly': async ({ nodes }, counts) => {
    await killed(writerOf(nodes), 'kill-briefly', counts);
  },
  'kill-reader': async ({ nodes }, counts) => {
    await killed(nodes.at(-1) as ClusterNode, 'kill-reader', counts);
  },
  'kill-store': async ({ store, random }, counts) => {
    counts.add('kill-store');
    await store.killOne(random());
  },
  async pause({ nodes, pauses, pauseMs }, counts) {
    const writer = writerOf(nodes);
    await pauses.pause(writer, pauseMs);
    await writer.untilReady();
    counts.add('pause');
  },
  'pause-reader': async ({ nodes, pauses, pauseMs }, counts) => {
    const reader = nodes.at(-1) as ClusterNode;
    await pauses.pause(reader, pauseMs);
    await reader.untilReady();
    counts.add('pause-reader');
  },
  'pause-store': async ({ store, pauses, pauseMs }, counts) => {
    await pauses.pause(store, pauseMs);
    counts.add('pause-store');
  },
  async roll({ nodes }, counts) {
    for (const node of nodes) {
      await node.end('SIGTERM');
      await node.begin();
      await sleep(CALM_MS);
    }
    counts.add('roll');
  },
  /** The writer, a reader or the store is paused; until it goes on, other nodes are killed in turn. */
  async storm({ nodes, pauses, pauseMs, store, random }, counts) {
    const choice = Math.floor(random() * (store.hasProcesses ? 3 : 2));
    const target = [writerOf(nodes), nodes.at(-1) as ClusterNode, store][choice] as Pausable;
    const pause = pauses.pause(target, pauseMs);
    counts.add(['pause', 'pause-reader', 'pause-store'][choice] as string);
    for (const endMs = performance.now() + pauseMs; performance.now() < endMs; ) {
      const running = nodes.filter((node) => node !== target);
      const writer = writerOf(running);
      const victim = random() < 0.6 ? writer : running[Math.floor(random() * running.length)];
      await sleep(random() * CALM_MS);
      await killed(victim as ClusterNode, victim === writer ? 'kill' : 'kill-reader', counts);
    }
    await pause;
    for (const node of nodes) await node.untilReady();
  },
};

const writerOf = (nodes: readonly ClusterNode[]): ClusterNode =>
  nodes.find(({ isWriter }) => isWriter) ?? (nodes[0] as ClusterNode);

async function killed(node: ClusterNode, name: string, counts: FaultCounts): Promise<void> {
  await node.end('SIGKILL');
  counts.add(name);
  await sleep(AWAY_MS);
  await node.begin();
}

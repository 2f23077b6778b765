/**
 * Histories of several nodes on one store, each decided by a seed: delays, lost answers, pauses, kills
 * and restarts. Roles, takeovers, the order of commits, the guard of a paused writer and the repetition
 * of requests are decided by the code of the server.
 */
import { randomOf } from '../../../load-tests/bench/random.ts';
import { EventLoop } from './event-loop.ts';
import { SimulatedNode } from './simulated-node.ts';
import { SimulatedStore } from './simulated-store.ts';

export interface SimulationOptions {
  /** False: a paused writer acknowledges what the store accepts. */
  readonly isGuarded: boolean;
  /** False: requests are repeated also when a node may have accepted them. */
  readonly isCareful: boolean;
  /** False: a node that starts ignores that another one takes over. */
  readonly seesOpenings: boolean;
}

/** The server. */
export const ACTUAL: SimulationOptions = { isGuarded: true, isCareful: true, seesOpenings: true };

export interface History {
  /** Of the first violation; null = none. */
  readonly violation: string | null;
  readonly acknowledged: number;
  readonly takeovers: number;
  /** Openings of the database that a node interrupted which had just started. */
  readonly interruptions: number;
  readonly endMs: number;
}

const FAULTS_MS = 20_000;
const CALM_MS = 300_000;

export class World {
  readonly loop = new EventLoop();
  readonly options: SimulationOptions;
  readonly random: () => number;
  readonly store = new SimulatedStore((what) => this.violate(what));
  readonly #nodes: readonly SimulatedNode[];
  readonly #acknowledged = new Map<number, number>();
  #violation: string | null = null;
  #requests = 0;
  #interruptions = 0;

  constructor(seed: number, options: SimulationOptions) {
    this.options = options;
    this.random = randomOf(seed);
    this.#nodes = [
      new SimulatedNode(this, 'n0', 'all'),
      new SimulatedNode(this, 'n1', 'all'),
      new SimulatedNode(this, 'n2', this.chance(0.5) ? 'all' : 'reader'),
    ];
  }

  /** From 0 to `count` − 1. */
  below(count: number): number {
    return Math.floor(this.random() * count);
  }

  between(least: number, most: number): number {
    return least + this.random() * (most - least);
  }

  chance(share: number): boolean {
    return this.random() < share;
  }

  pick<T>(values: readonly T[]): T | undefined {
    return values[this.below(values.length)];
  }

  /** Milliseconds of one direction of a request to the store; some are slow. */
  latency(): number {
    return this.chance(0.02) ? this.between(100, 9000) : this.between(2, 30);
  }

  node(id: string): SimulatedNode | undefined {
    return this.#nodes.find((node) => node.id === id);
  }

  violate(what: string): void {
    this.#violation ??= `${what}, at ${Math.round(this.loop.nowMs)} ms`;
  }

  acknowledged(request: number, uid: number): void {
    this.#acknowledged.set(request, uid);
    if (this.store.rows.get(uid)?.request !== request)
      this.violate(`request ${request} is acknowledged as task ${uid}, which is lost`);
  }

  /** @param node has just started, and stops all older writers at this moment */
  returned(node: SimulatedNode): void {
    if (this.#nodes.some((other) => other !== node && other.isOpening)) this.#interruptions++;
  }

  run(): History {
    for (const node of this.#nodes) node.end('killed');
    this.#requestLater();
    this.#faultLater();
    this.loop.run(FAULTS_MS, () => this.#violation !== null);
    for (const node of this.#nodes) node.wake();
    const isOver = this.loop.run(
      FAULTS_MS + CALM_MS,
      () => this.#violation !== null || this.#isOver(),
    );
    if (!isOver) this.violate('the nodes do not agree in the end');
    this.#checkRequests();
    const notes = this.store.changes.flatMap(({ note }) => note ?? []);
    const takeovers = notes.filter(({ nodeId }, i) => i > 0 && notes[i - 1]!.nodeId !== nodeId);
    return {
      violation: this.#violation,
      acknowledged: this.#acknowledged.size,
      takeovers: takeovers.length,
      interruptions: this.#interruptions,
      endMs: this.loop.nowMs,
    };
  }

  #isOver(): boolean {
    if (this.loop.nowMs < FAULTS_MS) return false;
    for (const { status } of this.store.rows.values()) if (status === 'enqueued') return false;
    return this.#nodes.every(({ isCurrent }) => isCurrent);
  }

  #checkRequests(): void {
    const requests = [...this.store.rows.values()].map(({ request }) => request);
    if (new Set(requests).size < requests.length) this.violate('a request is enqueued twice');
    for (const [request, uid] of this.#acknowledged)
      if (this.store.rows.get(uid)?.request !== request) this.violate(`task ${uid} is lost`);
  }

  #requestLater(): void {
    this.loop.after(this.between(20, 400), () => {
      if (this.loop.nowMs > FAULTS_MS) return;
      this.pick(this.#nodes)?.request(this.#requests++);
      this.#requestLater();
    });
  }

  #faultLater(): void {
    this.loop.after(this.between(200, 6000), () => {
      if (this.loop.nowMs > FAULTS_MS) return;
      const node = this.pick(this.#nodes)!;
      if (this.chance(0.5)) node.pause(this.between(100, 14_000));
      else if (this.chance(0.7)) node.end('killed');
      else node.stop();
      this.#faultLater();
    });
  }
}

export const simulate = (seed: number, options = ACTUAL): History => new World(seed, options).run();

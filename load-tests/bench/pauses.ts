/** Pauses of nodes and of the store, and how long searches took in them, by whether their node ran. */
import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from './statistics.ts';

export interface Pausable {
  signal(signal: NodeJS.Signals): void;
}

export interface SearchedNode extends Pausable {
  isYoungAt(ms: number): boolean;
}

interface Pause {
  readonly target: Pausable;
  readonly startMs: number;
  endMs: number;
}

const NO_PAUSE = 'no pause';
const OTHER_PAUSED = 'its node ran, another or the store was paused';
const NODE_PAUSED = 'its node was paused';
const NODE_YOUNG = 'its node had just started';

export class Pauses {
  readonly #pauses: Pause[] = [];
  readonly #tookMs = new Map<string, number[]>([
    [NO_PAUSE, []],
    [OTHER_PAUSED, []],
    [NODE_PAUSED, []],
    [NODE_YOUNG, []],
  ]);

  async pause(target: Pausable, pauseMs: number): Promise<void> {
    const pause: Pause = { target, startMs: performance.now(), endMs: Number.POSITIVE_INFINITY };
    this.#pauses.push(pause);
    target.signal('SIGSTOP');
    await sleep(pauseMs);
    target.signal('SIGCONT');
    pause.endMs = performance.now();
  }

  /**
   * A search that a node got from the balancer at this time of performance.now(), and that ends now.
   * @returns its group
   */
  addSearch(node: SearchedNode, startMs: number): string {
    const touching = this.#pauses.filter(({ endMs }) => endMs >= startMs);
    const isOfNode = touching.some(({ target }) => target === node);
    const otherwise = touching.length > 0 ? OTHER_PAUSED : NO_PAUSE;
    const group = isOfNode ? NODE_PAUSED : node.isYoungAt(startMs) ? NODE_YOUNG : otherwise;
    this.#tookMs.get(group)?.push(performance.now() - startMs);
    return group;
  }

  /** Of searches as a node got them: one that is sent again is several. */
  rows(): string[][] {
    return [...this.#tookMs].map(([group, times]) => {
      const [p50, p99, max] = [0.5, 0.99, 1].map((p) => percentile(times, p).toFixed(0));
      return [`  ${group}`, `${times.length}: ${p50} ${p99} ${max}`];
    });
  }
}

/**
 * Does made work in a process that has nothing to do, so that the first real work meets code that
 * has been compiled. V8 interprets what it sees for the first time and compiles what it has seen
 * often: the same work takes two to three times as long in a young thread. Steps aside for real
 * work: of this process, and of anything else on the host.
 */

export interface SpareTimePorts {
  /** Cores that nothing but this process uses. */
  freeCores(): number;
  /** Pieces of real work since the start. */
  realWorkCount(): number;
  sleep(ms: number): Promise<void>;
}

export interface WarmUpPorts<Step> extends SpareTimePorts {
  /** Resolves when the step is done. */
  run(step: Step): Promise<void>;
}

export interface WarmUpOptions<Step> {
  readonly steps: readonly Step[];
  /** Threads that do the work; a step that is run several times at once goes to as many of them. */
  readonly threads: number;
  /** How often each thread sees each step. */
  readonly rounds: number;
}

/** After real work was seen. */
const PAUSE_MS = 250;
/** A core that is as good as free counts as free. */
const MEASURING_ERROR = 0.25;
/** A host that is busy for so long without a break serves people already. */
const PAUSES_MAX = 2400;

/** The time of a process in which nobody needs it, nor the core that it would use. */
export class SpareTime {
  readonly #ports: SpareTimePorts;
  readonly #signal: AbortSignal;
  #realCount: number;
  #pauses = 0;

  constructor(ports: SpareTimePorts, signal: AbortSignal) {
    this.#ports = ports;
    this.#signal = signal;
    this.#realCount = ports.realWorkCount();
  }

  /** Resolves, once there are some, with the cores to use now; with 0 when made work has an end. */
  async cores(): Promise<number> {
    const { freeCores, realWorkCount, sleep } = this.#ports;
    while (this.#pauses < PAUSES_MAX && !this.#signal.aborted) {
      const cores = Math.floor(freeCores() + MEASURING_ERROR);
      const isQuiet = realWorkCount() === this.#realCount;
      if (cores > 0 && isQuiet) return cores;
      this.#realCount = realWorkCount();
      this.#pauses++;
      await sleep(PAUSE_MS);
    }
    return 0;
  }
}

/** Resolves when the work is done, given up, or `signal` aborted. */
export async function warmUp<Step>(
  { steps, threads, rounds }: WarmUpOptions<Step>,
  ports: WarmUpPorts<Step>,
  signal: AbortSignal,
): Promise<void> {
  const spare = new SpareTime(ports, signal);
  let left = steps.length * threads * rounds;
  for (let next = 0; left > 0; ) {
    const cores = await spare.cores();
    if (cores === 0) return;
    const step = steps[next++ % steps.length] as Step;
    const copies = Math.min(cores, threads);
    await Promise.all(Array.from({ length: copies }, () => ports.run(step)));
    left -= copies;
  }
}

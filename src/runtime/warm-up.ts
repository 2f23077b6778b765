/**
 * Does made work in a process that has nothing to do, so that the first real work meets code that
 * has been compiled. V8 interprets what it sees for the first time and compiles what it has seen
 * often: the same work takes two to three times as long in a young thread. Steps aside for real
 * work: of this process, and of anything else on the host.
 */

export interface WarmUpPorts<Step> {
  /** Resolves when the step is done. */
  run(step: Step): Promise<void>;
  /** Cores that nothing but this process uses. */
  freeCores(): number;
  /** Pieces of real work since the start. */
  realWorkCount(): number;
  sleep(ms: number): Promise<void>;
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

/** Resolves when the work is done, given up, or `signal` aborted. */
export async function warmUp<Step>(
  { steps, threads, rounds }: WarmUpOptions<Step>,
  ports: WarmUpPorts<Step>,
  signal: AbortSignal,
): Promise<void> {
  let left = steps.length * threads * rounds;
  let realCount = ports.realWorkCount();
  for (let next = 0, pauses = 0; left > 0 && pauses < PAUSES_MAX && !signal.aborted; ) {
    const cores = Math.floor(ports.freeCores() + MEASURING_ERROR);
    const isQuiet = ports.realWorkCount() === realCount;
    if (cores < 1 || !isQuiet) {
      realCount = ports.realWorkCount();
      pauses++;
      await ports.sleep(PAUSE_MS);
      continue;
    }
    const step = steps[next++ % steps.length] as Step;
    const copies = Math.min(cores, threads);
    await Promise.all(Array.from({ length: copies }, () => ports.run(step)));
    left -= copies;
  }
}

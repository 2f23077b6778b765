/**
 * Sends made requests through a front that has nothing to do, so that the first people who search meet code that has been compiled.
 * V8 interprets what it sees for the first time and compiles what it has seen often: the same searches take two to three times as
 * long in a young thread. Steps aside for work: of this front, and of anything else on the host.
 */

/** A POST request. */
export interface WarmUpRequest {
  readonly path: string;
  readonly body: string;
}

export interface WarmUpPorts {
  /** Resolves when the request has been answered; never rejects. */
  send(request: WarmUpRequest): Promise<void>;
  /** Cores that nothing but this process uses. */
  freeCores(): number;
  /** Requests of others since the start. */
  foreignRequestCount(): number;
  sleep(ms: number): Promise<void>;
}

export interface WarmUpOptions {
  readonly requests: readonly WarmUpRequest[];
  /** Query threads; several requests at a time go to as many of them. */
  readonly threads: number;
  /** How often each thread sees each request. */
  readonly rounds: number;
}

/** After work of others was seen. */
const PAUSE_MS = 250;
/** A core that is as good as free counts as free. */
const MEASURING_ERROR = 0.25;
/** A host that is busy for so long without a break serves people already. */
const PAUSES_MAX = 2400;

/** Resolves when the work is done, given up, or `signal` aborted. */
export async function warmUp(
  { requests, threads, rounds }: WarmUpOptions,
  ports: WarmUpPorts,
  signal: AbortSignal,
): Promise<void> {
  let left = requests.length * threads * rounds;
  let foreignCount = ports.foreignRequestCount();
  for (let next = 0, pauses = 0; left > 0 && pauses < PAUSES_MAX && !signal.aborted; ) {
    const cores = Math.floor(ports.freeCores() + MEASURING_ERROR);
    const isQuiet = ports.foreignRequestCount() === foreignCount;
    if (cores < 1 || !isQuiet) {
      foreignCount = ports.foreignRequestCount();
      pauses++;
      await ports.sleep(PAUSE_MS);
      continue;
    }
    const request = requests[next++ % requests.length] as WarmUpRequest;
    const copies = Math.min(cores, threads);
    await Promise.all(Array.from({ length: copies }, () => ports.send(request)));
    left -= copies;
  }
}

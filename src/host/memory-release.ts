/**
 * Decides when memory that work has freed goes back to the system: shortly after work by which the
 * process has grown, and once more when no work has come for a while, since threads have ended by
 * then and given back what they held.
 */

/** Growth that is worth some milliseconds of this process. */
const GROWTH_BYTES = 32 << 20;
/** Lets who waits for the work hear of it first. */
const DELAY_MS = 10;
/** Longer than threads without work stay. */
const QUIET_MS = 15_000;

export interface MemoryPorts {
  /** Memory of the process that is in RAM. */
  residentBytes(): number;
  release(): void;
  /** Calls back once, after `ms`. */
  later(run: () => void, ms: number): void;
}

export class MemoryRelease {
  readonly #ports: MemoryPorts;
  #knownBytes: number;
  #workCount = 0;
  #isAwaited = false;
  #isQuietAwaited = false;

  constructor(ports: MemoryPorts) {
    this.#ports = ports;
    this.#knownBytes = ports.residentBytes();
  }

  afterWork(): void {
    this.#workCount += 1;
    this.#awaitQuiet();
    if (this.#isAwaited) return;
    this.#isAwaited = true;
    this.#ports.later(() => this.#look(), DELAY_MS);
  }

  #look(): void {
    this.#isAwaited = false;
    if (this.#ports.residentBytes() - this.#knownBytes >= GROWTH_BYTES) this.#release();
  }

  #awaitQuiet(): void {
    if (this.#isQuietAwaited) return;
    this.#isQuietAwaited = true;
    const before = this.#workCount;
    this.#ports.later(() => {
      this.#isQuietAwaited = false;
      if (this.#workCount !== before) this.#awaitQuiet();
      else this.#release();
    }, QUIET_MS);
  }

  #release(): void {
    this.#ports.release();
    this.#knownBytes = this.#ports.residentBytes();
  }
}

/**
 * Decides when memory that work has freed goes back to the system: shortly after work by which the
 * process has grown.
 */

/** Growth that is worth some milliseconds of this process. */
const GROWTH_BYTES = 32 << 20;
/** Lets who waits for the work hear of it first. */
const DELAY_MS = 10;

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
  #isAwaited = false;

  constructor(ports: MemoryPorts) {
    this.#ports = ports;
    this.#knownBytes = ports.residentBytes();
  }

  afterWork(): void {
    if (this.#isAwaited) return;
    this.#isAwaited = true;
    this.#ports.later(() => this.#look(), DELAY_MS);
  }

  #look(): void {
    this.#isAwaited = false;
    const { residentBytes, release } = this.#ports;
    if (residentBytes() - this.#knownBytes < GROWTH_BYTES) return;
    release();
    this.#knownBytes = residentBytes();
  }
}

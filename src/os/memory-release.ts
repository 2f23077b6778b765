/**
 * Schedules the return of freed memory to the system: shortly after work that made the process
 * grow, and again after an idle time, when idle threads have ended and freed their memory.
 */

/** Growth in bytes that justifies some milliseconds of this process. */
const GROWTH_BYTES = 32 << 20;
/** Milliseconds after the work, so that its result is delivered first. */
const DELAY_MS = 10;
/** Milliseconds: longer than idle threads are kept. */
const QUIET_MS = 15_000;

export interface MemoryPorts {
  /** Resident set size in bytes. */
  residentBytes(): number;
  release(): void;
  /** Calls back once, after `ms` milliseconds. */
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

/**
 * Which searches other threads do as well, unheard. Work comes to the first thread that has none, so
 * one client at a time makes one thread quick, and the others would meet their first crowd with code
 * that is not compiled and nothing kept. They join in once the first thread is quick: compiling for
 * several at once would slow it down.
 */

export interface JointYouthOptions {
  /** Searches that the first thread does alone. */
  readonly alone: number;
  /** Searches after them that others join in with … */
  readonly together: number;
  /** … as long as these have not taken them so much time. */
  readonly togetherMs: number;
  /** Cores that nothing but this process uses. */
  readonly freeCores: () => number;
}

/** A core that others use so much of counts as free: a client that asks one search after the other does. */
const USED_MAX = 0.5;

export class JointYouth {
  readonly #freeCores: () => number;
  #aloneLeft: number;
  #togetherLeft: number;
  #leftMs: number;

  constructor({ alone, together, togetherMs, freeCores }: JointYouthOptions) {
    this.#aloneLeft = alone;
    this.#togetherLeft = together;
    this.#leftMs = togetherMs;
    this.#freeCores = freeCores;
  }

  /** Of the threads that have nothing to do, those that join in while so many others work. */
  joining(idleThreads: number, workingThreads: number): number {
    if (this.#togetherLeft === 0 || this.#leftMs <= 0) return 0;
    if (this.#aloneLeft > 0) {
      this.#aloneLeft--;
      return 0;
    }
    if (idleThreads <= 0) return 0;
    const spareCores = Math.floor(this.#freeCores() + USED_MAX) - workingThreads;
    const joining = Math.max(0, Math.min(idleThreads, spareCores));
    if (joining > 0) this.#togetherLeft--;
    return joining;
  }
  /** Those that joined in with a search have ended, so long after it was given to them. */
  took(ms: number): void {
    this.#leftMs -= ms;
  }
}

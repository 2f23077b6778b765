/** Calls that wait for an event, each for a time at most. */
export class Waiters {
  readonly #ends = new Set<(hasCome: boolean) => void>();

  get size(): number {
    return this.#ends.size;
  }

  /** True when the event has come, false after `ms`. */
  wait(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (hasCome: boolean): void => {
        clearTimeout(timer);
        this.#ends.delete(end);
        resolve(hasCome);
      };
      const timer = setTimeout(() => end(false), ms);
      this.#ends.add(end);
    });
  }

  /** The event has come. */
  end(): void {
    for (const end of this.#ends) end(true);
  }
}

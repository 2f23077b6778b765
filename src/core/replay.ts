/** Tells what a sender who names everything that exists has left out: that is gone. */
export class Replay {
  /** null outside a replay. */
  #named: Set<string> | null = null;

  begin(): void {
    this.#named = new Set();
  }

  /** Without effect outside a replay. */
  name(uid: string): void {
    this.#named?.add(uid);
  }

  /** Ends the replay; those of `known` that it did not name. None when there was no replay. */
  end(known: Iterable<string>): string[] {
    const named = this.#named;
    this.#named = null;
    return named === null ? [] : [...known].filter((uid) => !named.has(uid));
  }
}

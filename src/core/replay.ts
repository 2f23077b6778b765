/** Finds removed items: a sender that replays all existing items leaves them out. */
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

  /** Ends the replay; returns the items of `known` that it did not name. Empty outside a replay. */
  end(known: Iterable<string>): string[] {
    const named = this.#named;
    this.#named = null;
    return named === null ? [] : [...known].filter((uid) => !named.has(uid));
  }
}

/**
 * Pure: whether a write that the store has accepted may be acknowledged. SlateDB deletes log objects
 * after a while. A process that was paused for longer may write an object whose number another process
 * has used and that was deleted since: the store accepts it, and no reader looks for it.
 *
 * A write proves that no other process had written when it began. So the next one is safe if it ends
 * soon after the last accepted one began, however long the process paused between them or within one.
 * Both clocks count: the monotonic one may stand still while the machine sleeps.
 */
export interface Clocks {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export class WriteGuard {
  readonly #limitMs: number;
  #proven: Clocks;

  /**
   * @param limitMs shorter than the age at which log objects are deleted
   * @param opened before the database was opened, which stopped every older writer
   */
  constructor(limitMs: number, opened: Clocks) {
    this.#limitMs = limitMs;
    this.#proven = opened;
  }

  /** @param began before the write was sent. @param ended when the store had accepted it */
  mayAcknowledge(began: Clocks, ended: Clocks): boolean {
    const monotonicMs = ended.monotonicMs - this.#proven.monotonicMs;
    const wallMs = ended.wallMs - this.#proven.wallMs;
    if (Math.max(monotonicMs, wallMs) > this.#limitMs) return false;
    this.#proven = began;
    return true;
  }
}

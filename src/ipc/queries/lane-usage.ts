/**
 * Tracks how long the searches of each lane (an API key) take. A lane with long searches leaves one
 * thread to the other lanes, because a running search cannot be preempted for another key.
 */

/** A lane counts as long when its average, or one running search, exceeds this. */
const LONG_MS = 100;
/** Weight of the last search in the average. */
const WEIGHT_OF_LAST = 0.25;
/** A lane that sent no search for this time does not count. */
const ACTIVE_MS = 10_000;

interface Usage {
  /** Start times of running searches. */
  readonly startsMs: number[];
  /** null until the first search ends. */
  averageMs: number | null;
  askedAtMs: number;
}

export class LaneUsage {
  readonly #lanes = new Map<string, Usage>();

  asked(lane: string, nowMs: number): void {
    const usage = this.#lanes.get(lane);
    if (usage !== undefined) {
      usage.askedAtMs = nowMs;
      return;
    }
    this.#forgetIdle(nowMs);
    this.#lanes.set(lane, { startsMs: [], averageMs: null, askedAtMs: nowMs });
  }

  started(lane: string, nowMs: number): void {
    this.#lanes.get(lane)?.startsMs.push(nowMs);
  }

  /** @param startMs the value passed to `started` */
  ended(lane: string, startMs: number, ms: number): void {
    const usage = this.#lanes.get(lane);
    if (usage === undefined) return;
    const at = usage.startsMs.indexOf(startMs);
    if (at >= 0) usage.startsMs.splice(at, 1);
    const before = usage.averageMs ?? ms;
    usage.averageMs = before + WEIGHT_OF_LAST * (ms - before);
  }

  /** Whether the lane may take the last free thread. @param threads of the pool */
  mayTakeLast(lane: string, threads: number, nowMs: number): boolean {
    const usage = this.#lanes.get(lane);
    if (usage === undefined || usage.startsMs.length === 0) return true;
    if (threads === 1 || usage.startsMs.length < threads - 1) return true;
    const isLong =
      usage.averageMs === null ||
      usage.averageMs > LONG_MS ||
      usage.startsMs.some((startMs) => nowMs - startMs > LONG_MS);
    return !isLong || !this.#hasOther(lane, nowMs);
  }

  #hasOther(lane: string, nowMs: number): boolean {
    for (const [name, { askedAtMs }] of this.#lanes)
      if (name !== lane && nowMs - askedAtMs < ACTIVE_MS) return true;
    return false;
  }

  #forgetIdle(nowMs: number): void {
    for (const [name, { startsMs, askedAtMs }] of this.#lanes)
      if (startsMs.length === 0 && nowMs - askedAtMs >= ACTIVE_MS) this.#lanes.delete(name);
  }
}

/** Time of tasks: whole microseconds since 1970, and their text forms. */

/** Microseconds since 1970, never running backwards. */
export type Clock = () => number;

/**
 * How far the monotonic and the wall clock may part before the wall clock is followed again (it was
 * set, or drifted).
 */
const DRIFT_MS_MAX = 20;
/**
 * So much slower time passes until a wall clock that was set back has caught up. It must not stand
 * still: what waits for a time to pass would wait as long.
 */
const SLOWDOWN = 0.01;

/**
 * Follows the monotonic clock from where the wall clock stands; no two readings are equal. A wall
 * clock that was set forward is followed at once, one that was set back slowly.
 */
export function systemClock(
  wallMs: () => number = () => Date.now(),
  monotonicMs: () => number = () => performance.now(),
): Clock {
  let lastMonotonicMs = monotonicMs();
  let timeMs = wallMs();
  let last = 0;
  return () => {
    const nowMs = monotonicMs();
    const elapsedMs = nowMs - lastMonotonicMs;
    lastMonotonicMs = nowMs;
    const aheadMs = timeMs + elapsedMs - wallMs();
    if (aheadMs < -DRIFT_MS_MAX) timeMs += elapsedMs - aheadMs;
    else timeMs += aheadMs > DRIFT_MS_MAX ? elapsedMs * (1 - SLOWDOWN) : elapsedMs;
    last = Math.max(last + 1, Math.round(timeMs * 1000));
    return last;
  };
}

/** RFC 3339 in UTC with six fractional digits. */
export function formatDate(micros: number): string {
  const seconds = Math.floor(micros / 1e6);
  const fraction = String(micros - seconds * 1e6).padStart(6, '0');
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${fraction}Z`;
}

/**
 * ISO 8601 with days and seconds only; the fraction has 3 or 6 digits, or none when zero. Negative
 * → null.
 */
export function formatDuration(micros: number): string | null {
  if (micros < 0) return null;
  const days = Math.floor(micros / 86_400_000_000);
  const rest = micros - days * 86_400_000_000;
  const seconds = Math.floor(rest / 1e6);
  const fraction = rest - seconds * 1e6;
  const digits =
    fraction % 1000 === 0
      ? String(fraction / 1000).padStart(3, '0')
      : String(fraction).padStart(6, '0');
  const time = `T${seconds}${fraction === 0 ? '' : `.${digits}`}S`;
  if (days === 0) return `P${time}`;
  return rest === 0 ? `P${days}D` : `P${days}D${time}`;
}

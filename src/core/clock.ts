/** Time of tasks: integer microseconds since 1970, and their text forms. */

/** Microseconds since 1970, strictly increasing. */
export type Clock = () => number;

/**
 * Largest difference between the monotonic and the wall clock, in microseconds. Beyond it the wall
 * clock was set or has drifted, and the clock follows it again.
 */
const DRIFT_MS_MAX = 20;
/**
 * Factor by which time passes more slowly until a wall clock that was set back has caught up. Time
 * must not stop: timeouts would then wait as long as the correction.
 */
const SLOWDOWN = 0.01;

/**
 * Advances with the monotonic clock, starting at the wall clock; no two readings are equal. Follows
 * a wall clock set forward at once, a wall clock set back slowly.
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

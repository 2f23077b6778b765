/**
 * Waiting for a condition: no longer than it takes, and as long as it may take on a machine that is
 * slow and has other work. Nothing else tells a test that something has happened, or has not.
 */

/** A test that waits this long has failed; no passing test comes near it. */
export const PATIENCE_MS = 60_000;
/** Between two looks: a tenth of the time waited, within these bounds. */
const PAUSE_MS_MIN = 10;
const PAUSE_MS_MAX = 40;

/** @param probe what is waited for; null, undefined or false = not yet */
export async function until<T>(
  what: string,
  probe: () => Promise<T | null | undefined | false> | T | null | undefined | false,
): Promise<T> {
  const startMs = performance.now();
  for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs = performance.now() - startMs) {
    const found = await probe();
    if (found !== null && found !== undefined && found !== false) return found;
    const pauseMs = Math.min(Math.max(waitedMs / 10, PAUSE_MS_MIN), PAUSE_MS_MAX);
    await new Promise((done) => setTimeout(done, pauseMs));
  }
  throw new Error(`not within ${PATIENCE_MS} ms: ${what}`);
}

/**
 * Waits for what gets less until nothing is left; each time that it does it may take as long again.
 * @param count what is left; null = not known now
 */
export async function untilNoneLeft(
  what: string,
  count: () => Promise<number | null>,
): Promise<void> {
  for (let left = Number.POSITIVE_INFINITY; left > 0; ) {
    const less = await until(`${what}, ${left} left`, async () => {
      const now = await count();
      return now !== null && now < left && { now };
    });
    left = less.now;
  }
}

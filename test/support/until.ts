/**
 * Waiting for a condition: no longer than it takes, and as long as it may take on a machine that is
 * slow and has other work. Nothing else tells a test that something has happened, or has not.
 */

/** A test that waits so long has failed; no sound one comes near it. */
export const PATIENCE_MS = 60_000;
const LOOK_MS = 10;

/** @param probe what is waited for; null, undefined or false = not yet */
export async function until<T>(
  what: string,
  probe: () => Promise<T | null | undefined | false> | T | null | undefined | false,
): Promise<T> {
  const endMs = performance.now() + PATIENCE_MS;
  do {
    const found = await probe();
    if (found !== null && found !== undefined && found !== false) return found;
    await new Promise((done) => setTimeout(done, LOOK_MS));
  } while (performance.now() < endMs);
  throw new Error(`not within ${PATIENCE_MS} ms: ${what}`);
}

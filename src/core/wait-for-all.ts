/** Waiting for work that goes on side by side. */

/**
 * As `Promise.all`, but a failure is thrown only when nothing goes on any more, so that whoever
 * tidies up after it is alone. Of several failures the first in the list is thrown.
 */
export async function waitForAll<const Works extends readonly unknown[]>(
  works: Works,
): Promise<{ -readonly [At in keyof Works]: Awaited<Works[At]> }> {
  await Promise.allSettled(works);
  return Promise.all(works);
}

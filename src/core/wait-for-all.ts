/** Waits for concurrent work. */

/**
 * Like `Promise.all`, but rejects only after all promises have settled, so that cleanup runs after
 * all work. Of several failures the first in the list is thrown.
 */
export async function waitForAll<const Works extends readonly unknown[]>(
  works: Works,
): Promise<{ -readonly [At in keyof Works]: Awaited<Works[At]> }> {
  await Promise.allSettled(works);
  return Promise.all(works);
}

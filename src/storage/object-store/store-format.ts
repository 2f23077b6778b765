/**
 * The object `format` of a store: the number of the layout of its keys, objects and values. While
 * data is copied into the store it has the source instead, so no server uses an unfinished copy.
 */
import type { Logger } from '../../observability/logger.ts';
import { type ObjectStore, ObjectStoreAway, ObjectStoreError } from './object-store.ts';

const KEY = 'format';
const STORE_FORMAT = '2\n';
const UNFINISHED = 'unfinished copy of ';

/** Creates the object in an empty store. @throws ObjectStoreError if the store has another format */
export async function keepStoreFormat(objects: ObjectStore, url: string): Promise<void> {
  await objects.create(KEY, Buffer.from(STORE_FORMAT));
  await checkStoreFormat(objects, url);
}

/**
 * As `keepStoreFormat`, for as long as the store does not answer: a service manager that starts the
 * server again would wait longer each time. A store that refuses ends it.
 * @param wait resolves before the next call
 */
export async function keepStoreFormatOnceThere(
  objects: ObjectStore,
  url: string,
  { wait, log }: { readonly wait: () => Promise<void>; readonly log: Pick<Logger, 'warn'> },
): Promise<void> {
  for (;;)
    try {
      return await keepStoreFormat(objects, url);
    } catch (error) {
      if (!(error instanceof ObjectStoreAway)) throw error;
      log.warn(`waiting for the object store, this node does not serve: ${error.message}`);
      await wait();
    }
}

/** @throws ObjectStoreError if the store has no or another format */
export async function checkStoreFormat(objects: ObjectStore, url: string): Promise<void> {
  const found = await formatOf(objects);
  if (found === STORE_FORMAT) return;
  const name = (found ?? '').trim();
  throw new ObjectStoreError(
    name.startsWith(UNFINISHED)
      ? `${url} has an ${name}: run that command again, or delete these objects`
      : `${url} has format ${name || 'none'}, expected ${STORE_FORMAT.trim()}`,
  );
}

/**
 * Keeps an empty store, or one with an interrupted copy of the same source, for a copy.
 * @throws ObjectStoreError if the store has anything else
 */
export async function claimStore(objects: ObjectStore, url: string, source: string): Promise<void> {
  const note = `${UNFINISHED}${source}\n`;
  const found = await formatOf(objects);
  if (found === note) return;
  if (found?.startsWith(UNFINISHED) === true)
    throw new ObjectStoreError(
      `${url} has an ${found.trim()}: choose another prefix, or delete these objects`,
    );
  if (found !== null)
    throw new ObjectStoreError(`${url} is in use: choose a prefix without objects`);
  for await (const { key } of objects.list(''))
    throw new ObjectStoreError(
      `${url} is not empty, it has \`${key}\`: choose a prefix without objects`,
    );
  if (!(await objects.create(KEY, Buffer.from(note)))) await claimStore(objects, url, source);
}

/** The copy is complete: servers can use the store. */
export async function finishStore(objects: ObjectStore): Promise<void> {
  await objects.put(KEY, Buffer.from(STORE_FORMAT));
}

/** Deletes the objects of an unfinished copy. */
export async function abandonStore(objects: ObjectStore): Promise<void> {
  // The note is the last one, so that an interruption leaves an unfinished copy.
  for await (const { key } of objects.list('')) if (key !== KEY) await objects.delete(key);
  await objects.delete(KEY);
}

async function formatOf(objects: ObjectStore): Promise<string | null> {
  const found = await objects.get(KEY);
  return found === null ? null : Buffer.from(found).toString();
}

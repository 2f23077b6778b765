/** Objects of SlateDB's log, read without the database. */
import { loadSlateDb } from './slatedb-library.ts';
import type { SlateDbOptions } from './slatedb-store.ts';

/**
 * True if the object has no write. A process that opens the database for writing adds such an object
 * first, which stops every older writer, and then reads the log.
 * @param name ends in the number of the object and `.sst`
 */
export async function isFence(
  { url, path }: Pick<SlateDbOptions, 'url' | 'path'>,
  name: string,
): Promise<boolean> {
  const { ObjectStore, WalReader } = await loadSlateDb();
  const store = ObjectStore.resolve(url);
  const log = new WalReader(path, store);
  const file = log.get(Number(/(\d+)\.sst$/.exec(name)?.[1]));
  try {
    const writes = await file.iterator();
    const first = await writes.next();
    writes.dispose();
    return first === undefined;
  } finally {
    file.dispose();
    log.dispose();
    store.dispose();
  }
}

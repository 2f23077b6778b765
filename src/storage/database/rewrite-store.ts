/** Writes a transformed copy of a database into another folder, value by value, as stored bytes. */
import fs from 'node:fs';
import { syncFolder } from '../files/sync-folder.ts';
import { type Entry, put, type WriteOperation } from './key-value-store.ts';
import { RocksDbStore } from './rocksdb-store.ts';

/** Most values, and most bytes, of one write. */
const GROUP_VALUES = 1000;
const GROUP_BYTES = 4 << 20;
/** Key and value as stored bytes. */
export const AS_STORED = { values: null } as const;

/**
 * Resolves with the number of values when they survive a power cut. First removes the output of an
 * interrupted call.
 */
export async function rewriteStore(
  old: RocksDbStore,
  folder: string,
  change: (entry: Entry) => Uint8Array,
): Promise<number> {
  fs.rmSync(folder, { recursive: true, force: true });
  const written = await RocksDbStore.open(folder, AS_STORED);
  let count = 0;
  try {
    let bytes = 0;
    let group: WriteOperation[] = [];
    for await (const entry of old.iterate({})) {
      if (group.length === GROUP_VALUES || bytes >= GROUP_BYTES) {
        await written.write(group, 'process');
        group = [];
        bytes = 0;
      }
      group.push(put(entry.key, change(entry)));
      count += 1;
      bytes += entry.value.length;
    }
    // The last write is synced and makes the earlier writes durable.
    await written.write(group);
  } finally {
    await written.close();
  }
  await syncFolder(folder);
  return count;
}

/** A database written anew in a folder of its own, value by value, as bytes are stored. */
import fs from 'node:fs';
import { syncFolder } from '../files/sync-folder.ts';
import { type Entry, put, type WriteOperation } from './key-value-store.ts';
import { RocksDbStore } from './rocksdb-store.ts';

/** Values and bytes of one write. */
const GROUP_VALUES = 1000;
const GROUP_BYTES = 4 << 20;
/** Bytes as they are stored. */
export const AS_STORED = { values: null } as const;

/**
 * Resolves with the number of values when they survive a power cut. What an earlier call that was
 * cut off has left in the folder goes first.
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
    // The last write makes those before it durable.
    await written.write(group);
  } finally {
    await written.close();
  }
  await syncFolder(folder);
  return count;
}

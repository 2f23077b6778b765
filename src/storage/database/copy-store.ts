/** Copies a consistent snapshot of a database into a new folder. */
import type { KeyValueReader, WriteOperation } from './key-value-store.ts';
import { put } from './key-value-store.ts';
import { RocksDbStore } from './rocksdb-store.ts';

const GROUP = 1000;

export interface CopyOptions {
  readonly isWanted: (key: Uint8Array) => boolean;
  /** Entries written last. */
  readonly changes: readonly WriteOperation[];
  readonly onEntries: (count: number) => void;
}

/** @param folder must not exist */
export async function copyStore(
  source: KeyValueReader,
  folder: string,
  { isWanted, changes, onEntries }: CopyOptions,
): Promise<void> {
  const copy = await RocksDbStore.open(folder);
  try {
    let group: WriteOperation[] = [];
    const flush = async () => {
      await copy.write(group, 'process');
      onEntries(group.length);
      group = [];
    };
    for await (const { key, value } of source.iterate({})) {
      if (!isWanted(key)) continue;
      group.push(put(key, value));
      if (group.length === GROUP) await flush();
    }
    await flush();
    if (changes.length > 0) await copy.write(changes, 'process');
  } finally {
    await copy.close();
  }
}

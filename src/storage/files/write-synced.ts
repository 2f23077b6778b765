/** Writes a file that survives a power cut. */
import fs from 'node:fs';

/** Bytes after which the content so far is synced while the rest still arrives. */
const SYNC_BYTES = 64 << 20;

/** Creates or replaces the file. Resolves when its content is synced; its folder is not. */
export async function writeSynced(file: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const handle = await fs.promises.open(file, 'w');
  try {
    let syncing: Promise<void> = Promise.resolve();
    let unsyncedBytes = 0;
    for await (const chunk of chunks) {
      await writeWhole(handle, chunk);
      unsyncedBytes += chunk.length;
      if (unsyncedBytes < SYNC_BYTES) continue;
      await syncing;
      syncing = handle.datasync();
      // Its failure shows where it is awaited, unless the content fails first.
      syncing.catch(() => undefined);
      unsyncedBytes = 0;
    }
    await syncing;
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** In one call where the system can: `writeFile` of a handle makes a call for every 512 KiB. */
async function writeWhole(handle: fs.promises.FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at);
    at += bytesWritten;
  }
}

/** Syncs a folder, so that created, renamed and removed names survive a power cut. */
import fs from 'node:fs';

/** Windows cannot open a folder and does not need this sync. */
const CAN_SYNC_FOLDERS = process.platform !== 'win32';

export async function syncFolder(folder: string): Promise<void> {
  if (!CAN_SYNC_FOLDERS) return;
  const handle = await fs.promises.open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Blocking variant. */
export function syncFolderBlocking(folder: string): void {
  if (!CAN_SYNC_FOLDERS) return;
  const descriptor = fs.openSync(folder, 'r');
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

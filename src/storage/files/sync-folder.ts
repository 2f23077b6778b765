/**
 * Makes the names in a folder durable: files and folders that were created, renamed or removed in
 * it.
 */
import fs from 'node:fs';

/** Windows neither can open a folder nor needs to. */
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

/** The same, for code that blocks while it writes. */
export function syncFolderBlocking(folder: string): void {
  if (!CAN_SYNC_FOLDERS) return;
  const descriptor = fs.openSync(folder, 'r');
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

/**
 * Syncs a folder, so that created, renamed and removed names survive a power cut, and replaces files
 * at once.
 */
import fs from 'node:fs';
import path from 'node:path';

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

/** Others read the old content or the new one, never a part. A crash may leave `<file>.new`. */
export function replaceFile(file: string, content: string | Uint8Array, flush = false): void {
  const draft = `${file}.new`;
  fs.rmSync(draft, { force: true });
  fs.writeFileSync(draft, content, { mode: 0o600, flag: 'wx', flush });
  fs.renameSync(draft, file);
}

/** Resolves when the new content survives a power cut. Until then the file has its old content. */
export async function replaceFileSynced(file: string, content: string): Promise<void> {
  replaceFile(file, content, true);
  await syncFolder(path.dirname(file));
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

/** Syncs a folder, so that created, renamed and removed names survive a power cut. */
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

/** Resolves when the new content survives a power cut. Until then the file has its old content. */
export async function replaceFile(
  folder: string,
  name: string,
  text: string,
  mode = 0o666,
): Promise<void> {
  const draft = path.join(folder, `${name}.new`);
  fs.rmSync(draft, { force: true });
  fs.writeFileSync(draft, text, { mode, flag: 'wx', flush: true });
  fs.renameSync(draft, path.join(folder, name));
  await syncFolder(folder);
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

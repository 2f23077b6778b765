/** Free disk space. */
import fs from 'node:fs';

/** Bytes available on the file system of a folder; null when the system does not report it. */
export function freeBytesAt(folder: string): number | null {
  try {
    const { bavail, bsize } = fs.statfsSync(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}

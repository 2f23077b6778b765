/** Room on a disk. */
import fs from 'node:fs';

/** Bytes that may still be written on the disk of a folder; null when the system does not say. */
export function freeBytesAt(folder: string): number | null {
  try {
    const { bavail, bsize } = fs.statfsSync(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}

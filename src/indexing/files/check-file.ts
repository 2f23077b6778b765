/** Compares a file with its checksums. */
import type { Directory } from '../../engine/segment/directory.ts';
import type { SegmentFile } from '../../model/index-manifest.ts';
import { componentOf } from '../../segments/components.ts';

/** Reads every byte; returns the damage with the file's name, or null. */
export function checkFile(directory: Directory, { component, name }: SegmentFile): string | null {
  try {
    const file = directory.open(name);
    try {
      componentOf(component).open(name, file.bytes).verifyChecksums();
      return null;
    } finally {
      file.close();
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return reason.startsWith(name) ? reason : `${name} cannot be read: ${reason}`;
  }
}

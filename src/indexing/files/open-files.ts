/** Files of segments, open during one action. */
import type { Directory, MappedFile } from '../../engine/segment/directory.ts';
import type { SegmentFile } from '../../model/index-manifest.ts';
import { componentOf, openFiles, type SegmentReaders } from '../../segments/components.ts';

export type OpenFiles = (files: readonly SegmentFile[]) => SegmentReaders;

/** @param action opens files; their readers are invalid after it has returned */
export function withOpener<Result>(
  directory: Directory,
  action: (open: OpenFiles) => Result,
): Result {
  const mapped: MappedFile[] = [];
  const open: OpenFiles = (files) =>
    openFiles(files, ({ name }, read) => {
      const file = directory.open(name);
      mapped.push(file);
      return read(file.bytes);
    });
  try {
    return action(open);
  } finally {
    for (const file of mapped) file.close();
  }
}

/** @param action gets the readers of each list */
export const withOpenFiles = <Result>(
  directory: Directory,
  lists: readonly (readonly SegmentFile[])[],
  action: (readers: readonly SegmentReaders[]) => Result,
): Result => withOpener(directory, (open) => action(lists.map(open)));

/** Compares every byte of a file with its checksums. @returns the damage with its name, or null */
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

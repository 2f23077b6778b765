/** Files of segments, open during one action. */
import type { Directory, MappedFile } from '../../engine/segment/directory.ts';
import type { SegmentFile } from '../../model/index-manifest.ts';
import { openFiles, type SegmentReaders } from '../../segments/components.ts';

/** @param action gets the readers of each list; they are invalid after it has returned */
export function withOpenFiles<Result>(
  directory: Directory,
  lists: readonly (readonly SegmentFile[])[],
  action: (readers: readonly SegmentReaders[]) => Result,
): Result {
  const opened: MappedFile[] = [];
  try {
    const readers = lists.map((files) =>
      openFiles(files, ({ name }, read) => {
        const file = directory.open(name);
        opened.push(file);
        return read(file.bytes);
      }),
    );
    return action(readers);
  } finally {
    for (const file of opened) file.close();
  }
}

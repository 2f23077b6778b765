/** The directory of a location, for one thread. */
import type { IndexLocation } from '../../core/index-location.ts';
import type { Directory } from '../../engine/segment/directory.ts';
import { FsDirectory } from './fs-directory.ts';
import { MemoryDirectory } from './memory-directory.ts';

/** What is written to a location in memory stays with the answered function. */
export function locationOpener(): (location: IndexLocation) => Directory {
  const inMemory = new Map<string, MemoryDirectory>();
  return (location) => {
    if (location.kind === 'folder') return new FsDirectory(location.path);
    const directory = inMemory.get(location.name) ?? new MemoryDirectory();
    inMemory.set(location.name, directory);
    return directory;
  };
}

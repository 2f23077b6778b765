/** Opens the directory of a location, for one thread. */
import type { IndexLocation } from '../../core/index-location.ts';
import type { Directory } from '../../engine/segment/directory.ts';
import { FsDirectory } from './fs-directory.ts';
import { MemoryDirectory } from './memory-directory.ts';

/** Files written to an in-memory location live as long as the returned function. */
export function locationOpener(): (location: IndexLocation) => Directory {
  const inMemory = new Map<string, MemoryDirectory>();
  return (location) => {
    if (location.kind === 'folder') return new FsDirectory(location.path);
    const directory = inMemory.get(location.name) ?? new MemoryDirectory();
    inMemory.set(location.name, directory);
    return directory;
  };
}

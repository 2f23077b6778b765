/** Folders of indexes as maps of names, and a system that may refuse to remove. */
import type { IndexFiles } from '../../src/storage/files/index-files.ts';

export class FakeIndexFiles implements IndexFiles {
  readonly folders: Map<number, Set<string>>;
  refusing = false;

  constructor(folders: Record<number, string[]>) {
    this.folders = new Map(
      Object.entries(folders).map(([id, names]) => [Number(id), new Set(names)]),
    );
  }

  locate = (id: number): string => String(id);
  indexIds = () => [...this.folders.keys()];
  fileNames = (id: number) => [...(this.folders.get(id) ?? [])];
  linkFiles = (from: number, to: number, names: readonly string[]) => {
    const own = this.folders.get(from);
    this.folders.set(to, new Set(names.filter((name) => own?.has(name))));
  };
  removeFile = (id: number, name: string) => {
    if (!this.refusing) this.folders.get(id)?.delete(name);
    return !this.refusing;
  };
  removeStartingWith = (id: number, prefix: string) => {
    for (const name of this.fileNames(id)) if (name.startsWith(prefix)) this.removeFile(id, name);
  };
  removeIndex = (id: number) => {
    if (!this.refusing) this.folders.delete(id);
    return !this.refusing;
  };
  freeBytes = () => null;
  syncFolders = () => undefined;
}

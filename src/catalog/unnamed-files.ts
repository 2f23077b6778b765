/**
 * Files of indexes that no manifest names, and that no reader or writer needs. A crash leaves such
 * files; while the server runs there should be none, so that each is worth a line in the log.
 */
import { fileNamesOf, type IndexManifest } from '../model/index-manifest.ts';
import type { IndexFiles } from '../storage/index-files.ts';

export interface UnnamedFiles {
  /** Folders of indexes that do not exist. */
  readonly indexIds: readonly number[];
  readonly files: readonly { readonly indexId: number; readonly name: string }[];
}

/** Left by a crash before a commit, or not yet removed after one. */
export function unnamedFiles(files: IndexFiles, manifests: Iterable<IndexManifest>): UnnamedFiles {
  const named = new Map(
    [...manifests].map(({ id, segments }) => [id, new Set(fileNamesOf(segments))]),
  );
  const folders = files.indexIds();
  return {
    indexIds: folders.filter((id) => !named.has(id)),
    files: folders.flatMap((indexId) =>
      files
        .fileNames(indexId)
        .filter((name) => named.get(indexId)?.has(name) === false)
        .map((name) => ({ indexId, name })),
    ),
  };
}

/** At start, before anything writes new files. Returns how many were removed. */
export function removeUnnamedFiles(files: IndexFiles, manifests: Iterable<IndexManifest>): number {
  files.syncFolders();
  const { indexIds, files: unnamed } = unnamedFiles(files, manifests);
  for (const id of indexIds) files.removeIndex(id);
  for (const { indexId, name } of unnamed) files.removeFile(indexId, name);
  return indexIds.length + unnamed.length;
}

/** Looks for such files while the server runs. */
export class UnnamedFilesWatch {
  readonly #files: IndexFiles;
  /** Found by the last look, as paths. */
  #suspects: ReadonlySet<string> = new Set();

  constructor(files: IndexFiles) {
    this.#files = files;
  }

  /**
   * Removes what no manifest has named, and nobody has needed, at two looks that follow each other.
   * @param isNeeded with null it is about the folder of an index
   * @returns paths below `indexes/`
   */
  sweep(
    manifests: Iterable<IndexManifest>,
    isNeeded: (indexId: number, fileName: string | null) => boolean,
  ): string[] {
    const { indexIds, files } = unnamedFiles(this.#files, manifests);
    const found = new Map<string, () => boolean>();
    for (const id of indexIds)
      if (!isNeeded(id, null)) found.set(String(id), () => this.#files.removeIndex(id));
    for (const { indexId, name } of files) {
      if (!isNeeded(indexId, name))
        found.set(`${indexId}/${name}`, () => this.#files.removeFile(indexId, name));
    }
    const removed = [...found].filter(([path, remove]) => this.#suspects.has(path) && remove());
    this.#suspects = new Set(found.keys());
    return removed.map(([path]) => path);
  }
}

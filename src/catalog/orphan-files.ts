/**
 * Files of indexes that no manifest names, and that no reader or writer needs. A crash leaves such
 * files; while the server runs there should be none, so that each is worth a line in the log.
 */
import { fileNamesOf, type IndexManifest } from '../model/index-manifest.ts';
import type { IndexFiles } from '../storage/files/index-files.ts';

/** Some milliseconds of looking. */
const FOLDERS_AT_ONCE = 500;

export interface OrphanFiles {
  /** Folders of indexes that do not exist. */
  readonly indexIds: readonly number[];
  readonly files: readonly { readonly indexId: number; readonly name: string }[];
}

/** Left by a crash before a commit, or not yet removed after one. */
export function orphanFiles(files: IndexFiles, manifests: Iterable<IndexManifest>): OrphanFiles {
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
export function removeOrphanFiles(files: IndexFiles, manifests: Iterable<IndexManifest>): number {
  files.syncFolders();
  const { indexIds, files: unnamed } = orphanFiles(files, manifests);
  for (const id of indexIds) files.removeIndex(id);
  for (const { indexId, name } of unnamed) files.removeFile(indexId, name);
  return indexIds.length + unnamed.length;
}

export interface OrphanFilesOptions {
  readonly files: IndexFiles;
  readonly manifestOf: (indexId: number) => IndexManifest | null;
  /** With null it is about the folder of an index. */
  readonly isNeeded: (indexId: number, fileName: string | null) => boolean;
  /** That one call looks at: a round over many takes several calls. */
  readonly foldersAtOnce?: number;
}

/** Looks for such files while the server runs. */
export class OrphanFilesWatch {
  readonly #options: OrphanFilesOptions;
  /** Found by the last look at each folder, as paths. */
  readonly #suspects = new Map<number, ReadonlySet<string>>();
  /** Folders of the round under way that have not been looked at. */
  #left: number[] = [];

  constructor(options: OrphanFilesOptions) {
    this.#options = options;
  }

  /** Whether a round is under way. */
  get isLooking(): boolean {
    return this.#left.length > 0;
  }

  /**
   * Looks at some folders, and removes what no manifest has named, and nobody has needed, at two
   * looks that follow each other.
   * @returns paths below `indexes/`
   */
  sweep(): string[] {
    const { foldersAtOnce = FOLDERS_AT_ONCE } = this.#options;
    if (!this.isLooking) this.#beginRound();
    const removed: string[] = [];
    for (const indexId of this.#left.splice(0, foldersAtOnce)) {
      const found = this.#unneeded(indexId);
      const suspects = this.#suspects.get(indexId);
      for (const [path, remove] of found) if (suspects?.has(path) && remove()) removed.push(path);
      if (found.size > 0) this.#suspects.set(indexId, new Set(found.keys()));
      else this.#suspects.delete(indexId);
    }
    return removed;
  }

  #beginRound(): void {
    this.#left = this.#options.files.indexIds();
    const there = new Set(this.#left);
    for (const indexId of this.#suspects.keys())
      if (!there.has(indexId)) this.#suspects.delete(indexId);
  }

  /** Path → how it is removed. */
  #unneeded(indexId: number): Map<string, () => boolean> {
    const { files, manifestOf, isNeeded } = this.#options;
    const manifest = manifestOf(indexId);
    const found = new Map<string, () => boolean>();
    if (manifest === null) {
      if (!isNeeded(indexId, null)) found.set(String(indexId), () => files.removeIndex(indexId));
      return found;
    }
    const named = new Set(fileNamesOf(manifest.segments));
    for (const name of files.fileNames(indexId)) {
      if (!named.has(name) && !isNeeded(indexId, name))
        found.set(`${indexId}/${name}`, () => files.removeFile(indexId, name));
    }
    return found;
  }
}

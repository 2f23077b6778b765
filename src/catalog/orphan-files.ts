/**
 * Files of indexes that no manifest, reader or writer needs. A crash leaves such files. While the
 * server runs there should be none, so each is logged.
 */
import { fileNamesOf, type IndexManifest } from '../model/index-manifest.ts';
import type { IndexFiles } from '../storage/files/index-files.ts';

/** Folders per call; takes a few milliseconds. */
const FOLDERS_AT_ONCE = 500;

interface OrphanFiles {
  /** Folders of indexes that do not exist. */
  readonly indexIds: readonly number[];
  readonly files: readonly { readonly indexId: number; readonly name: string }[];
}

/** Files left by a crash before a commit, or not yet deleted after a commit. */
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

/** Must run at start, before new files are written. Returns the number of deleted files. */
export function removeOrphanFiles(files: IndexFiles, manifests: Iterable<IndexManifest>): number {
  files.syncFolders();
  const { indexIds, files: orphans } = orphanFiles(files, manifests);
  for (const id of indexIds) files.removeIndex(id);
  for (const { indexId, name } of orphans) files.removeFile(indexId, name);
  return indexIds.length + orphans.length;
}

interface OrphanFilesOptions {
  readonly files: IndexFiles;
  readonly manifestOf: (indexId: number) => IndexManifest | null;
  /** null stands for the folder of the index. */
  readonly isNeeded: (indexId: number, fileName: string | null) => boolean;
  /** Folders per call; a round over many folders takes several calls. */
  readonly foldersAtOnce?: number;
}

/** Looks for orphan files while the server runs. */
export class OrphanFilesWatch {
  readonly #options: OrphanFilesOptions;
  /** Orphan files of the last look at each folder, as paths. */
  readonly #suspects = new Map<number, ReadonlySet<string>>();
  /** Remaining folders of the current round. */
  #left: number[] = [];

  constructor(options: OrphanFilesOptions) {
    this.#options = options;
  }

  /** Whether a round is under way. */
  get isLooking(): boolean {
    return this.#left.length > 0;
  }

  /**
   * Checks some folders and deletes files that were orphans at two consecutive checks. @returns
   * paths below `indexes/`
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

  /** Path → function that deletes it. */
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

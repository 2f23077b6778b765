/** Files of indexes that no manifest names. A crash leaves such files. */
import { fileNamesOf, type IndexManifest } from '../model/index-manifest.ts';
import type { IndexFiles } from '../storage/files/index-files.ts';

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

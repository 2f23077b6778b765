/**
 * Part of a front: reads vectors into the page cache before it serves, up to
 * `--reader-prefetch-memory`, so that the first searches need no disk access.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/load.ts';
import type { Logger } from '../src/observability/logger.ts';
import { vectorsComponent } from '../src/segments/vectors/vectors-component.ts';
import { dataFolderAt } from '../src/storage/data-folder/data-folder.ts';
import { mapFile } from '../src/storage/files/file-mapping.ts';
import { FsIndexFiles, folderOfIndex } from '../src/storage/files/index-files.ts';
import { type FilePart, readIntoPageCache } from '../src/storage/files/page-cache.ts';

interface VectorsParts {
  /** File ranges that every search may read: clusters and codes. */
  readonly graph: readonly FilePart[];
  /** File range with the vectors that a search compares exactly. */
  readonly rows: FilePart;
}

/** null when the file is damaged or missing. */
function partsOf(path: string): VectorsParts | null {
  let file: ReturnType<typeof mapFile> | null = null;
  try {
    file = mapFile(path);
    const { rows } = vectorsComponent.open(path, file.bytes);
    const offset = rows.bytes.byteOffset - file.bytes.byteOffset;
    const end = offset + rows.bytes.length;
    return {
      graph: [
        { path, offset: 0, bytes: offset },
        { path, offset: end, bytes: file.bytes.length - end },
      ],
      rows: { path, offset, bytes: rows.bytes.length },
    };
  } catch {
    return null;
  } finally {
    file?.close();
  }
}

/** The vector files of all indexes. */
function vectorPaths(indexes: string): string[] {
  if (!existsSync(indexes)) return [];
  const files = new FsIndexFiles(indexes);
  return files.indexIds().flatMap((indexId) =>
    files
      .fileNames(indexId)
      .filter((name) => name.endsWith(vectorsComponent.extension))
      .map((name) => join(folderOfIndex(indexes, indexId), name)),
  );
}

/**
 * First the graphs of all files, smallest first, so that as many graphs as possible are complete,
 * then the rows in the same order.
 * @param indexes folder `indexes` of the data folder
 */
export function partsToPrefetch(indexes: string): FilePart[] {
  const files = vectorPaths(indexes)
    .map(partsOf)
    .filter((parts) => parts !== null)
    .sort((a, b) => a.rows.bytes - b.rows.bytes);
  return [...files.flatMap(({ graph }) => graph), ...files.map(({ rows }) => rows)];
}

/** Logs the number of bytes. Sends no request to the indexer, which may be unavailable. */
export async function prefetchVectors(
  { dbPath, readerPrefetchMemory }: Pick<Config, 'dbPath' | 'readerPrefetchMemory'>,
  log: Pick<Logger, 'info'>,
  signal: AbortSignal,
): Promise<void> {
  if (readerPrefetchMemory === 0) return;
  const startMs = performance.now();
  const parts = partsToPrefetch(dataFolderAt(dbPath).indexes);
  const totalBytes = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  const bytes = await readIntoPageCache(parts, readerPrefetchMemory, signal);
  const files = new Set(parts.map(({ path }) => path)).size;
  const tookMs = Math.round(performance.now() - startMs);
  log.info(
    { files, bytes, totalBytes, tookMs },
    `read ${bytes} of ${totalBytes} bytes of vectors into the page cache`,
  );
}

/**
 * Reads parts of files into the page cache, so that later mappings of the files need no disk
 * access.
 */
import { type FileHandle, open } from 'node:fs/promises';

export interface FilePart {
  readonly path: string;
  readonly offset: number;
  readonly bytes: number;
}

const CHUNK_BYTES = 1 << 20;

/**
 * Reads the parts in order, at most `bytesMax` bytes, and stops once `signal` has aborted. Resolves
 * with the number of bytes read. Skips files that cannot be read.
 */
export async function readIntoPageCache(
  parts: readonly FilePart[],
  bytesMax: number,
  signal: AbortSignal,
): Promise<number> {
  const chunk = new Uint8Array(CHUNK_BYTES);
  let read = 0;
  for (const { path, offset, bytes } of parts) {
    if (read >= bytesMax || signal.aborted) break;
    const file = await open(path).catch(() => null);
    if (file === null) continue;
    const length = Math.min(bytes, bytesMax - read);
    try {
      read += await readRange(file, { offset, length }, chunk, signal);
    } finally {
      await file.close();
    }
  }
  return read;
}

async function readRange(
  file: FileHandle,
  { offset, length }: { readonly offset: number; readonly length: number },
  chunk: Uint8Array,
  signal: AbortSignal,
): Promise<number> {
  let read = 0;
  while (read < length && !signal.aborted) {
    const wanted = Math.min(chunk.length, length - read);
    const { bytesRead } = await file
      .read(chunk, 0, wanted, offset + read)
      .catch(() => ({ bytesRead: 0 }));
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return read;
}

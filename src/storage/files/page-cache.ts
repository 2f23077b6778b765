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
    const end = offset + Math.min(bytes, bytesMax - read);
    try {
      read += await readRange(file, offset, end, chunk, signal);
    } finally {
      await file.close();
    }
  }
  return read;
}

async function readRange(
  file: FileHandle,
  start: number,
  end: number,
  chunk: Uint8Array,
  signal: AbortSignal,
): Promise<number> {
  let at = start;
  while (at < end && !signal.aborted) {
    const length = Math.min(chunk.length, end - at);
    const { bytesRead } = await file.read(chunk, 0, length, at).catch(() => ({ bytesRead: 0 }));
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return at - start;
}

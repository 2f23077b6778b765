/** Maps a file read-only into memory on Linux and macOS; on other systems reads it into memory. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { type MappedBytes, mapBytes } from './mapped-ranges.ts';

const READ_BYTES_MAX = 1 << 30;

/** The bytes of the complete file. Files must not be changed while mapped. */
export function mapFile(path: string): MappedBytes {
  const descriptor = openSync(path, 'r');
  try {
    const length = fstatSync(descriptor).size;
    return mapBytes(descriptor, length) ?? readDescriptor(descriptor, length);
  } finally {
    closeSync(descriptor);
  }
}

/** Reads the whole file into memory; exported for machines and tests without mapping. */
export function readDescriptor(descriptor: number, length: number): MappedBytes {
  const bytes = new Uint8Array(length);
  let at = 0;
  while (at < length) {
    const count = readSync(descriptor, bytes, at, Math.min(length - at, READ_BYTES_MAX), at);
    if (count === 0) throw new Error(`file ended at byte ${at} of ${length}`);
    at += count;
  }
  return { bytes, close: () => undefined };
}

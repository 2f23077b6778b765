/** A file on its way: its bytes unpacked, and which part of it has been read. */
import { createReadStream, statSync } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';

export interface OpenFile {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** 0 to 1. */
  readonly part: () => number;
}

export function openFile(file: string, isCompressed: boolean): OpenFile {
  const stream = createReadStream(file);
  const { size } = statSync(file);
  // What fails in one ends the other, whose reader is told.
  const bytes = isCompressed ? pipeline(stream, createGunzip(), () => undefined) : stream;
  return { bytes, part: () => (size === 0 ? 1 : stream.bytesRead / size) };
}

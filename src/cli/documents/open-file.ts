/** Reads a file unpacked and reports the fraction read. */
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
  // An error in one stream destroys the other, and its reader gets the error.
  const bytes = isCompressed ? pipeline(stream, createGunzip(), () => undefined) : stream;
  return { bytes, part: () => (size === 0 ? 1 : stream.bytesRead / size) };
}

/** Reads files for commands: unpacked, and in parts of whole documents. */
import { createReadStream, existsSync, statSync } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import {
  type DocumentPart,
  DocumentTooLong,
  partsOfDocuments,
} from '../../model/document-parts.ts';
import { CommandFailure } from '../command-failure.ts';

export interface OpenFile {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** 0 to 1. */
  readonly part: () => number;
}

/** @throws CommandFailure if there is no such file */
export function openFile(file: string, isCompressed: boolean): OpenFile {
  if (!existsSync(file)) throw new CommandFailure(`file not found: ${file}`);
  const stream = createReadStream(file);
  const { size } = statSync(file);
  const bytes = isCompressed ? unpacked(stream) : stream;
  return { bytes, part: () => (size === 0 ? 1 : stream.bytesRead / size) };
}

/** An error in one stream destroys the other, and its reader gets the error. */
export const unpacked = (packed: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> =>
  pipeline(Readable.from(packed), createGunzip(), () => undefined);

/** @throws CommandFailure for a document that does not fit into a part */
export async function* partsOfFile(
  ...given: Parameters<typeof partsOfDocuments>
): AsyncGenerator<DocumentPart> {
  try {
    yield* partsOfDocuments(...given);
  } catch (error) {
    throw error instanceof DocumentTooLong ? new CommandFailure(error.message) : error;
  }
}

/** Reads files for commands: unpacked, in parts of whole documents, CSV with any delimiter. */
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import {
  type DocumentPart,
  DocumentTooLong,
  partsOfDocuments,
} from '../../model/document-parts.ts';
import type { UploadFormat } from '../../model/upload.ts';
import { type GivenOptions, numberOption, textOption } from '../command.ts';
import { CommandFailure, EXIT } from '../command-failure.ts';

export interface OpenFile {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** 0 to 1. */
  readonly part: () => number;
}

/** The whole file as UTF-8 text. @throws CommandFailure if there is no such file */
export function readTextFile(file: string): string {
  requireFile(file);
  return readFileSync(file, 'utf8');
}

function requireFile(file: string): void {
  if (!existsSync(file)) throw new CommandFailure(`file not found: ${file}`);
}

/** @throws CommandFailure if there is no such file */
export function openFile(file: string, isCompressed: boolean): OpenFile {
  requireFile(file);
  const stream = createReadStream(file);
  const { size } = statSync(file);
  const bytes = isCompressed ? unpacked(stream, file) : stream;
  return { bytes, part: () => (size === 0 ? 1 : stream.bytesRead / size) };
}

/**
 * An error in one stream destroys the other, and its reader gets the error.
 * @param name of the file or address. @throws CommandFailure for bytes that gzip has not packed
 */
export async function* unpacked(
  packed: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<Uint8Array> {
  try {
    yield* pipeline(Readable.from(packed), createGunzip(), () => undefined);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw code?.startsWith('Z_') ? new CommandFailure(`${name} is not gzip: ${message}`) : error;
  }
}

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

export const MIB = 1024 ** 2;
/** Large enough that a batch is worth its commit, small enough to hold in memory. */
const PART_MIB_DEFAULT = 16;

/** The option of commands that send documents in parts. */
export const PART_SIZE_OPTION = {
  'part-size MIB': `size of one payload (default: ${PART_MIB_DEFAULT})`,
} as const;

/** Bytes of one payload, at least 1 MiB. @throws CommandFailure */
export const partBytesOf = (options: GivenOptions): number =>
  Math.max(1, numberOption(options, 'part-size', PART_MIB_DEFAULT)) * MIB;

/** The option of commands that read CSV. */
export const DELIMITER_OPTION = {
  'delimiter CHARACTER': 'csv: between the values of a line, also `tab` (default: ,)',
} as const;

/** null if the option is absent. @throws CommandFailure */
export function csvDelimiter(options: GivenOptions, format: UploadFormat): string | null {
  const given = textOption(options, 'delimiter');
  if (given === null) return null;
  if (format !== 'csv')
    throw new CommandFailure(`--delimiter is for csv, not for ${format}`, EXIT.usage);
  const character = given === 'tab' ? '\t' : given;
  if (character.length === 1 && character < '\x80') return character;
  throw new CommandFailure(
    `--delimiter takes one ASCII character or \`tab\`, not \`${given}\``,
    EXIT.usage,
  );
}

/** The documents of a file or an address, one after the other; can be read several times. */
import { concatBytes } from '../../core/concat-bytes.ts';
import { isObject, type Json } from '../../core/json.ts';
import { CsvError, convertCsv } from '../../csv/csv-to-ndjson.ts';
import { parseDocument } from '../../model/document-fingerprint.ts';
import { documentFormOf } from '../../model/document-form.ts';
import type { GivenOptions } from '../command.ts';
import { CommandFailure, EXIT } from '../command-failure.ts';
import { csvDelimiter, type OpenFile, openFile, partsOfFile, unpacked } from './file-parts.ts';

const PART_BYTES = 1 << 20;

export interface SourceDocument {
  /** Absent = the value of the primary key. */
  readonly id?: string;
  readonly document: Json;
  /** Fraction of the source that is read, 0 to 1; 0 if its size is unknown. */
  readonly part: number;
}

/**
 * @param source file name, or address that starts with `http://` or `https://`
 * @throws CommandFailure
 */
export async function* sourceDocuments(
  source: string,
  options: GivenOptions,
): AsyncGenerator<SourceDocument> {
  const isAddress = /^https?:\/\//.test(source);
  const form = documentFormOf(isAddress ? new URL(source).pathname : source);
  if (form === null)
    throw new CommandFailure(
      `${source}: the name of a source ends in .json, .jsonl, .ndjson or .csv, each also with .gz`,
      EXIT.usage,
    );
  const { format, isCompressed } = form;
  const fromCsv = csvConverter(source, csvDelimiter(options, format) ?? ',');
  const { bytes, part } = isAddress
    ? await openAddress(source, isCompressed)
    : openFile(source, isCompressed);
  for await (const { bytes: own, end } of partsOfFile(bytes, format, PART_BYTES, 0)) {
    const text = format === 'csv' ? fromCsv(own) : own;
    const place = `${source}, up to byte ${end}`;
    for (const document of objectsOf(text, format === 'json' ? 'json' : 'ndjson', place))
      yield { document, part: part() };
  }
}

/** Converts parts of a file, each with the header, to NDJSON. The result throws CommandFailure. */
function csvConverter(source: string, delimiter: string): (part: Uint8Array) => Uint8Array {
  let rows = 0;
  return (part) => {
    const chunks: Uint8Array[] = [];
    const write = (chunk: Uint8Array): unknown => chunks.push(chunk.slice());
    try {
      rows += convertCsv(part, delimiter.charCodeAt(0), write, rows);
    } catch (error) {
      throw error instanceof CsvError ? new CommandFailure(`${source}: ${error.reason}`) : error;
    }
    return concatBytes(chunks);
  };
}

async function openAddress(address: string, isCompressed: boolean): Promise<OpenFile> {
  const response = await fetch(address).catch((error: unknown) => {
    throw new CommandFailure(
      `${address} does not answer: ${String((error as Error).cause ?? error)}`,
    );
  });
  if (!response.ok || response.body === null)
    throw new CommandFailure(`${address} answered with status ${response.status}`);
  const size = Number(response.headers.get('content-length') ?? 0);
  let read = 0;
  async function* counted(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      read += chunk.length;
      yield chunk;
    }
  }
  const bytes = counted(response.body);
  return {
    bytes: isCompressed ? unpacked(bytes, address) : bytes,
    part: () => (size === 0 ? 0 : Math.min(1, read / size)),
  };
}

/** @throws CommandFailure if something is no object */
function* objectsOf(text: Uint8Array, format: 'json' | 'ndjson', place: string): Generator<Json> {
  const whole = Buffer.from(text).toString();
  const parsed =
    format === 'json'
      ? [parseDocument(whole)].flat()
      : whole.split('\n').filter(isFilled).map(parseDocument);
  for (const value of parsed) {
    if (!isObject(value)) throw new CommandFailure(`${place}: expected JSON objects`);
    yield value;
  }
}

const isFilled = (line: string): boolean => line.trim() !== '';

/** The documents of a file or an address, one after the other; can be read several times. */
import { isObject, type Json, parseJson } from '../../core/json.ts';
import { documentFormOf } from '../../model/document-form.ts';
import { CommandFailure, EXIT } from '../command-failure.ts';
import { partsOfFile } from './file-parts.ts';
import { type OpenFile, openFile, unpacked } from './open-file.ts';

const PART_BYTES = 1 << 20;

export interface SourceDocument {
  /** Absent = the value of the primary key. */
  readonly id?: string;
  readonly document: Json;
  /** Fraction of the source that is read, 0 to 1; 0 if its size is unknown. */
  readonly part: number;
}

/** @param source file name, or address that starts with `http://` or `https://` */
export async function* sourceDocuments(source: string): AsyncGenerator<SourceDocument> {
  const isAddress = /^https?:\/\//.test(source);
  const form = documentFormOf(isAddress ? new URL(source).pathname : source);
  if (form === null || form.format === 'csv')
    throw new CommandFailure(
      `${source}: a source has the documents as they are in the index: .json, .jsonl, .ndjson, each also with .gz`,
      EXIT.usage,
    );
  const { bytes, part } = isAddress
    ? await openAddress(source, form.isCompressed)
    : openFile(source, form.isCompressed);
  for await (const { bytes: text, end } of partsOfFile(bytes, form.format, PART_BYTES, 0))
    for (const document of objectsOf(text, form.format, `${source}, up to byte ${end}`))
      yield { document, part: part() };
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
    bytes: isCompressed ? unpacked(bytes) : bytes,
    part: () => (size === 0 ? 0 : Math.min(1, read / size)),
  };
}

/** @throws CommandFailure if something is no object */
function* objectsOf(text: Uint8Array, format: 'json' | 'ndjson', place: string): Generator<Json> {
  const parsed =
    format === 'json'
      ? [parseJson(text)].flat()
      : Buffer.from(text).toString().split('\n').filter(isFilled).map(parseJson);
  for (const value of parsed) {
    if (!isObject(value)) throw new CommandFailure(`${place}: expected JSON objects`);
    yield value;
  }
}

const isFilled = (line: string): boolean => line.trim() !== '';

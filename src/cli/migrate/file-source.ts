/** Reads export files document by document, in any wrapping. */

import { basename } from 'node:path';
import { isObject, type Json, parseJson } from '../../core/json.ts';
import type { MapDocument, MappedIndex } from '../../migration/mapped-index.ts';
import { CommandFailure } from '../command-failure.ts';
import { openFile, partsOfFile } from '../documents/file-parts.ts';
import { changedObject, rawElements } from '../documents/raw-members.ts';
import {
  type MigrationPart,
  type MigrationSource,
  notesAbout,
  PartInProgress,
  type SourceNote,
} from './migration-source.ts';

export interface ExportedDocument {
  readonly indexUid: string;
  readonly primaryKey: string | null;
  /** The exported JSON object. */
  readonly text: string;
  readonly value: Json;
  readonly map: MapDocument;
}

/** Content of one object of a file. */
interface ReadObject {
  readonly documents: readonly ExportedDocument[];
  readonly notes?: readonly SourceNote[];
  /** True if the next object belongs to this one, so that no part may end here. */
  readonly isOpen?: boolean;
}

/** @param place position of the object in the file, the same at every run */
export type ReadObjects = (text: string, value: Json, place: string) => ReadObject;

interface FileSourceOptions {
  readonly files: readonly string[];
  readonly indexes: readonly MappedIndex[];
  readonly partBytes: number;
  /** Reader of one file; may keep state from earlier objects. */
  readonly reader: () => ReadObjects;
}

interface Place {
  /** Number of the file. */
  readonly file: number;
  /** Bytes of the unpacked file that are done. */
  readonly end: number;
}

const BEGIN: Place = { file: 0, end: 0 };

export const fileSource = (options: FileSourceOptions): MigrationSource => ({
  keys: [],
  notes: [],
  indexes: options.indexes,
  async *parts(place) {
    const from = place === null ? BEGIN : (JSON.parse(place) as Place);
    for (let number = from.file; number < options.files.length; number++)
      yield* partsOf(options, number, number === from.file ? from.end : 0);
  },
  /** Streams end when their readers do. */
  close: () => undefined,
});

async function* partsOf(
  { files, partBytes, reader }: FileSourceOptions,
  number: number,
  from: number,
): AsyncGenerator<MigrationPart> {
  const file = files[number] ?? '';
  const format = await formatOf(file);
  // Opened last: an error before the first read would have no listener.
  const reading = openFile(file, file.endsWith('.gz'));
  const read = reader();
  const part = new PartInProgress();
  /** @param done fraction of this file, 0 to 1 */
  const taken = (end: number, done: number): MigrationPart =>
    part.take(
      JSON.stringify({ file: number, end } satisfies Place),
      (number + done) / files.length,
    );
  let last = from;
  for await (const { bytes, end } of partsOfFile(reading.bytes, format, 1, from)) {
    const objects = objectsIn(Buffer.from(bytes).toString().trim(), file, end);
    let isOpen = false;
    for (const [i, [text, value]] of objects.entries()) {
      const object = read(text, value, `${basename(file)}:${end}:${i}`);
      part.note(object.notes ?? []);
      for (const document of object.documents) addDocument(part, document);
      isOpen = object.isOpen === true;
    }
    last = end;
    if (part.length >= partBytes && !isOpen) yield taken(end, reading.part());
  }
  yield taken(last, 1);
}

function addDocument(part: PartInProgress, document: ExportedDocument): void {
  const { indexUid, primaryKey, text, value, map } = document;
  const change = map(value);
  part.note(notesAbout(indexUid, change.notes));
  part.add(indexUid, primaryKey, changedObject(text, change));
}

/**
 * Detects the format from the first bytes, not from the file name: a complete object on the first
 * line means NDJSON.
 */
async function formatOf(file: string): Promise<'json' | 'ndjson'> {
  for await (const chunk of openFile(file, file.endsWith('.gz')).bytes) {
    const text = Buffer.from(chunk).toString().trimStart();
    if (text === '') continue;
    const end = text.indexOf('\n');
    if (text.startsWith('[') || (end !== -1 && parseJson(text.slice(0, end)) === undefined))
      return 'json';
    return 'ndjson';
  }
  return 'ndjson';
}

/** @throws CommandFailure with the position of data that is not an object */
function objectsIn(text: string, file: string, end: number): (readonly [string, Json])[] {
  if (text === '') return [];
  const wrong = () =>
    new CommandFailure(`${file}: expected a JSON object that ends at byte ${end}`);
  const value = parseJson(text);
  if (isObject(value)) return [[text, value]];
  if (!Array.isArray(value)) throw wrong();
  const texts = [...rawElements(text)];
  return value.map((element, i) => {
    if (!isObject(element)) throw wrong();
    return [texts[i] ?? '', element] as const;
  });
}

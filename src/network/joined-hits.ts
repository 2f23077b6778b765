/**
 * Documents of other indexes in hits of several instances: hits with the documents instead of the
 * ids at their foreign keys, and the documents that an instance returned, by id.
 */
import { ApiError } from '../core/errors.ts';
import { ByteBuffer } from '../engine/bytes/byte-buffer.ts';
import { documentIdText } from '../engine/json/document-id.ts';
import { JsonError } from '../engine/json/json-error.ts';
import { JsonTape } from '../engine/json/json-tape.ts';
import { type LeafWriter, ValueReplacer } from '../engine/json/replace-values.ts';
import { memberNode } from '../engine/json/tape-members.ts';
import type { DocumentsPage } from './documents-page.ts';

const FORMATTED = '_formatted';

const tape = new JsonTape();
const out = new ByteBuffer();

/** Returns the JSON of a document; null = its id stays. */
export type DocumentOf = (id: string) => Uint8Array | null;

/** The hit with documents at its foreign keys, also in `_formatted`. @param fields by their paths */
export function joinedHit(hit: Uint8Array, fields: ReadonlyMap<string, DocumentOf>): Uint8Array {
  const writers = [...fields].flatMap(([field, documentOf]): [string, LeafWriter][] => {
    const values = new KeyValues(documentOf);
    return [
      [field, values],
      [`${FORMATTED}.${field}`, values.formatted],
    ];
  });
  out.clear();
  out.pushBytes(hit);
  new ValueReplacer(new Map(writers)).rewrite(out, 0);
  return out.copy();
}

/** The values of a field in a hit: those of the document come before the formatted ones. */
class KeyValues implements LeafWriter {
  readonly #documentOf: DocumentOf;
  /** In order; null = no id. */
  readonly #ids: (string | null)[] = [];
  #formattedCount = 0;

  constructor(documentOf: DocumentOf) {
    this.#documentOf = documentOf;
  }

  write(from: JsonTape, leaf: number, to: ByteBuffer): boolean {
    const id = documentIdText(from, leaf);
    this.#ids.push(id);
    return this.#replace(id, to);
  }

  /** Formatted values may be highlighted, so they take the ids of the values that they show. */
  readonly formatted: LeafWriter = {
    write: (from, leaf, to) => {
      const id =
        this.#ids.length === 0
          ? documentIdText(from, leaf)
          : (this.#ids[this.#formattedCount++] ?? null);
      return this.#replace(id, to);
    },
  };

  #replace(id: string | null, to: ByteBuffer): boolean {
    const document = id === null ? null : this.#documentOf(id);
    if (document === null) return false;
    to.pushBytes(document);
    return true;
  }
}

/**
 * The documents of a page by id.
 * @param remote name of the instance, for messages
 * @throws ApiError `remote_bad_response` for a document without an id
 */
export function documentsById(
  { results }: DocumentsPage,
  primaryKey: string,
  remote: string,
): Map<string, Uint8Array> {
  const list = Buffer.concat([Buffer.from('['), results, Buffer.from(']')]);
  const refuse = (): never => {
    throw new ApiError(
      'remote_bad_response',
      `The answer of \`${remote}\` has a document without an id in \`${primaryKey}\`.`,
    );
  };
  try {
    tape.scan(list, 0, list.length);
  } catch (error) {
    if (error instanceof JsonError) return refuse();
    throw error;
  }
  const documents = new Map<string, Uint8Array>();
  const after = tape.next(0);
  for (let node = 1; node < after; node = tape.next(node)) {
    const key = keyNode(node, primaryKey);
    const id = key === null ? null : documentIdText(tape, key);
    if (id === null) return refuse();
    documents.set(id, list.subarray(tape.start(node), tape.end(node)));
  }
  return documents;
}

/** The value of a member by its name, or by its path. */
function keyNode(document: number, primaryKey: string): number | null {
  const own = memberNode(tape, document, primaryKey);
  if (own !== null || !primaryKey.includes('.')) return own;
  return primaryKey
    .split('.')
    .reduce<number | null>((object, name) => memberNode(tape, object, name), document);
}

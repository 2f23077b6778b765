/** The member `_vectors` of documents: what each says of an embedder, and what forms it may have (api.md 12.6). */
import { ApiError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { ByteBuffer } from '../../engine/json/byte-buffer.ts';
import { stringEquals } from '../../engine/json/json-string.ts';
import { JsonKind, type JsonTape } from '../../engine/json/json-tape.ts';

export const VECTORS_FIELD = '_vectors';

/** What a document says of one embedder. */
export interface VectorEntry {
  /** None: the document has no vector and wants none. */
  readonly vectors: readonly Float32Array[];
  /** Whether the embedder makes them anew when the document changes. */
  readonly regenerate: boolean;
}

/** An embedder that documents may name. */
export interface NamedEmbedder {
  readonly name: string;
  readonly dimensions: number;
}

const utf8 = new TextEncoder();
const decoder = new TextDecoder();
const scratch = new ByteBuffer();

/** The value of a member of an object, or −1. */
function memberOf(tape: JsonTape, object: number, name: Uint8Array): number {
  if (tape.kind(object) !== JsonKind.object) return -1;
  const after = tape.next(object);
  for (let key = object + 1; key < after; key = tape.next(key + 1))
    if (stringEquals(tape, key, name, scratch)) return key + 1;
  return -1;
}

const FIELD_BYTES = utf8.encode(VECTORS_FIELD);

/** The node of a document's `_vectors`, or −1. */
export const vectorsNode = (tape: JsonTape): number => memberOf(tape, 0, FIELD_BYTES);

export const jsonValue = (tape: JsonTape, node: number): unknown =>
  JSON.parse(decoder.decode(tape.bytes.subarray(tape.start(node), tape.end(node))));

/** Reads what documents say of one embedder. */
export class EntryReader {
  readonly #embedder: NamedEmbedder;
  readonly #name: Uint8Array;

  constructor(embedder: NamedEmbedder) {
    this.#embedder = embedder;
    this.#name = utf8.encode(embedder.name);
  }

  /** Of what a document says of the embedder, or −1 when it says nothing. */
  node(tape: JsonTape): number {
    const vectors = vectorsNode(tape);
    return vectors < 0 ? -1 : memberOf(tape, vectors, this.#name);
  }

  /** null when the document says nothing. The document has passed `checkEntries`. */
  read(tape: JsonTape): VectorEntry | null {
    const node = this.node(tape);
    return node < 0 ? null : toEntry(jsonValue(tape, node), this.#embedder.dimensions);
  }
}

interface ExplicitEntry {
  readonly embeddings?: unknown;
  readonly regenerate: boolean;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isExplicit = (value: unknown): value is ExplicitEntry =>
  isObject(value) &&
  typeof value['regenerate'] === 'boolean' &&
  Object.keys(value).every((name) => name === 'embeddings' || name === 'regenerate');

function toEntry(value: unknown, dimensions: number): VectorEntry {
  const { embeddings, regenerate } = isExplicit(value)
    ? value
    : { embeddings: value, regenerate: false };
  const vectors = toVectors(embeddings ?? [], dimensions) ?? [];
  return { vectors: vectors.slice(0, limits.vectorsPerDocumentMax), regenerate };
}

/** null when it is neither a vector of these dimensions nor a list of such. */
function toVectors(value: unknown, dimensions: number): Float32Array[] | null {
  if (!Array.isArray(value)) return null;
  const rows: unknown[] = value.length > 0 && !Array.isArray(value[0]) ? [value] : value;
  return rows.every((row) => isVector(row, dimensions))
    ? rows.map((row) => Float32Array.from(row as number[]))
    : null;
}

const isVector = (row: unknown, dimensions: number): boolean =>
  Array.isArray(row) && row.length === dimensions && row.every(isFloat);

/** What a 32-bit float can hold. */
const isFloat = (value: unknown): boolean =>
  typeof value === 'number' && Number.isFinite(Math.fround(value));

/**
 * Throws when `_vectors` is not of a form that it may have.
 * @param embedders of the index
 * @throws ApiError `invalid_vectors_type`, `invalid_vector_dimensions`
 */
export function checkEntries(
  tape: JsonTape,
  embedders: readonly NamedEmbedder[],
  documentId: () => string,
): void {
  const node = vectorsNode(tape);
  if (node < 0) return;
  const entries = jsonValue(tape, node);
  if (!isObject(entries)) throw wrongType(documentId(), VECTORS_FIELD, 'an object');
  for (const [name, entry] of Object.entries(entries)) {
    const embedder = embedders.find((known) => known.name === name);
    checkEntry(entry, embedder, { documentId, path: `${VECTORS_FIELD}.${name}` });
  }
}

/** Where an entry stands, for messages. */
interface EntryPlace {
  readonly documentId: () => string;
  readonly path: string;
}

/** @param embedder undefined: the index has none of that name, and lists are not looked into */
function checkEntry(
  entry: unknown,
  embedder: NamedEmbedder | undefined,
  { documentId, path }: EntryPlace,
): void {
  const embeddings = isExplicit(entry) ? (entry.embeddings ?? null) : entry;
  if (embeddings === null) return;
  if (!Array.isArray(embeddings)) throw wrongType(documentId(), path, FORMS);
  if (embedder === undefined || embeddings.length === 0) return;
  const rows: unknown[] = embeddings.some(Array.isArray) ? embeddings : [embeddings];
  for (const row of rows) {
    if (!Array.isArray(row) || !row.every(isFloat)) throw wrongType(documentId(), path, FORMS);
    if (row.length !== embedder.dimensions)
      throw wrongDimensions(documentId(), path, row.length, embedder);
  }
}

const FORMS =
  'an array of numbers, an array of such arrays, null, or `{embeddings, regenerate}` of these';

const wrongType = (id: string, place: string, expected: string): ApiError =>
  new ApiError('invalid_vectors_type', `Document \`${id}\`: \`${place}\` must be ${expected}.`);

const wrongDimensions = (
  id: string,
  place: string,
  found: number,
  { dimensions }: NamedEmbedder,
): ApiError =>
  new ApiError(
    'invalid_vector_dimensions',
    `Document \`${id}\`: \`${place}\` has a vector of ${found} dimensions, expected ${dimensions}.`,
  );

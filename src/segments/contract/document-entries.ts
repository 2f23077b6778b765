/** The member `_vectors` of documents: what each says of an embedder, and what forms it may have (api.md 12.6). */
import { ApiError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { ByteBuffer } from '../../engine/json/byte-buffer.ts';
import { stringEquals, stringText } from '../../engine/json/json-string.ts';
import { JsonKind, type JsonTape } from '../../engine/json/json-tape.ts';
import { VECTORS_FIELD } from '../../model/embedder-settings.ts';

/** What a document says of one embedder, or what was found out for it. */
export interface VectorEntry {
  readonly vectors: readonly Float32Array[];
  /** Whether the embedder makes them anew when the document changes. */
  readonly regenerate: boolean;
  /**
   * Without vectors: the document leaves them to what was there before, or to the embedder.
   * Otherwise it wants none.
   */
  readonly isOpen: boolean;
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

/** What one document after the other says of embedders; each entry is read once. */
export class DocumentEntries {
  #tape: JsonTape | null = null;
  #vectors = -1;
  readonly #known = new Map<string, VectorEntry | null>();

  /** @param tape holds a document that has passed `checkEntries`; valid until the next call */
  begin(tape: JsonTape): this {
    this.#tape = tape;
    this.#vectors = vectorsNode(tape);
    this.#known.clear();
    return this;
  }

  /** Node of what the document says of the embedder, or −1. */
  node(name: string): number {
    if (this.#tape === null || this.#vectors < 0) return -1;
    return memberOf(this.#tape, this.#vectors, utf8.encode(name));
  }

  /** null when the document says nothing. */
  get({ name, dimensions }: NamedEmbedder): VectorEntry | null {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const node = this.node(name);
    const read =
      node < 0 || this.#tape === null ? null : toEntry(jsonValue(this.#tape, node), dimensions);
    this.#known.set(name, read);
    return read;
  }

  /** What counts for the document from now on, whatever it says itself. */
  set(name: string, entry: VectorEntry): void {
    this.#known.set(name, entry);
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
  const { embeddings = null, regenerate } = isExplicit(value)
    ? value
    : { embeddings: value, regenerate: false };
  const vectors = toVectors(embeddings ?? [], dimensions) ?? [];
  const saysNone = embeddings === null ? !isExplicit(value) : !regenerate;
  return {
    vectors: vectors.slice(0, limits.vectorsPerDocumentMax),
    regenerate,
    isOpen: vectors.length === 0 && !saysNone,
  };
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
 * Throws when `_vectors` is not of a form that it may have. Looks at the tape alone, but for
 * numbers that may be too large: vectors are read where they are needed.
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
  if (tape.kind(node) !== JsonKind.object)
    throw wrongType(documentId(), VECTORS_FIELD, 'an object');
  for (const key of childrenOf(tape, node, 2)) {
    const name = stringText(tape, key);
    const embedder = embedders.find((known) => known.name === name);
    checkEntry(tape, key + 1, embedder, { documentId, path: `${VECTORS_FIELD}.${name}` });
  }
}

/** Where an entry stands, for messages. */
interface EntryPlace {
  readonly documentId: () => string;
  readonly path: string;
}

/** @param embedder undefined: the index has none of that name, and lists are not looked into */
function checkEntry(
  tape: JsonTape,
  entry: number,
  embedder: NamedEmbedder | undefined,
  { documentId, path }: EntryPlace,
): void {
  const embeddings = embeddingsNode(tape, entry);
  if (embeddings < 0 || tape.kind(embeddings) === JsonKind.null) return;
  if (tape.kind(embeddings) !== JsonKind.array) throw wrongType(documentId(), path, FORMS);
  if (embedder === undefined) return;
  const items = childrenOf(tape, embeddings, 1);
  if (items.length === 0) return;
  const isNested = items.some((item) => tape.kind(item) === JsonKind.array);
  for (const row of isNested ? items : [embeddings]) {
    const numbers = tape.kind(row) === JsonKind.array ? childrenOf(tape, row, 1) : null;
    if (numbers === null || !numbers.every((number) => isFloatNode(tape, number)))
      throw wrongType(documentId(), path, FORMS);
    if (numbers.length !== embedder.dimensions)
      throw wrongDimensions(documentId(), path, numbers.length, embedder);
  }
}

const EMBEDDINGS = utf8.encode('embeddings');
const REGENERATE = utf8.encode('regenerate');

/** Of an explicit entry its embeddings, −1 when it has none; of any other itself. */
function embeddingsNode(tape: JsonTape, entry: number): number {
  const regenerate = memberOf(tape, entry, REGENERATE);
  if (regenerate < 0) return entry;
  const kind = tape.kind(regenerate);
  const isFlag = kind === JsonKind.true || kind === JsonKind.false;
  const embeddings = memberOf(tape, entry, EMBEDDINGS);
  const members = childrenOf(tape, entry, 2).length;
  return isFlag && members === (embeddings < 0 ? 1 : 2) ? embeddings : entry;
}

/** @param step 1: elements of an array, 2: keys of an object */
function childrenOf(tape: JsonTape, parent: number, step: 1 | 2): number[] {
  const children: number[] = [];
  const after = tape.next(parent);
  for (let child = parent + 1; child < after; child = tape.next(child + step - 1))
    children.push(child);
  return children;
}

/** Shorter numbers without an exponent are within what a 32-bit float can hold. */
const SAFE_DIGITS = 38;
const isExponent = (byte: number): boolean => (byte | 0x20) === 0x65;

function isFloatNode(tape: JsonTape, node: number): boolean {
  if (tape.kind(node) !== JsonKind.number) return false;
  const bytes = tape.bytes.subarray(tape.start(node), tape.end(node));
  if (bytes.length <= SAFE_DIGITS && !bytes.some(isExponent)) return true;
  return isFloat(Number(decoder.decode(bytes)));
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

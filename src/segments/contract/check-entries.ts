/** What forms the member `_vectors` of documents may have (api.md 12.6). */
import { ApiError } from '../../core/errors.ts';
import { floatOf } from '../../engine/json/float-value.ts';
import { stringText } from '../../engine/json/json-string.ts';
import { EXPONENT, JsonKind, type JsonTape } from '../../engine/json/json-tape.ts';
import { VECTORS_FIELD } from '../../model/embedder-settings.ts';
import { formOf, type NamedEmbedder, rowsOf, vectorsNode } from './document-entries.ts';

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
  const after = tape.next(node);
  for (let key = node + 1; key < after; key = tape.next(key + 1)) {
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
  const { embeddings } = formOf(tape, entry);
  if (embeddings < 0 || tape.kind(embeddings) === JsonKind.null) return;
  if (tape.kind(embeddings) !== JsonKind.array) throw wrongType(documentId(), path, FORMS);
  if (embedder === undefined) return;
  for (const row of rowsOf(tape, embeddings)) {
    const count = tape.kind(row) === JsonKind.array ? floatCount(tape, row) : -1;
    if (count < 0) throw wrongType(documentId(), path, FORMS);
    if (count !== embedder.dimensions) throw wrongDimensions(documentId(), path, count, embedder);
  }
}

/** How many elements an array has; −1 when some are no numbers that a 32-bit float can hold. */
function floatCount(tape: JsonTape, array: number): number {
  const after = tape.next(array);
  for (let node = array + 1; node < after; node++) if (!isFloatNode(tape, node)) return -1;
  return after - array - 1;
}

/** Shorter numbers without an exponent are within what a 32-bit float can hold. */
const SAFE_DIGITS = 38;

function isFloatNode(tape: JsonTape, node: number): boolean {
  if (tape.kind(node) !== JsonKind.number) return false;
  const isShort = tape.end(node) - tape.start(node) <= SAFE_DIGITS;
  return (isShort && tape.flags(node) !== EXPONENT) || Number.isFinite(floatOf(tape, node));
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

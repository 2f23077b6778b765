/** Validates the member `_vectors` of documents (api.md 12.6). */
import { ApiError } from '../../core/errors.ts';
import { floatOf } from '../../engine/json/float-value.ts';
import { EXPONENT, JsonKind, type JsonTape } from '../../engine/json/json-tape.ts';
import { shownJson } from '../../engine/json/shown-json.ts';
import { tapeMembers } from '../../engine/json/tape-members.ts';
import { VECTORS_FIELD } from '../../model/embedders/embedder-settings.ts';
import { formOf, type NamedEmbedder, rowsOf, vectorsNode } from './document-entries.ts';

/**
 * Validates `_vectors` on the tape, without reading vectors, except numbers that may be too large.
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
    throw wrongType(tape, node, { documentId, path: VECTORS_FIELD }, 'an object');
  // The last of entries with the same name counts.
  for (const [name, entry] of new Map(tapeMembers(tape, node))) {
    const embedder = embedders.find((known) => known.name === name);
    checkEntry(tape, entry, embedder, { documentId, path: `${VECTORS_FIELD}.${name}` });
  }
}

/** Location of an entry, for messages. */
interface EntryPlace {
  readonly documentId: () => string;
  readonly path: string;
}

/** @param embedder undefined: the index has no embedder of that name, and lists are not checked */
function checkEntry(
  tape: JsonTape,
  entry: number,
  embedder: NamedEmbedder | undefined,
  place: EntryPlace,
): void {
  const { embeddings } = formOf(tape, entry);
  if (embeddings < 0 || tape.kind(embeddings) === JsonKind.null) return;
  if (tape.kind(embeddings) !== JsonKind.array) throw wrongType(tape, entry, place, FORMS);
  if (embedder === undefined) return;
  for (const row of rowsOf(tape, embeddings)) {
    const wrong = firstNoFloat(tape, row);
    if (wrong !== null) throw wrongType(tape, wrong, place, NUMBERS, 'holds');
    const count = tape.next(row) - row - 1;
    if (count !== embedder.dimensions) throw wrongDimensions(place, count, embedder);
  }
}

/** Node of the first value in an array that a 32-bit float cannot represent. */
function firstNoFloat(tape: JsonTape, row: number): number | null {
  if (tape.kind(row) !== JsonKind.array) return row;
  const after = tape.next(row);
  for (let node = row + 1; node < after; node++) if (!isFloatNode(tape, node)) return node;
  return null;
}

/** Numbers with at most this many characters and no exponent fit into a 32-bit float. */
const SAFE_DIGITS = 38;

function isFloatNode(tape: JsonTape, node: number): boolean {
  if (tape.kind(node) !== JsonKind.number) return false;
  const isShort = tape.end(node) - tape.start(node) <= SAFE_DIGITS;
  return (isShort && tape.flags(node) !== EXPONENT) || Number.isFinite(floatOf(tape, node));
}

const NUMBERS = 'numbers from -3.4e38 to 3.4e38 alone, in one array or in an array of arrays';
const FORMS =
  'an array of numbers, an array of such arrays, null, or an object with `regenerate` (`true` or `false`) and `embeddings` of these, and nothing else';

/** @param verb connects the location and the value in the message */
const wrongType = (
  tape: JsonTape,
  node: number,
  { documentId, path }: EntryPlace,
  expected: string,
  verb = 'is',
): ApiError =>
  new ApiError(
    'invalid_vectors_type',
    `Document \`${documentId()}\`: \`${path}\` ${verb} \`${shownJson(tape, node)}\`, expected ${expected}.`,
  );

const wrongDimensions = (
  { documentId, path }: EntryPlace,
  found: number,
  { dimensions }: NamedEmbedder,
): ApiError =>
  new ApiError(
    'invalid_vector_dimensions',
    `Document \`${documentId()}\`: \`${path}\` has a vector of ${found} dimensions, expected ${dimensions}.`,
  );

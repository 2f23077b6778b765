/** The primary key of documents: inference of the key, its lookup, and the rules for valid ids. */
import { ApiError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { documentIdText } from '../../engine/json/document-id.ts';
import { stringText } from '../../engine/json/json-string.ts';
import { JsonKind, type JsonTape } from '../../engine/json/json-tape.ts';
import { memberOf } from '../../engine/json/tape-members.ts';

const ID_BYTES_MAX = limits.documentIdBytesMax;
/** Length of a document's or value's text in an error message. */
const QUOTED_LENGTH_MAX = 200;
/** A message lists at most this many candidates. */
const CANDIDATES_MAX = 10;
const utf8 = new TextEncoder();
const decoder = new TextDecoder();

/** The rule for ids, for messages. */
const ALLOWED = `an integer of 64 bits, or a string of 1 to ${ID_BYTES_MAX} bytes that are letters a-z A-Z, digits, \`-\` or \`_\``;

/**
 * Infers the key of an index without one from its first document.
 * @throws ApiError index_primary_key_no_candidate_found,
 * index_primary_key_multiple_candidates_found
 */
export function inferPrimaryKey(tape: JsonTape): string {
  const candidates = new Set<string>();
  for (let key = 1; key < tape.next(0); key = tape.next(key + 1)) {
    const name = stringText(tape, key);
    if (name.toLowerCase().endsWith('id')) candidates.add(name);
  }
  const [first, second] = candidates;
  if (first === undefined) {
    throw new ApiError(
      'index_primary_key_no_candidate_found',
      `No member of the first document has a name ending with \`id\`, so the primary key cannot be inferred; name one with the \`primaryKey\` parameter. The document is ${quoteNode(tape, 0)}`,
    );
  }
  if (second !== undefined) {
    const listed = [...candidates].slice(0, CANDIDATES_MAX).map((name) => `\`${cut(name)}\``);
    throw new ApiError(
      'index_primary_key_multiple_candidates_found',
      `${candidates.size} members of the first document have a name ending with \`id\`: ${listed.join(', ')}${candidates.size > CANDIDATES_MAX ? ', …' : ''}; name the primary key with the \`primaryKey\` parameter`,
    );
  }
  return first;
}

/** Finds ids of documents under one primary key, which may be a dotted path. */
export class IdReader {
  readonly #path: string;
  readonly #bytes: Uint8Array;
  readonly #isNested: boolean;

  constructor(primaryKey: string) {
    this.#path = primaryKey;
    this.#bytes = utf8.encode(primaryKey);
    this.#isNested = primaryKey.includes('.');
  }

  /**
   * The id's text of the document on the tape.
   * @param position of the document in its payload, counted from 1, for messages
   * @throws ApiError missing_document_id, invalid_document_id
   */
  read(tape: JsonTape, position: number): string {
    const found = this.#isNested
      ? this.#nestedValue(tape, position)
      : memberOf(tape, 0, this.#bytes);
    if (found < 0) {
      throw new ApiError(
        'missing_document_id',
        `Document ${position} of the payload has no value for the primary key \`${cut(this.#path)}\`: ${quoteNode(tape, 0)}`,
      );
    }
    const id = documentIdText(tape, found);
    if (id === null) {
      throw new ApiError(
        'invalid_document_id',
        `Document ${position} of the payload has the id ${quoteNode(tape, found)} in \`${cut(this.#path)}\`; an id is ${ALLOWED}`,
      );
    }
    return id;
  }

  #nestedValue(tape: JsonTape, position: number): number {
    const found: number[] = [];
    collectValues(tape, 0, this.#path, found);
    if (found.length > 1) {
      const values = found.slice(0, 2).map((node) => quoteNode(tape, node));
      throw new ApiError(
        'invalid_document_id',
        `Document ${position} of the payload has ${found.length} values for the primary key \`${cut(this.#path)}\` (${values.join(', ')}…), it must have one`,
      );
    }
    return found[0] ?? -1;
  }
}

/** Collects the values at `path` below an object; an array on the path has none. */
function collectValues(tape: JsonTape, node: number, path: string, found: number[]): void {
  if (tape.kind(node) !== JsonKind.object) return;
  const after = tape.next(node);
  const values = new Map<string, number>();
  for (let key = node + 1; key < after; key = tape.next(key + 1))
    values.set(stringText(tape, key), key + 1);
  for (const [name, value] of values) {
    if (name === path) found.push(value);
    else if (path.startsWith(name) && path[name.length] === '.')
      collectValues(tape, value, path.slice(name.length + 1), found);
  }
}

const cut = (text: string): string =>
  text.length > QUOTED_LENGTH_MAX ? `${text.slice(0, QUOTED_LENGTH_MAX)}…` : text;

function quoteNode(tape: JsonTape, node: number): string {
  const start = tape.start(node);
  const end = Math.min(tape.end(node), start + QUOTED_LENGTH_MAX * 4);
  return `\`${cut(decoder.decode(tape.bytes.subarray(start, end)))}\``;
}

/**
 * Parses JSON bodies: bounded depth, UTF-8 only, lone surrogates become U+FFFD, syntax errors with
 * their position.
 */

import { isUtf8 } from 'node:buffer';
import { ApiError } from '../core/errors.ts';
import { parseJson } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import { ByteBuffer } from '../engine/bytes/byte-buffer.ts';
import { compactNode } from '../engine/json/compact-json.ts';
import { JsonError, lineAndColumn, TooManyValues } from '../engine/json/json-error.ts';
import { isJsonSpace, JsonKind, JsonTape } from '../engine/json/json-tape.ts';

const tape = new JsonTape(limits.jsonValuesMax);

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BRACKET = 0x5b;
const BRACE = 0x7b;

/** Longer texts may have more values than allowed. */
const PLAIN_BYTES_MAX = 1 << 20;

/** The value of a JSON text. @throws JsonError */
export function parseBoundedJson(bytes: Uint8Array): unknown {
  const { buffer, byteOffset, length } = bytes;
  const text = Buffer.from(buffer, byteOffset, length).toString();
  const isPlain = length <= PLAIN_BYTES_MAX && isUtf8(bytes) && !mayHoldTooMuch(bytes);
  const value = isPlain ? plainValue(text) : undefined;
  if (value !== undefined) return value;
  scanWhole(bytes);
  if (mayHoldTooMuch(bytes)) checkAmounts();
  return JSON.parse(tape.hasLoneSurrogate ? wellFormed() : text);
}

/** Fast path for most texts; undefined for other texts and for invalid JSON. */
function plainValue(text: string): unknown {
  if (text.includes('\\u') || !isShallow(text)) return undefined;
  return parseJson(text);
}

/** True if there are too few brackets to exceed the nesting limit. */
function isShallow(text: string): boolean {
  let left = limits.jsonDepthMax;
  for (const bracket of '[{') {
    let at = text.indexOf(bracket);
    for (; at >= 0 && left > 0; left--) at = text.indexOf(bracket, at + 1);
    if (at >= 0) return false;
  }
  return true;
}

/**
 * Parsing blocks the event loop, so texts with many of these bytes are checked first. Strings may
 * contain them too, so the tape decides.
 */
function mayHoldTooMuch(bytes: Uint8Array): boolean {
  if (bytes.length <= limits.jsonStructuresMax) return false;
  let structures = 0;
  let values = 0;
  let quotes = 0;
  for (const byte of bytes) {
    if (byte === COMMA) values += 1;
    else if (byte === QUOTE) quotes += 1;
    else if (byte === COLON || byte === BRACKET || byte === BRACE) structures += 1;
  }
  return (
    structures > limits.jsonStructuresMax ||
    values + structures > limits.jsonValuesMax ||
    quotes > 2 * limits.jsonStringsMax
  );
}

/** Checks the counts of the scanned text. @throws ApiError `payload_too_large` */
function checkAmounts(): void {
  const { jsonStructuresMax, jsonStringsMax, jsonValuesMax } = limits;
  if (tape.length > jsonValuesMax) throw tooMuch(`${jsonValuesMax} values`);
  let structures = 0;
  let strings = 0;
  for (let node = 0; node < tape.length; node++) {
    const kind = tape.kind(node);
    if (kind === JsonKind.string) strings += 1;
    else if (kind === JsonKind.array) structures += 1;
    else if (kind === JsonKind.object) structures += 1 + membersOf(node);
  }
  if (structures > jsonStructuresMax)
    throw tooMuch(`${jsonStructuresMax} arrays, objects and members`);
  if (strings > jsonStringsMax) throw tooMuch(`${jsonStringsMax} strings`);
}

function membersOf(object: number): number {
  let members = 0;
  for (let key = object + 1; key < tape.next(object); key = tape.next(key + 1)) members += 1;
  return members;
}

const tooMuch = (what: string): ApiError =>
  new ApiError(
    'payload_too_large',
    `The body holds more than the ${what} that this instance accepts in one.`,
  );

function scanWhole(bytes: Uint8Array): void {
  let end = scanValue(bytes);
  while (end < bytes.length && isJsonSpace(bytes[end])) end += 1;
  if (end < bytes.length) throw new JsonError(end, 'expected the end of the text after the value');
}

function scanValue(bytes: Uint8Array): number {
  try {
    return tape.scan(bytes, 0, bytes.length);
  } catch (error) {
    if (error instanceof TooManyValues) throw tooMuch(`${limits.jsonValuesMax} values`);
    throw error;
  }
}

/** The scanned text with U+FFFD for each lone surrogate. */
function wellFormed(): string {
  const out = new ByteBuffer();
  compactNode(tape, 0, out);
  return new TextDecoder().decode(out.bytes.subarray(0, out.length));
}

/** The value of a request body. @throws ApiError `missing_payload`, `malformed_payload` */
export function parseJsonBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0)
    throw new ApiError('missing_payload', 'The request needs a body, which is empty.');
  try {
    return parseBoundedJson(bytes);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const { line, column } = lineAndColumn(bytes, error.offset);
    throw new ApiError(
      'malformed_payload',
      `The body is not JSON: ${error.reason} (line ${line}, column ${column}, byte ${error.offset}).`,
      { cause: error },
    );
  }
}

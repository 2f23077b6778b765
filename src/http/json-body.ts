/**
 * Parses JSON bodies: bounded depth, UTF-8 only, U+FFFD for what no UTF-8 can say, and the place of
 * a syntax error in the message.
 */
import { ApiError } from '../core/errors.ts';
import { ByteBuffer } from '../engine/json/byte-buffer.ts';
import { compactNode } from '../engine/json/compact-json.ts';
import { JsonError, lineAndColumn } from '../engine/json/json-error.ts';
import { isJsonSpace, JsonTape } from '../engine/json/json-tape.ts';

const tape = new JsonTape();

/** The value of a JSON text. @throws JsonError */
export function parseJson(bytes: Uint8Array): unknown {
  let end = tape.scan(bytes, 0, bytes.length);
  while (end < bytes.length && isJsonSpace(bytes[end])) end += 1;
  if (end < bytes.length) throw new JsonError(end, 'expected the end of the text after the value');
  const { buffer, byteOffset, length } = tape.hasLoneSurrogate ? wellFormed() : bytes;
  return JSON.parse(Buffer.from(buffer, byteOffset, length).toString());
}

/** What was scanned, with a replacement character for each half of a surrogate pair. */
function wellFormed(): Uint8Array {
  const out = new ByteBuffer();
  compactNode(tape, 0, out);
  return out.bytes.subarray(0, out.length);
}

/** The value of a request body. @throws ApiError `missing_payload`, `malformed_payload` */
export function parseJsonBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0)
    throw new ApiError('missing_payload', 'The request needs a body, which is empty.');
  try {
    return parseJson(bytes);
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

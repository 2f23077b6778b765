/** Parses JSON bodies: bounded depth, UTF-8 only, and the place of a syntax error in the message. */
import { ApiError } from '../core/errors.ts';
import { JsonError, lineAndColumn } from '../engine/json/json-error.ts';
import { isJsonSpace, JsonTape } from '../engine/json/json-tape.ts';

const tape = new JsonTape();

/** The value of a JSON text. @throws JsonError */
export function parseJson(bytes: Uint8Array): unknown {
  let end = tape.scan(bytes, 0, bytes.length);
  while (end < bytes.length && isJsonSpace(bytes[end])) end += 1;
  if (end < bytes.length) throw new JsonError(end, 'expected the end of the text after the value');
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
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

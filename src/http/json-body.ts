/**
 * Parses JSON bodies: bounded depth, UTF-8 only, lone surrogates become U+FFFD, syntax errors with
 * their position.
 */

import { isUtf8 } from 'node:buffer';
import type { Caller } from '../core/caller.ts';
import { ApiError } from '../core/errors.ts';
import { parseJson } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import { SerialQueue } from '../core/serial-queue.ts';
import type { TimeSlices } from '../core/time-slices.ts';
import { ByteBuffer } from '../engine/bytes/byte-buffer.ts';
import { compactNode } from '../engine/json/compact-json.ts';
import { JsonError, lineAndColumn } from '../engine/json/json-error.ts';
import { isJsonSpace, JsonTape } from '../engine/json/json-tape.ts';
import { LargeJson } from './large-json.ts';
import { ClientGone } from './request-body.ts';

/** Of texts that are parsed at once. */
const sharedTape = new JsonTape();

/** One at a time: a scanned text takes up to 20 MB in addition to its bytes and its values. */
const largeBodies = new SerialQueue();

/** The value of a JSON text. @throws JsonError */
export function parseBoundedJson(bytes: Uint8Array): unknown {
  const { buffer, byteOffset, length } = bytes;
  const text = Buffer.from(buffer, byteOffset, length).toString();
  const value = isUtf8(bytes) ? plainValue(text) : undefined;
  if (value !== undefined) return value;
  scanWhole(sharedTape, bytes);
  return JSON.parse(
    sharedTape.hasLoneSurrogate ? new TextDecoder().decode(wellFormed(sharedTape)) : text,
  );
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

function scanWhole(tape: JsonTape, bytes: Uint8Array): void {
  let end = tape.scan(bytes, 0, bytes.length);
  while (end < bytes.length && isJsonSpace(bytes[end])) end += 1;
  if (end < bytes.length) throw new JsonError(end, 'expected the end of the text after the value');
}

/** The scanned text with U+FFFD for each lone surrogate. */
function wellFormed(tape: JsonTape): Uint8Array {
  const out = new ByteBuffer();
  compactNode(tape, 0, out);
  return out.bytes.subarray(0, out.length);
}

/** @returns the error of the body, if it is not JSON */
function refusal(bytes: Uint8Array, error: unknown): unknown {
  if (!(error instanceof JsonError)) return error;
  const { line, column } = lineAndColumn(bytes, error.offset);
  return new ApiError(
    'malformed_payload',
    `The body is not JSON: ${error.reason} (line ${line}, column ${column}, byte ${error.offset}).`,
    { cause: error },
  );
}

/** The value of a request body. @throws ApiError `missing_payload`, `malformed_payload` */
export function parseJsonBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0)
    throw new ApiError('missing_payload', 'The request needs a body, which is empty.');
  try {
    return parseBoundedJson(bytes);
  } catch (error) {
    throw refusal(bytes, error);
  }
}

/**
 * As `parseJsonBody`, in several turns of the event loop.
 * @throws ApiError `malformed_payload`
 * @throws ClientGone
 */
export function parseLargeJsonBody(
  bytes: Uint8Array,
  slices: TimeSlices,
  caller: Caller,
): Promise<unknown> {
  return largeBodies.run(async () => {
    await slices.next();
    if (caller.isAborted) throw new ClientGone();
    const tape = new JsonTape();
    try {
      scanWhole(tape, bytes);
    } catch (error) {
      throw refusal(bytes, error);
    }
    await slices.next();
    if (tape.hasLoneSurrogate) {
      const replaced = wellFormed(tape);
      await slices.next();
      scanWhole(tape, replaced);
      await slices.next();
    }
    return new LargeJson(tape, slices, caller).value();
  });
}

/**
 * The text of a leaf as UTF-8 bytes: a view of the stored bytes if they need no change, else a
 * copy.
 */

import { ByteBuffer } from '../../../engine/bytes/byte-buffer.ts';
import { decodeUtf8, encodeUtf8 } from '../../../engine/bytes/utf8.ts';
import { escapeInto, unescapeInto } from '../../../engine/json/json-string.ts';
import { ESCAPED, JsonKind, type JsonTape } from '../../../engine/json/json-tape.ts';
import { isPrintedAsStored, numberText } from '../../../engine/json/number-text.ts';

export interface LeafText {
  readonly utf8: Uint8Array;
  readonly start: number;
  readonly end: number;
  /** True if the JSON string of the text needs escapes. */
  readonly hasEscapes: boolean;
}

const quotesOf = (tape: JsonTape, node: number): number =>
  tape.kind(node) === JsonKind.string ? 1 : 0;

/** Start of the stored text of a string or a number, without quotes. */
export const textStart = (tape: JsonTape, node: number): number =>
  tape.start(node) + quotesOf(tape, node);
export const textEnd = (tape: JsonTape, node: number): number =>
  tape.end(node) - quotesOf(tape, node);

/** True if the stored bytes are the text. */
export function isTextAsStored(tape: JsonTape, node: number): boolean {
  if (tape.kind(node) === JsonKind.string) return (tape.flags(node) & ESCAPED) === 0;
  return isPrintedAsStored(tape.bytes, tape.start(node), tape.end(node));
}

/** @param node a string or a number; numbers have the form in which they are indexed */
export function leafText(tape: JsonTape, node: number): LeafText {
  const { bytes } = tape;
  const start = textStart(tape, node);
  const end = textEnd(tape, node);
  if (isTextAsStored(tape, node)) return { utf8: bytes, start, end, hasEscapes: false };
  if (tape.kind(node) === JsonKind.number)
    return copied(encodeUtf8(numberText(decodeUtf8(bytes, start, end))), false);
  const text = new ByteBuffer();
  text.reserve(end - start);
  unescapeInto(bytes, start, end, text);
  return copied(text.view(), true);
}

const copied = (utf8: Uint8Array, hasEscapes: boolean): LeafText => ({
  utf8,
  start: 0,
  end: utf8.length,
  hasEscapes,
});

/** Appends a part of the text as the inside of a JSON string. */
export function pushPart(
  { utf8, hasEscapes }: LeafText,
  from: number,
  to: number,
  out: ByteBuffer,
): void {
  if (hasEscapes) escapeInto(utf8, from, to, out);
  else out.pushRange(utf8, from, to);
}

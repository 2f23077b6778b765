/** Members of objects on a tape. */
import { decodeUtf8, encodeUtf8 } from '../bytes/utf8.ts';
import { stringEquals, stringText } from './json-string.ts';
import { JsonKind, type JsonTape } from './json-tape.ts';

/** Names and values of an object's members in order; empty when the node is not an object. */
export function* tapeMembers(
  tape: JsonTape,
  object: number | null,
): Generator<readonly [name: string, node: number]> {
  if (object === null || tape.kind(object) !== JsonKind.object) return;
  const after = tape.next(object);
  for (let key = object + 1; key < after; key = tape.next(key + 1))
    yield [stringText(tape, key), key + 1];
}

/**
 * The value of an object's member, the last of that name as in `JSON.parse`; −1 when there is none.
 * @param name in UTF-8
 */
export function memberOf(tape: JsonTape, object: number, name: Uint8Array): number {
  let found = -1;
  if (tape.kind(object) !== JsonKind.object) return found;
  const after = tape.next(object);
  for (let key = object + 1; key < after; key = tape.next(key + 1))
    if (stringEquals(tape, key, name)) found = key + 1;
  return found;
}

/** The same; null when there is none. */
export function memberNode(tape: JsonTape, object: number | null, name: string): number | null {
  const found = object === null ? -1 : memberOf(tape, object, encodeUtf8(name));
  return found < 0 ? null : found;
}

/** The number at a node; null when it is not a number. */
export function numberAt(tape: JsonTape, node: number | null): number | null {
  if (node === null || tape.kind(node) !== JsonKind.number) return null;
  return Number(decodeUtf8(tape.bytes, tape.start(node), tape.end(node)));
}

/** The beginning of a value of a document, for messages. */
import { decodeUtf8 } from '../bytes/utf8.ts';
import type { JsonTape } from './json-tape.ts';

const SHOWN_BYTES_MAX = 100;

export function shownJson(tape: JsonTape, node: number): string {
  const [start, end] = [tape.start(node), tape.end(node)];
  if (end - start <= SHOWN_BYTES_MAX) return decodeUtf8(tape.bytes, start, end);
  let cut = start + SHOWN_BYTES_MAX;
  while (((tape.bytes[cut] ?? 0) & 0xc0) === 0x80) cut -= 1;
  return `${decodeUtf8(tape.bytes, start, cut)}…`;
}

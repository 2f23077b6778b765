/** Valid document ids on a tape: a 64-bit integer, or a short string of the allowed characters. */
import { limits } from '../../core/limits.ts';
import { decodeUtf8, encodeUtf8 } from '../bytes/utf8.ts';
import { stringText } from './json-string.ts';
import { JsonKind, type JsonTape } from './json-tape.ts';
import { isInteger64 } from './number-text.ts';

const ID_BYTES_MAX = limits.documentIdBytesMax;
/** More digits fit no integer of 64 bits. */
const NUMBER_BYTES_READ = 30;

/** The id's text, or null when the node is not a valid id; `1` and `"1"` are the same id. */
export function documentIdText(tape: JsonTape, node: number): string | null {
  const kind = tape.kind(node);
  if (kind === JsonKind.number) {
    const start = tape.start(node);
    const text = decodeUtf8(tape.bytes, start, Math.min(tape.end(node), start + NUMBER_BYTES_READ));
    return isInteger64(text) ? text : null;
  }
  if (kind !== JsonKind.string) return null;
  if (tape.flags(node) === 0) {
    const start = tape.start(node) + 1;
    const end = tape.end(node) - 1;
    return isIdText(tape.bytes, start, end) ? decodeUtf8(tape.bytes, start, end) : null;
  }
  const text = stringText(tape, node);
  const utf8 = encodeUtf8(text);
  return isIdText(utf8, 0, utf8.length) ? text : null;
}

function isIdText(bytes: Uint8Array, start: number, end: number): boolean {
  if (end === start || end - start > ID_BYTES_MAX) return false;
  for (let i = start; i < end; i++) {
    const byte = bytes[i] as number;
    const lower = byte | 0x20;
    const isLetter = lower >= 0x61 && lower <= 0x7a;
    if (!isLetter && !(byte >= 0x30 && byte <= 0x39) && byte !== 0x2d && byte !== 0x5f)
      return false;
  }
  return true;
}

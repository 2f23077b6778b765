/** Valid document ids on a tape: a 64-bit integer, or a short string of the allowed characters. */
import { limits } from '../../core/limits.ts';
import { stringText } from './json-string.ts';
import { JsonKind, type JsonTape } from './json-tape.ts';

const ID_BYTES_MAX = limits.documentIdBytesMax;
const INTEGER = /^-?\d{1,20}$/;
/** Any integer text of this length fits 64 bits. */
const FITTING_LENGTH = 18;
const SIGNED_MIN = -(2n ** 63n);
const UNSIGNED_MAX = 2n ** 64n - 1n;
const utf8 = new TextEncoder();
const decoder = new TextDecoder();

/** The id's text, or null when the node is not a valid id; `1` and `"1"` are the same id. */
export function documentIdText(tape: JsonTape, node: number): string | null {
  const kind = tape.kind(node);
  if (kind === JsonKind.number) {
    const text = decoder.decode(
      tape.bytes.subarray(tape.start(node), Math.min(tape.end(node), tape.start(node) + 30)),
    );
    return isIntegerId(text) ? text : null;
  }
  if (kind !== JsonKind.string) return null;
  if (tape.flags(node) === 0) {
    const start = tape.start(node) + 1;
    const end = tape.end(node) - 1;
    return isIdText(tape.bytes, start, end)
      ? decoder.decode(tape.bytes.subarray(start, end))
      : null;
  }
  const text = utf8.encode(stringText(tape, node));
  return isIdText(text, 0, text.length) ? decoder.decode(text) : null;
}

function isIntegerId(text: string): boolean {
  if (!INTEGER.test(text) || text === '-0') return false;
  if (text.length <= FITTING_LENGTH) return true;
  const value = BigInt(text);
  return value >= SIGNED_MIN && value <= UNSIGNED_MAX;
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

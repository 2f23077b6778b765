/**
 * JSON numbers as 32-bit floats, read from their bytes: `Math.fround(Number(text))` to the last bit,
 * without the text.
 */
import { decodeUtf8 } from '../bytes/utf8.ts';
import { EXPONENT, JsonKind, type JsonTape } from './json-tape.ts';

/** Decimal digits that fit a signed integer of 32 bits. */
const HEAD_DIGITS = 9;
/** Additional digits that fit an exact 64-bit float with them. */
const TAIL_DIGITS = 6;
/** 10⁰ … 10¹⁵: exact. */
const POWERS = Float64Array.from({ length: HEAD_DIGITS + TAIL_DIGITS + 1 }, (_, n) => 10 ** n);

const ZERO = 0x30;
const MINUS = 0x2d;
const POINT = 0x2e;

/** @param node of a number */
export function floatOf(tape: JsonTape, node: number): number {
  const { bytes } = tape;
  const start = tape.start(node);
  const end = tape.end(node);
  if (tape.flags(node) === EXPONENT) return parsedFloat(bytes, start, end);
  return bytes[start] === MINUS ? -decimalAt(bytes, start + 1, end) : decimalAt(bytes, start, end);
}

/**
 * Reads the elements of an array that must have as many numbers as `into` has room for.
 * @returns whether it has, and all are finite as 32-bit floats
 */
export function readFloats(tape: JsonTape, array: number, into: Float32Array): boolean {
  // Each number is one node.
  if (tape.next(array) - array - 1 !== into.length) return false;
  for (let i = 0; i < into.length; i++) {
    const node = array + 1 + i;
    if (tape.kind(node) !== JsonKind.number) return false;
    into[i] = floatOf(tape, node);
    if (!Number.isFinite(into[i])) return false;
  }
  return true;
}

/**
 * Digits, an optional point, digits. The first 15 digits as an integer, divided by a power of ten,
 * are a 64-bit float that is rounded once, since both are exact. With further digits the value lies
 * between two such floats; if both round to the same 32-bit float, so does the value.
 */
function decimalAt(bytes: Uint8Array, start: number, end: number): number {
  // Two integers of 32 bits are read faster than one larger integer.
  let head = 0;
  let at = start;
  for (const stop = Math.min(end, start + HEAD_DIGITS); at < stop && bytes[at] !== POINT; at++)
    head = (head * 10 + bytes[at]! - ZERO) | 0;
  if (at === end) return Math.fround(head);
  if (bytes[at] !== POINT) return parsedFloat(bytes, start, end);
  const first = ++at;
  const middle = Math.min(end, start + HEAD_DIGITS + 1);
  for (; at < middle; at++) head = (head * 10 + bytes[at]! - ZERO) | 0;
  if (at === end) return Math.fround(head / POWERS[end - first]!);
  const last = Math.min(end, at + TAIL_DIGITS);
  let tail = 0;
  for (; at < last; at++) tail = (tail * 10 + bytes[at]! - ZERO) | 0;
  const digits = head * POWERS[last - middle]! + tail;
  const power = POWERS[last - first]!;
  const low = Math.fround(digits / power);
  const isCertain = last === end || low === Math.fround((digits + 1) / power);
  return isCertain ? low : parsedFloat(bytes, start, end);
}

const parsedFloat = (bytes: Uint8Array, start: number, end: number): number =>
  Math.fround(Number(decodeUtf8(bytes, start, end)));

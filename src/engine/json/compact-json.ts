/**
 * Writes scanned values in their stored form: no insignificant white space, no duplicate key
 * in one object (the last value wins, at the place of the first), lone surrogate escapes replaced
 * by `\ufffd`; everything else unchanged.
 */
import type { ByteBuffer } from '../bytes/byte-buffer.ts';
import { stringText } from './json-string.ts';
import { JsonKind, type JsonTape, LONE_SURROGATE } from './json-tape.ts';

/** Up to this number of members, comparing all pairs is faster than hashing. */
const PAIRWISE_MEMBERS_MAX = 32;
const keyStarts = new Uint32Array(PAIRWISE_MEMBERS_MAX);
const keyEnds = new Uint32Array(PAIRWISE_MEMBERS_MAX);

/** True when `compactInto` would write exactly `bytes[start, end)` of the root value. */
export function isCompact(tape: JsonTape): boolean {
  if (tape.whitespace > 0 || tape.hasLoneSurrogate) return false;
  for (let node = 0; node < tape.length; node++) {
    if (tape.kind(node) === JsonKind.object && hasDuplicateKey(tape, node)) return false;
  }
  return true;
}

/**
 * True when two members of the object have the same name (may err towards true when names have
 * escapes).
 */
export function hasDuplicateKey(tape: JsonTape, object: number): boolean {
  const { bytes } = tape;
  const after = tape.next(object);
  let count = 0;
  for (let key = object + 1; key < after; key = tape.next(key + 1)) {
    if (tape.flags(key) !== 0 || count === PAIRWISE_MEMBERS_MAX)
      return hasDuplicateName(tape, object);
    const start = tape.start(key);
    const end = tape.end(key);
    for (let other = 0; other < count; other++) {
      if (
        keyEnds[other]! - keyStarts[other]! === end - start &&
        sameBytes(bytes, keyStarts[other]!, start, end - start)
      )
        return true;
    }
    keyStarts[count] = start;
    keyEnds[count] = end;
    count += 1;
  }
  return false;
}

function sameBytes(bytes: Uint8Array, left: number, right: number, length: number): boolean {
  for (let i = length - 1; i >= 0; i--) if (bytes[left + i] !== bytes[right + i]) return false;
  return true;
}

function hasDuplicateName(tape: JsonTape, object: number): boolean {
  const names = new Set<string>();
  let count = 0;
  for (let key = object + 1; key < tape.next(object); key = tape.next(key + 1)) {
    names.add(stringText(tape, key));
    count += 1;
  }
  return names.size < count;
}

/** Appends the root value in its stored form. */
export function compactInto(tape: JsonTape, out: ByteBuffer): void {
  if (isCompact(tape)) out.pushRange(tape.bytes, tape.start(0), tape.end(0));
  else compactNode(tape, 0, out);
}

/** Appends one node in its stored form. */
export function compactNode(tape: JsonTape, node: number, out: ByteBuffer): void {
  const kind = tape.kind(node);
  if (kind === JsonKind.object) compactObject(tape, node, out);
  else if (kind === JsonKind.array) compactArray(tape, node, out);
  else compactScalar(tape, node, out);
}

function compactObject(tape: JsonTape, object: number, out: ByteBuffer): void {
  const after = tape.next(object);
  const last = hasDuplicateKey(tape, object) ? lastValues(tape, object) : null;
  out.pushByte(0x7b);
  let first = true;
  for (let key = object + 1; key < after; key = tape.next(key + 1)) {
    let value = key + 1;
    if (last !== null) {
      const name = stringText(tape, key);
      const lastValue = last.get(name);
      if (lastValue === undefined) continue;
      last.delete(name);
      value = lastValue;
    }
    if (!first) out.pushByte(0x2c);
    first = false;
    compactScalar(tape, key, out);
    out.pushByte(0x3a);
    compactNode(tape, value, out);
  }
  out.pushByte(0x7d);
}

/** Name → node of its last value. */
export function lastValues(tape: JsonTape, object: number): Map<string, number> {
  const values = new Map<string, number>();
  const after = tape.next(object);
  for (let key = object + 1; key < after; key = tape.next(key + 1))
    values.set(stringText(tape, key), key + 1);
  return values;
}

function compactArray(tape: JsonTape, array: number, out: ByteBuffer): void {
  const after = tape.next(array);
  out.pushByte(0x5b);
  for (let element = array + 1; element < after; element = tape.next(element)) {
    if (element > array + 1) out.pushByte(0x2c);
    compactNode(tape, element, out);
  }
  out.pushByte(0x5d);
}

function compactScalar(tape: JsonTape, node: number, out: ByteBuffer): void {
  const from = out.length;
  out.pushRange(tape.bytes, tape.start(node), tape.end(node));
  if ((tape.flags(node) & LONE_SURROGATE) !== 0) replaceLoneSurrogates(out.bytes, from, out.length);
}

function replaceLoneSurrogates(bytes: Uint8Array, from: number, end: number): void {
  for (let at = from; at < end; at++) {
    if (bytes[at] !== 0x5c) continue;
    at += 1;
    if (bytes[at] !== 0x75) continue;
    const half = surrogateHalf(bytes, at + 1);
    if (
      half === 'high' &&
      bytes[at + 5] === 0x5c &&
      bytes[at + 6] === 0x75 &&
      surrogateHalf(bytes, at + 7) === 'low'
    ) {
      at += 10;
    } else {
      if (half !== null) bytes.set([0x66, 0x66, 0x66, 0x64], at + 1);
      at += 4;
    }
  }
}

/** Which half of a pair the four hexadecimal digits at `at` are: `d8`–`db` high, `dc`–`df` low. */
function surrogateHalf(bytes: Uint8Array, at: number): 'high' | 'low' | null {
  if ((bytes[at]! | 0x20) !== 0x64) return null;
  const second = bytes[at + 1]! | 0x20;
  if (second === 0x38 || second === 0x39 || second === 0x61 || second === 0x62) return 'high';
  return second >= 0x63 && second <= 0x66 ? 'low' : null;
}

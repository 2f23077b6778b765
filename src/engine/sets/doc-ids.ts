/**
 * Text form of a set of DocIds, for manifests. Base64 of: one byte for the kind, then
 *   kind 0  gaps   varint of each member minus the one before it (the first: itself)
 *   kind 1  runs   varint pairs: numbers left out, numbers in the run
 *   kind 2  words  varint index of the first word kept, then the words, little-endian, up to the last that is not zero
 * whichever is shortest.
 */
import { decodeBase64, encodeBase64 } from '../bytes/base64.ts';
import { ByteBuffer } from '../bytes/byte-buffer.ts';
import { VarintCursor } from '../bytes/varint.ts';
import { addRange, setBit, toArray } from './bitset.ts';

const KIND_GAPS = 0;
const KIND_RUNS = 1;
const KIND_WORDS = 2;

export function encodeDocIds(bitset: Uint32Array): string {
  const members = toArray(bitset);
  const candidates = [encodeGaps(members), encodeRuns(members), encodeWords(bitset)];
  return encodeBase64(
    candidates.reduce((best, other) => (other.length < best.length ? other : best)),
  );
}

function encodeGaps(members: Uint32Array): Uint8Array {
  const out = new ByteBuffer(members.length + 16);
  out.pushByte(KIND_GAPS);
  let previous = 0;
  for (const member of members) {
    out.pushVarint(member - previous);
    previous = member;
  }
  return out.view();
}

function encodeRuns(members: Uint32Array): Uint8Array {
  const out = new ByteBuffer(64);
  out.pushByte(KIND_RUNS);
  let end = 0;
  for (let i = 0; i < members.length; ) {
    const start = members[i]!;
    let stop = i + 1;
    while (stop < members.length && members[stop] === start + (stop - i)) stop++;
    out.pushVarint(start - end);
    out.pushVarint(stop - i);
    end = start + (stop - i);
    i = stop;
  }
  return out.view();
}

function encodeWords(bitset: Uint32Array): Uint8Array {
  let first = 0;
  let end = bitset.length;
  while (end > 0 && bitset[end - 1] === 0) end--;
  while (first < end && bitset[first] === 0) first++;
  const out = new ByteBuffer((end - first) * 4 + 16);
  out.pushByte(KIND_WORDS);
  out.pushVarint(first);
  for (let i = first; i < end; i++) out.pushU32(bitset[i]!);
  return out.view();
}

/**
 * The set as a bitset of `capacityWords` words; members beyond it are an error, as is any other
 * damage.
 */
export function decodeDocIds(text: string, capacityWords: number): Uint32Array {
  const bytes = decodeBase64(text);
  const bits = new Uint32Array(capacityWords);
  const capacity = capacityWords * 32;
  const cursor = new VarintCursor(bytes, 1);
  if (bytes[0] === KIND_GAPS) decodeGaps(cursor, bits, capacity);
  else if (bytes[0] === KIND_RUNS) decodeRuns(cursor, bits, capacity);
  else if (bytes[0] === KIND_WORDS) decodeWords(cursor, bits);
  else throw new Error(`unknown kind ${bytes[0]} of DocId set`);
  return bits;
}

function decodeGaps(cursor: VarintCursor, bits: Uint32Array, capacity: number): void {
  let member = 0;
  while (cursor.position < cursor.bytes.length) {
    member += cursor.next();
    if (member >= capacity) throw new Error(`DocId ${member} is beyond the capacity ${capacity}`);
    setBit(bits, member);
  }
}

function decodeRuns(cursor: VarintCursor, bits: Uint32Array, capacity: number): void {
  let start = 0;
  while (cursor.position < cursor.bytes.length) {
    start += cursor.next();
    const end = start + cursor.next();
    if (end > capacity) throw new Error(`DocId ${end - 1} is beyond the capacity ${capacity}`);
    addRange(bits, start, end);
    start = end;
  }
}

function decodeWords(cursor: VarintCursor, bits: Uint32Array): void {
  const first = cursor.next();
  const { bytes, position } = cursor;
  const count = (bytes.length - position) >>> 2;
  if (first + count > bits.length)
    throw new Error(`DocId set of ${first + count} words is beyond the capacity ${bits.length}`);
  for (let i = 0; i < count; i++) {
    const at = position + i * 4;
    bits[first + i] =
      bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
  }
}

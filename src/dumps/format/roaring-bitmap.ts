/**
 * Sets of task uids in dumps: the portable serialization of Roaring bitmaps, little-endian.
 *
 * without runs   cookie 12346 u32 │ containers u32 │ headers │ offset of each container u32
 * with runs      cookie 12347 u16 │ containers − 1 u16 │ a bit for each: has runs │ headers │
 * offsets if there are four containers or more
 *
 * A header is the high 16 bits of the numbers and their count − 1, each u16. A container is a
 * sorted list of u16 (up to 4096 numbers), a bitmap of 8192 bytes, or a count of runs and (first,
 * length − 1) of each.
 */

const COOKIE = 12346;
const COOKIE_WITH_RUNS = 12347;
const LIST_MAX = 4096;
const BITMAP_BYTES = 8192;
const OFFSETS_WITH_RUNS_MIN = 4;
/** Numbers of one set; four bytes of a run stand for up to 65,536. */
const NUMBERS_MAX = 1 << 24;

/** @param numbers ascending, below 2³² */
export function encodeRoaring(numbers: readonly number[]): Uint8Array {
  const containers = new Map<number, number[]>();
  for (const number of numbers) {
    const high = Math.floor(number / 65536);
    const lows = containers.get(high) ?? [];
    if (lows.length === 0) containers.set(high, lows);
    lows.push(number % 65536);
  }
  const bodies = [...containers.values()].map(encodeContainer);
  const headerBytes = 8 + containers.size * 8;
  const bytes = new Uint8Array(bodies.reduce((sum, { length }) => sum + length, headerBytes));
  const view = new DataView(bytes.buffer);
  view.setUint32(0, COOKIE, true);
  view.setUint32(4, containers.size, true);
  let at = headerBytes;
  [...containers].forEach(([high, lows], i) => {
    const body = bodies[i] as Uint8Array;
    view.setUint16(8 + i * 4, high, true);
    view.setUint16(10 + i * 4, lows.length - 1, true);
    view.setUint32(8 + containers.size * 4 + i * 4, at, true);
    bytes.set(body, at);
    at += body.length;
  });
  return bytes;
}

function encodeContainer(lows: readonly number[]): Uint8Array {
  if (lows.length <= LIST_MAX) {
    const list = new Uint8Array(lows.length * 2);
    const view = new DataView(list.buffer);
    lows.forEach((low, i) => {
      view.setUint16(i * 2, low, true);
    });
    return list;
  }
  const bitmap = new Uint8Array(BITMAP_BYTES);
  for (const low of lows) bitmap[low >> 3] = (bitmap[low >> 3] as number) | (1 << (low & 7));
  return bitmap;
}

/** Ascending numbers. @throws RangeError for invalid bytes */
export function decodeRoaring(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const cookie = view.getUint32(0, true);
  const hasRuns = (cookie & 0xffff) === COOKIE_WITH_RUNS;
  if (!hasRuns && cookie !== COOKIE) throw new RangeError(`${cookie} begins no bitmap`);
  const count = hasRuns ? (cookie >>> 16) + 1 : view.getUint32(4, true);
  const runBits = hasRuns ? bytes.subarray(4, 4 + Math.ceil(count / 8)) : new Uint8Array(0);
  const headers = hasRuns ? 4 + runBits.length : 8;
  const hasOffsets = !hasRuns || count >= OFFSETS_WITH_RUNS_MIN;
  let at = headers + count * (hasOffsets ? 8 : 4);
  const numbers: number[] = [];
  for (let i = 0; i < count; i++) {
    const base = view.getUint16(headers + i * 4, true) * 65536;
    const size = view.getUint16(headers + i * 4 + 2, true) + 1;
    const isOfRuns = (((runBits[i >> 3] ?? 0) >> (i & 7)) & 1) === 1;
    const { lows, end } = isOfRuns ? readRuns(view, at) : readNumbers(view, at, size);
    for (const low of lows) numbers.push(base + low);
    if (numbers.length > NUMBERS_MAX)
      throw new RangeError(`the bitmap has more than ${NUMBERS_MAX} numbers`);
    at = end;
  }
  return numbers;
}

/** The low 16 bits of the numbers of a container, and the offset behind it. */
interface Container {
  readonly lows: readonly number[];
  readonly end: number;
}

function readRuns(view: DataView, start: number): Container {
  const runs = view.getUint16(start, true);
  const lows: number[] = [];
  for (let run = 0; run < runs; run++) {
    const first = view.getUint16(start + 2 + run * 4, true);
    const last = first + view.getUint16(start + 4 + run * 4, true);
    for (let low = first; low <= Math.min(last, 65535); low++) lows.push(low);
    if (lows.length > 65536) throw new RangeError('runs of the bitmap overlap');
  }
  return { lows, end: start + 2 + runs * 4 };
}

/** A list or a bitmap. */
function readNumbers(view: DataView, start: number, size: number): Container {
  if (size > LIST_MAX) return readBitmap(view, start);
  const lows = Array.from({ length: size }, (_, i) => view.getUint16(start + i * 2, true));
  return { lows, end: start + size * 2 };
}

function readBitmap(view: DataView, start: number): Container {
  const lows: number[] = [];
  for (let low = 0; low < 65536; low++)
    if (((view.getUint8(start + (low >> 3)) >> (low & 7)) & 1) === 1) lows.push(low);
  return { lows, end: start + BITMAP_BYTES };
}

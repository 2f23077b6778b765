/**
 * CRC-32C (Castagnoli), the checksum of every section of a segment, of the id table and of stored
 * payloads.
 *
 * Short inputs go through slicing tables, eight bytes a step. A long input, all but an end of some
 * KB, is folded first by a compiled kernel. With the polynomial P of the checksum and y = x^128,
 *
 *   y^209 + y^144 + y^54 + y^39 + y^14 + 1 = 0 (mod P),
 *
 * so a block of 16 bytes followed by at least 209 blocks may be added (xor) to the blocks 65, 155,
 * 170, 195 and 209 places after it and then left out: the rest has the same checksum. Folding needs
 * neither table nor multiplication, and takes an eighth of the time of the tables. Of all such sums
 * of six powers this one has the smallest first (found by search), so it leaves the shortest end.
 */
import { CHECKSUM_KERNELS_BASE64 } from './compiled-kernels.ts';
import { KernelSpace } from './kernel-space.ts';

const POLYNOMIAL = 0x82f63b78;
const SLICES = 8;

/** Distances, in blocks, at which a block is added; the kernel has the same numbers. */
const FOLDS = [65, 155, 170, 195, 209] as const;
const BLOCK_BYTES = 16;
/** Least number of bytes that remain after folding. */
const END_BYTES = 209 * BLOCK_BYTES;
/** Bytes copied into the kernel's memory at once: they and the tables fit in a core's cache. */
const CHUNK_BYTES = 65_536;
/** Shorter inputs are faster by the tables alone. */
const FOLDED_BYTES_MIN = 16_384;

interface ChecksumKernels {
  /** Adds to each block the blocks at the distances of `FOLDS` before it. */
  fold(at: number, blocks: number): void;
}

function makeTables(): Uint32Array {
  const tables = new Uint32Array(SLICES * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    tables[byte] = crc;
  }
  for (let i = 256; i < tables.length; i++) {
    const previous = tables[i - 256]!;
    tables[i] = (previous >>> 8) ^ tables[previous & 0xff]!;
  }
  return tables;
}

const TABLES = makeTables();

let folding: KernelSpace<ChecksumKernels> | null = null;

/** Checksum of `bytes[start, end)`; pass an earlier result as `seed` to continue it. */
export function crc32c(bytes: Uint8Array, start = 0, end = bytes.length, seed = 0): number {
  const isLong = end - start >= FOLDED_BYTES_MIN;
  const state = isLong ? folded(bytes, start, end, ~seed) : sliced(bytes, start, end, ~seed);
  return ~state >>> 0;
}

/** @param state of the checksum before; returns the state after */
function sliced(bytes: Uint8Array, start: number, end: number, state: number): number {
  const tables = TABLES;
  let crc = state;
  let at = start;
  for (const last = end - SLICES; at <= last; at += SLICES) {
    const low =
      crc ^ (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24));
    crc =
      tables[1792 + (low & 0xff)]! ^
      tables[1536 + ((low >>> 8) & 0xff)]! ^
      tables[1280 + ((low >>> 16) & 0xff)]! ^
      tables[1024 + (low >>> 24)]! ^
      tables[768 + bytes[at + 4]!]! ^
      tables[512 + bytes[at + 5]!]! ^
      tables[256 + bytes[at + 6]!]! ^
      tables[bytes[at + 7]!]!;
  }
  for (; at < end; at++) crc = (crc >>> 8) ^ tables[(crc ^ bytes[at]!) & 0xff]!;
  return crc;
}

/** The same for at least `END_BYTES` more than a block. */
function folded(bytes: Uint8Array, start: number, end: number, state: number): number {
  folding ??= new KernelSpace(CHECKSUM_KERNELS_BASE64);
  const [before, chunk] = folding.areas([END_BYTES, CHUNK_BYTES + BLOCK_BYTES]);
  const { run, bytes: memory } = folding;
  memory.fill(0, before, chunk);
  const foldedEnd = end - END_BYTES - ((end - start) % BLOCK_BYTES);
  let first = state;
  for (let at = start; at < foldedEnd; at += CHUNK_BYTES) {
    const length = Math.min(CHUNK_BYTES, foldedEnd - at);
    memory.set(bytes.subarray(at, at + length), chunk);
    // The state stands for the bytes before: it is added to the first four bytes.
    folding.words[chunk / 4]! ^= first;
    first = 0;
    run.fold(chunk, length / BLOCK_BYTES);
    memory.copyWithin(before, chunk + length - END_BYTES, chunk + length);
  }
  memory.set(bytes.subarray(foldedEnd, end), chunk);
  for (const blocks of FOLDS) addBlocks(folding.words, chunk / 4, blocks);
  return sliced(memory, chunk, chunk + end - foldedEnd, 0);
}

/** Folds the blocks that lie before `end` into the blocks after them. */
function addBlocks(words: Uint32Array, end: number, blocks: number): void {
  const count = blocks * (BLOCK_BYTES / 4);
  for (let i = 0; i < count; i++) words[end + i]! ^= words[end - count + i]!;
}

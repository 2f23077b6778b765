/**
 * Codes of vectors relative to one centre (RaBitQ, arXiv 2405.12497): each dimension of the
 * difference as a level of a few bits, with two numbers that make estimated products unbiased:
 *
 *   product(x, q) ≈ product(centre, q) + offset + factor × product(levels, q)
 *   factor = |r|² / product(levels, r)
 *   offset = product(r, centre) − factor × product(levels, centre) − penalty
 *
 * with r = x − centre. A record is f32 offset, f32 factor, then the code: bits × dimensions / 8 bytes,
 * the lowest bit of all dimensions first; zeros up to a multiple of 4.
 */
import { sumOf } from './products';

/** Width of a level in standard deviations with the least loss, by bits (Max 1960). */
function stepOf(bits: i32): f32 {
  if (bits === 1) return 1.596;
  if (bits === 2) return 0.9957;
  if (bits === 3) return 0.586;
  return 0.3352;
}

function levelsOf(r: v128, scale: v128, top: v128): v128 {
  const shifted = f32x4.floor(
    f32x4.add(f32x4.mul(r, scale), f32x4.mul(f32x4.add(top, f32x4.splat(1)), f32x4.splat(0.5))),
  );
  return f32x4.max(f32x4.splat(0), f32x4.min(top, shifted));
}

/**
 * Encodes `vector` relative to `centre` into `record`, whose code bytes are zero.
 * @param penalty taken from every estimate of the vector: |x|² / 2 where distances are compared
 */
export function encode(
  vector: usize,
  centre: usize,
  dimensions: i32,
  bits: i32,
  penalty: f32,
  record: usize,
): void {
  const bytes = (<usize>dimensions) << 2;
  let squares = f32x4.splat(0);
  for (let i: usize = 0; i < bytes; i += 16) {
    const r = f32x4.sub(v128.load(vector + i), v128.load(centre + i));
    squares = f32x4.add(squares, f32x4.mul(r, r));
  }
  const square = sumOf(squares);
  const deviation = <f32>Math.sqrt(<f64>square / <f64>dimensions);
  const scale = f32x4.splat(deviation > 0 ? 1 / (deviation * stepOf(bits)) : 0);
  const top = f32x4.splat(<f32>((1 << bits) - 1));
  const half = f32x4.mul(top, f32x4.splat(0.5));
  let withR = f32x4.splat(0);
  let withCentre = f32x4.splat(0);
  let rWithCentre = f32x4.splat(0);
  for (let i: usize = 0; i < bytes; i += 16) {
    const c = v128.load(centre + i);
    const r = f32x4.sub(v128.load(vector + i), c);
    const levels = levelsOf(r, scale, top);
    const y = f32x4.sub(levels, half);
    withR = f32x4.add(withR, f32x4.mul(y, r));
    withCentre = f32x4.add(withCentre, f32x4.mul(y, c));
    rWithCentre = f32x4.add(rWithCentre, f32x4.mul(r, c));
    storeBits(i32x4.trunc_sat_f32x4_u(levels), <i32>(i >> 2), dimensions, bits, record + 8);
  }
  const along = sumOf(withR);
  const factor = along > 0 ? square / along : 0;
  store<f32>(record, sumOf(rWithCentre) - factor * sumOf(withCentre) - penalty);
  store<f32>(record, factor, 4);
}

/** Four levels as four bits in each plane of the code. */
function storeBits(levels: v128, dimension: i32, dimensions: i32, bits: i32, code: usize): void {
  const planeBytes = <usize>(dimensions >> 3);
  let at = code + <usize>(dimension >> 3);
  const shift = dimension & 4;
  for (let bit = 0; bit < bits; bit++, at += planeBytes) {
    const four = i32x4.bitmask(i32x4.shl(levels, 31 - bit));
    store<u8>(at, load<u8>(at) | (four << shift));
  }
}

/** Puts a record into place `lane` of a block of scan.ts, whose bytes there are zero. */
export function pack(record: usize, block: usize, lane: i32, groups: i32): void {
  const end = block + ((<usize>groups) << 4);
  const shift = <u8>((lane & 16) >> 2);
  let code = record + 8;
  for (let at = block + <usize>(lane & 15); at < end; at += 32, code++) {
    const two = load<u8>(code);
    store<u8>(at, load<u8>(at) | ((two & 15) << shift));
    store<u8>(at, load<u8>(at, 16) | ((two >> 4) << shift), 16);
  }
  store<f32>(end + ((<usize>lane) << 2), load<f32>(record));
  store<f32>(end + ((<usize>lane) << 2), load<f32>(record, 4), 128);
}

/**
 * Estimates of products from codes: a table of the sums of each four query values under all 16
 * sign patterns, looked up for 32 vectors at a time by byte shuffles (fast scan).
 *
 *   block    groups × 16 bytes: byte i of group g = four code bits of vector i, and above them of
 *            vector i + 16; then 32 × f32 offset, 32 × f32 factor
 *   groups   bits × dimensions / 4, the lowest bit of all dimensions first
 */

/** Highest entry of a table: two of them fit a byte. */
const ENTRY_MAX: f32 = 127;
/** Groups until 16-bit sums must be emptied: 2 × 127 × 256 < 65,536. */
const GROUPS_AT_ONCE = 512;

function absoluteSum(four: v128): f32 {
  const all = f32x4.abs(four);
  return (
    f32x4.extract_lane(all, 0) +
    f32x4.extract_lane(all, 1) +
    f32x4.extract_lane(all, 2) +
    f32x4.extract_lane(all, 3)
  );
}

/**
 * Writes the table of a query: 16 bytes for each four dimensions, and before it, at `table` − 16,
 * f32 step and f32 least: a sum of ±query/2 is step × looked-up bytes + least.
 */
export function lookUp(query: usize, dimensions: i32, table: usize): void {
  const end = query + ((<usize>dimensions) << 2);
  let largest: f32 = 0;
  let sum: f32 = 0;
  for (let at = query; at < end; at += 16) {
    const range = absoluteSum(v128.load(at));
    largest = max(largest, range);
    sum += range;
  }
  const step = largest > 0 ? largest / ENTRY_MAX : 1;
  store<f32>(table - 16, step);
  store<f32>(table - 12, -sum * 0.5);
  const scale = f32x4.splat(0.5 / step);
  for (let at = query; at < end; at += 16, table += 16)
    v128.store(table, entriesOf(f32x4.mul(v128.load(at), scale)));
}

/** The 16 sums, moved up so that the least is 0, as bytes. */
function entriesOf(four: v128): v128 {
  const least = f32x4.splat(absoluteSum(four) + 0.5);
  const a = f32x4.splat(f32x4.extract_lane(four, 0));
  const b = f32x4.splat(f32x4.extract_lane(four, 1));
  const c = f32x4.splat(f32x4.extract_lane(four, 2));
  const d = f32x4.splat(f32x4.extract_lane(four, 3));
  const low = f32x4.add(
    f32x4.add(f32x4.mul(a, f32x4(-1, 1, -1, 1)), f32x4.mul(b, f32x4(-1, -1, 1, 1))),
    least,
  );
  const none = f32x4.neg(f32x4.add(c, d));
  const first = f32x4.sub(c, d);
  const e0 = i32x4.trunc_sat_f32x4_u(f32x4.add(low, none));
  const e1 = i32x4.trunc_sat_f32x4_u(f32x4.add(low, first));
  const e2 = i32x4.trunc_sat_f32x4_u(f32x4.sub(low, first));
  const e3 = i32x4.trunc_sat_f32x4_u(f32x4.sub(low, none));
  return i8x16.narrow_i16x8_u(i16x8.narrow_i32x4_u(e0, e1), i16x8.narrow_i32x4_u(e2, e3));
}

/** Adds the sums of up to `GROUPS_AT_ONCE` groups, times `weight`, to 32 floats at `sums`. */
function addSums(codes: usize, table: usize, groups: i32, weight: f32, sums: usize): void {
  const low4 = i8x16.splat(0x0f);
  const end = codes + ((<usize>groups) << 4);
  let a0 = i16x8.splat(0);
  let a1 = i16x8.splat(0);
  let b0 = i16x8.splat(0);
  let b1 = i16x8.splat(0);
  for (; codes < end; codes += 32, table += 32) {
    const v = v128.load(codes);
    const w = v128.load(codes, 16);
    const t = v128.load(table);
    const u = v128.load(table, 16);
    const a = i8x16.add(i8x16.swizzle(t, v128.and(v, low4)), i8x16.swizzle(u, v128.and(w, low4)));
    const b = i8x16.add(
      i8x16.swizzle(t, v128.and(i16x8.shr_u(v, 4), low4)),
      i8x16.swizzle(u, v128.and(i16x8.shr_u(w, 4), low4)),
    );
    a0 = i16x8.add(a0, a);
    a1 = i16x8.add(a1, i16x8.shr_u(a, 8));
    b0 = i16x8.add(b0, b);
    b1 = i16x8.add(b1, i16x8.shr_u(b, 8));
  }
  addHalf(i16x8.sub(a0, i16x8.shl(a1, 8)), a1, weight, sums);
  addHalf(i16x8.sub(b0, i16x8.shl(b1, 8)), b1, weight, sums + 64);
}

/** @param even 16-bit sums of the vectors 0, 2, 4 …; `odd` those of 1, 3, 5 … */
function addHalf(even: v128, odd: v128, weight: f32, sums: usize): void {
  const low = v128.shuffle<i16>(even, odd, 0, 8, 1, 9, 2, 10, 3, 11);
  const high = v128.shuffle<i16>(even, odd, 4, 12, 5, 13, 6, 14, 7, 15);
  const weights = f32x4.splat(weight);
  addFour(i32x4.extend_low_i16x8_u(low), weights, sums);
  addFour(i32x4.extend_high_i16x8_u(low), weights, sums + 16);
  addFour(i32x4.extend_low_i16x8_u(high), weights, sums + 32);
  addFour(i32x4.extend_high_i16x8_u(high), weights, sums + 48);
}

function addFour(counts: v128, weights: v128, sums: usize): void {
  const added = f32x4.mul(f32x4.convert_i32x4_u(counts), weights);
  v128.store(sums, f32x4.add(v128.load(sums), added));
}

/** Sums of a block's 32 vectors over all groups and bits, at `sums`. */
function sumBlock(block: usize, table: usize, dimensions: i32, bits: i32, sums: usize): void {
  for (let i: usize = 0; i < 128; i += 16) v128.store(sums + i, f32x4.splat(0));
  const groups = dimensions >> 2;
  for (let bit = 0; bit < bits; bit++) {
    for (let group = 0; group < groups; group += GROUPS_AT_ONCE) {
      const count = min(GROUPS_AT_ONCE, groups - group);
      const skip = (<usize>group) << 4;
      addSums(block, table + skip, count, <f32>(1 << bit), sums);
      block += (<usize>count) << 4;
    }
  }
}

/**
 * Estimates offset + factor × product(levels, query) of the vectors of `count` blocks. Writes pairs
 * of u32 place (from `first` on) and f32 estimate at `into` for those whose estimate is ≥ `least`.
 * @param sums 128 bytes of scratch space
 * @returns number of pairs
 */
export function scan(
  blocks: usize,
  count: i32,
  table: usize,
  dimensions: i32,
  bits: i32,
  least: f32,
  first: i32,
  into: usize,
  sums: usize,
): i32 {
  const codeBytes = (<usize>(dimensions * bits)) << 2;
  const step = f32x4.splat(load<f32>(table - 16));
  const bias = f32x4.splat(load<f32>(table - 12) * <f32>((1 << bits) - 1));
  const leasts = f32x4.splat(least);
  const start = into;
  for (let block = 0; block < count; block++, blocks += codeBytes + 256) {
    sumBlock(blocks, table, dimensions, bits, sums);
    const offsets = blocks + codeBytes;
    for (let i: usize = 0; i < 128; i += 16) {
      const sum = f32x4.add(f32x4.mul(v128.load(sums + i), step), bias);
      const estimate = f32x4.add(
        v128.load(offsets + i),
        f32x4.mul(v128.load(offsets + i, 128), sum),
      );
      let hits = i32x4.bitmask(f32x4.ge(estimate, leasts));
      if (hits === 0) continue;
      v128.store(sums + i, estimate);
      for (; hits !== 0; hits &= hits - 1) {
        const lane = ctz(hits);
        store<u32>(into, first + (block << 5) + (<i32>i >> 2) + lane);
        store<f32>(into, load<f32>(sums + i + ((<usize>lane) << 2)), 4);
        into += 8;
      }
    }
  }
  return <i32>((into - start) >> 3);
}

/** The same estimates as f32 for `count` records of codes.ts, `stride` bytes apart. */
export function estimate(
  records: usize,
  count: i32,
  stride: i32,
  table: usize,
  dimensions: i32,
  bits: i32,
  into: usize,
): void {
  const step = load<f32>(table - 16);
  const bias = load<f32>(table - 12) * <f32>((1 << bits) - 1);
  for (let i = 0; i < count; i++, records += <usize>stride, into += 4) {
    let sum = 0;
    let code = records + 8;
    for (let bit = 0; bit < bits; bit++, code += <usize>(dimensions >> 3))
      sum += sumOfCode(code, table, dimensions) << bit;
    store<f32>(into, load<f32>(records) + load<f32>(records, 4) * (step * <f32>sum + bias));
  }
}

function sumOfCode(code: usize, table: usize, dimensions: i32): i32 {
  let sum = 0;
  for (const end = code + <usize>(dimensions >> 3); code < end; code++, table += 32) {
    const two = <usize>load<u8>(code);
    sum += <i32>load<u8>(table + (two & 15)) + <i32>load<u8>(table + (two >> 4), 16);
  }
  return sum;
}

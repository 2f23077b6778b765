/**
 * Exact comparison of a query with stored vectors. The order of additions is part of the definition
 * of a similarity: equal pairs of vectors give equal 64-bit sums wherever they are computed. Four
 * sums, of the dimensions 0, 4, 8 …, 1, 5, 9 … and so on, are added pairwise.
 */

function twoSums(low: v128, high: v128): f64 {
  const both = f64x2.add(low, high);
  return f64x2.extract_lane(both, 0) + f64x2.extract_lane(both, 1);
}

/**
 * Writes f64 Σ query × row and f64 Σ row² of `count` rows of 32-bit floats that follow each other.
 * @param query f64 × dimensions
 */
export function compare(query: usize, rows: usize, count: i32, dimensions: i32, into: usize): void {
  const end = query + ((<usize>dimensions) << 3);
  for (let i = 0; i < count; i++, into += 16) {
    let dotLow = f64x2.splat(0);
    let dotHigh = f64x2.splat(0);
    let squareLow = f64x2.splat(0);
    let squareHigh = f64x2.splat(0);
    for (let at = query; at < end; at += 32, rows += 16) {
      const low = f64x2.promote_low_f32x4(v128.load64_zero(rows));
      const high = f64x2.promote_low_f32x4(v128.load64_zero(rows, 8));
      dotLow = f64x2.add(dotLow, f64x2.mul(low, v128.load(at)));
      dotHigh = f64x2.add(dotHigh, f64x2.mul(high, v128.load(at, 16)));
      squareLow = f64x2.add(squareLow, f64x2.mul(low, low));
      squareHigh = f64x2.add(squareHigh, f64x2.mul(high, high));
    }
    store<f64>(into, twoSums(dotLow, dotHigh));
    store<f64>(into, twoSums(squareLow, squareHigh), 8);
  }
}

/** `count` rows of f32 step and signed bytes (vector-rows.ts) to rows of floats: byte × step. */
export function widen(rows: usize, count: i32, dimensions: i32, into: usize): void {
  for (let i = 0; i < count; i++) {
    const step = f32x4.splat(load<f32>(rows));
    rows += 4;
    for (const end = rows + <usize>dimensions; rows < end; rows += 8, into += 32) {
      const bytes = v128.load_ext<i8>(rows);
      const low = f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(bytes));
      const high = f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(bytes));
      v128.store(into, f32x4.mul(low, step));
      v128.store(into, f32x4.mul(high, step), 16);
    }
  }
}

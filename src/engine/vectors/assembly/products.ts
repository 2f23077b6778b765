/** Products of 32-bit floats, four at a time; dimensions are a multiple of 8. */

export function sumOf(v: v128): f32 {
  return (
    f32x4.extract_lane(v, 0) +
    f32x4.extract_lane(v, 1) +
    (f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3))
  );
}

export function product(a: usize, b: usize, dimensions: i32): f32 {
  const end = a + ((<usize>dimensions) << 2);
  let even = f32x4.splat(0);
  let odd = f32x4.splat(0);
  for (; a < end; a += 32, b += 32) {
    even = f32x4.add(even, f32x4.mul(v128.load(a), v128.load(b)));
    odd = f32x4.add(odd, f32x4.mul(v128.load(a, 16), v128.load(b, 16)));
  }
  return sumOf(f32x4.add(even, odd));
}

/** Products of one vector with `count` rows that follow each other. */
export function products(
  vector: usize,
  rows: usize,
  count: i32,
  dimensions: i32,
  into: usize,
): void {
  const stride = (<usize>dimensions) << 2;
  for (let i = 0; i < count; i++, rows += stride, into += 4)
    store<f32>(into, product(vector, rows, dimensions));
}

/** Adds each of `count` vectors to the row of its number, and 1 to that row's u32 count. */
export function accumulate(
  vectors: usize,
  count: i32,
  dimensions: i32,
  numbers: usize,
  sums: usize,
  counts: usize,
): void {
  const bytes = (<usize>dimensions) << 2;
  for (let i = 0; i < count; i++, numbers += 4) {
    const number = <usize>load<u32>(numbers);
    const tally = counts + (number << 2);
    store<u32>(tally, load<u32>(tally) + 1);
    let sum = sums + number * bytes;
    for (const end = vectors + bytes; vectors < end; vectors += 16, sum += 16)
      v128.store(sum, f32x4.add(v128.load(sum), v128.load(vectors)));
  }
}

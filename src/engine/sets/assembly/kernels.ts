/**
 * The kernels of document sets, in AssemblyScript; `npm run build` compiles them into
 * ../compiled-kernels.ts. Arguments are byte addresses (multiples of 16) in the one imported
 * memory, or counts; bits come in an even number of 32-bit words. The functions are documented in
 * `SetKernelFunctions` in ../set-kernels.ts.
 */

export function and(a: usize, b: usize, words: u32, into: usize): u32 {
  const end = a + ((<usize>words) << 2);
  let count: u64 = 0;
  for (; a < end; a += 8, b += 8, into += 8) {
    const bits = load<u64>(a) & load<u64>(b);
    store<u64>(into, bits);
    count += popcnt<u64>(bits);
  }
  return <u32>count;
}

export function andNot(a: usize, b: usize, words: u32, into: usize): u32 {
  const end = a + ((<usize>words) << 2);
  let count: u64 = 0;
  for (; a < end; a += 8, b += 8, into += 8) {
    const bits = load<u64>(a) & ~load<u64>(b);
    store<u64>(into, bits);
    count += popcnt<u64>(bits);
  }
  return <u32>count;
}

export function or(a: usize, b: usize, words: u32, into: usize): u32 {
  const end = a + ((<usize>words) << 2);
  let count: u64 = 0;
  for (; a < end; a += 8, b += 8, into += 8) {
    const bits = load<u64>(a) | load<u64>(b);
    store<u64>(into, bits);
    count += popcnt<u64>(bits);
  }
  return <u32>count;
}

export function count(a: usize, words: u32): u32 {
  const end = a + ((<usize>words) << 2);
  let count: u64 = 0;
  for (; a < end; a += 8) count += popcnt<u64>(load<u64>(a));
  return <u32>count;
}

export function list(a: usize, words: u32, into: usize): void {
  const end = (<usize>words) << 2;
  for (let at: usize = 0; at < end; at += 8) {
    const first = (<u32>at) << 3;
    for (let bits = load<u64>(a + at); bits !== 0; bits &= bits - 1, into += 4)
      store<u32>(into, first | <u32>ctz<u64>(bits));
  }
}

export function keep(docs: usize, count: u32, bits: usize, wanted: u32, into: usize): u32 {
  const start = into;
  const end = docs + ((<usize>count) << 2);
  for (; docs < end; docs += 4) {
    const doc = load<u32>(docs);
    store<u32>(into, doc);
    const bit = (load<u32>(bits + ((<usize>doc >> 5) << 2)) >> (doc & 31)) & 1;
    into += (<usize>(bit ^ wanted ^ 1)) << 2;
  }
  return <u32>((into - start) >> 2);
}

export function unpack(lows: usize, count: u32, base: u32, into: usize): void {
  const end = lows + ((<usize>count) << 1);
  const high = i32x4.splat(base);
  for (; lows + 16 <= end; lows += 16, into += 32) {
    const eight = v128.load(lows);
    v128.store(into, v128.or(i32x4.extend_low_i16x8_u(eight), high));
    v128.store(into, v128.or(i32x4.extend_high_i16x8_u(eight), high), 16);
  }
  for (; lows < end; lows += 2, into += 4) store<u32>(into, base | <u32>load<u16>(lows));
}

export function remove(docs: usize, count: u32, bits: usize): u32 {
  let removed: u32 = 0;
  const end = docs + ((<usize>count) << 2);
  for (; docs < end; docs += 4) {
    const doc = load<u32>(docs);
    const at = bits + ((<usize>doc >> 5) << 2);
    const word = load<u32>(at);
    removed += (word >> (doc & 31)) & 1;
    store<u32>(at, word & ~(1 << (doc & 31)));
  }
  return removed;
}

export function mark(docs: usize, count: u32, bits: usize, words: u32): void {
  memory.fill(bits, 0, (<usize>words) << 2);
  const end = docs + ((<usize>count) << 2);
  for (; docs < end; docs += 4) {
    const doc = load<u32>(docs);
    const at = bits + ((<usize>doc >> 5) << 2);
    store<u32>(at, load<u32>(at) | (1 << (doc & 31)));
  }
}

/**
 * The checksum kernel, in AssemblyScript; `npm run build` compiles it into ../compiled-kernels.ts.
 * ../crc32c.ts explains the method.
 */

/** Adds to each block of 16 bytes from `at` on the five blocks at these distances before it. */
export function fold(at: usize, blocks: u32): void {
  const end = at + ((<usize>blocks) << 4);
  for (; at < end; at += 16) {
    const far = v128.xor(v128.load(at - 209 * 16), v128.load(at - 195 * 16));
    const middle = v128.xor(v128.load(at - 170 * 16), v128.load(at - 155 * 16));
    const near = v128.xor(v128.load(at - 65 * 16), v128.load(at));
    v128.store(at, v128.xor(v128.xor(far, middle), near));
  }
}
